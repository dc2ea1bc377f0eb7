"""Joins against the oracle, and against what pandas and polars join."""

from __future__ import annotations

import gc
import itertools
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import MISS, neighbours, pairs, within

import rtindex
from rtindex import Query

HOW = ["inner", "left", "semi", "anti"]


def listed(join, how):
    """The join as the oracle gives it."""
    probe = join.probe.tolist()
    if how in ("semi", "anti"):
        assert join.column is None
        return probe
    return list(zip(probe, join.column))


def without_reserved(found):
    def missing(row):
        return row is None or row is pd.NA or row == rtindex.MISS

    return [(lookup, None if missing(row) else int(row)) for lookup, row in found]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("make", [np.array, list])
def test_against_the_oracle(make, how, seeded):
    column = [seeded.randrange(50) for _ in range(120)]
    keys = [seeded.randrange(80) for _ in range(90)]
    found = listed(rtindex.build(make(column)).join(make(keys), how), how)
    if how in ("inner", "left"):
        found = sorted(without_reserved(found), key=lambda pair: (pair[0], pair[1] or 0))
    assert found == pairs(column, keys, how)


@pytest.mark.parametrize("how", HOW)
def test_kinds_and_nulls(how):
    column, keys = [3, None, 5, 3], [5, None, 9, 3]
    wanted = pairs(column, keys, how)
    for make, to_list in ((pa.array, lambda found: found.to_pylist()),
                          (pl.Series, lambda found: found.to_list()),
                          (lambda items: pd.Series(items, dtype="Int64"), list)):
        join = rtindex.build(make(column)).join(make(keys), how)
        if how in ("semi", "anti"):
            assert to_list(join.probe) == wanted
        else:
            assert type(join.probe).__module__ == type(join.column).__module__
            found = without_reserved(zip(to_list(join.probe), to_list(join.column)))
            assert sorted(found, key=str) == sorted(wanted, key=str)


def test_against_polars(seeded):
    left = pl.DataFrame({"key": [seeded.randrange(1000) for _ in range(5000)]}).with_row_index("a")
    right = pl.DataFrame({"key": [seeded.randrange(1500) for _ in range(2000)]}).with_row_index("b")
    wanted = left.join(right, on="key", how="left").select("a", "b").sort("a", "b").rows()
    join = rtindex.build(right["key"]).join(left["key"], "left")
    found = pl.DataFrame({"a": join.probe, "b": join.column}).sort("a", "b").rows()
    assert found == wanted


def test_rows_can_be_taken():
    articles = pa.table({"number": [4711, 815], "name": ["soap", "pears"]})
    join = rtindex.build(articles["number"]).join(pa.array([815, 1, 4711]), "left")
    assert articles["name"].take(join.column).to_pylist() == ["pears", None, "soap"]


def test_unknown_joins_are_rejected():
    index = rtindex.build([1])
    for call in (index.join, index.join_asof, lambda keys, how: index.join_range(keys, keys, how)):
        with pytest.raises(rtindex.Error, match="invalid how='outer'"):
            call([1], how="outer")
    for size in (0, -1, 1.5, "a"):
        with pytest.raises(rtindex.Error, match="invalid max_pairs"):
            index.join_batches([1], max_pairs=size)
    with pytest.raises(rtindex.Error, match="invalid how='outer'"):
        index.join_batches([1], "outer", max_pairs=1)
    calls: list[Any] = [index.join, index.join_asof, index.join_range,
                        lambda keys, order: index.join_batches(keys, max_pairs=1, order=order)]
    for call in calls:
        with pytest.raises(rtindex.Error, match="invalid order='key': expected lookups or any"):
            call([1], order="key")


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("make", [list, pa.array, pl.Series,
                                  lambda keys: pa.chunked_array([keys[:7], [], keys[7:]])])
def test_ranges_and_neighbours(make, how, seeded):
    column = [seeded.randrange(50) for _ in range(90)]
    lower = [seeded.randrange(60) for _ in range(40)] + [None]
    upper = [None if low is None else low + seeded.randrange(9) - 2 for low in lower]
    index = rtindex.build(column)

    def check(join, rows):
        if how in ("semi", "anti"):
            assert list_of(join.probe) == [lookup for lookup, some in enumerate(rows)
                                           if bool(some) == (how == "semi")]
            return
        found = without_reserved(zip(list_of(join.probe), list_of(join.column)))
        alone = [None] if how == "left" else []
        wanted = [(lookup, row) for lookup, some in enumerate(rows) for row in some or alone]
        assert sorted(found, key=str) == sorted(wanted, key=str)

    for ends in ("[]", "(]", "()"):
        rows = within(column, lower[:-1], upper[:-1], ends) + [[]]
        check(index.join_range(make(lower), make(upper), how, ends), rows)
    for direction in ("backward", "forward", "nearest"):
        rows = neighbours(column, lower, direction, False, 1)
        check(index.join_asof(make(lower), direction, False, 1, how),
              [[] if row == MISS else [row] for row in rows])


def list_of(data):
    return data.to_pylist() if hasattr(data, "to_pylist") else data.tolist() if isinstance(
        data, np.ndarray) else list(data)


def queries(column, keys):
    """An index, and a query of each kind on it."""
    index, named = rtindex.build(column), rtindex.build([f"key {key:02}" for key in column])
    composite = rtindex.build(([f"key {key:02}" for key in column], column))
    chunks = pa.chunked_array([keys[:40], keys[40:41], keys[41:]])
    names = [f"key {key:02}" for key in keys]
    return [(index, Query.equal(keys)), (index, Query.equal(chunks)),
            (composite, Query.equal((names, keys))), (composite, Query.equal((names,))),
            (index, Query.range(keys, None, "()")), (index, Query.range(None, chunks, "[)")),
            (index, Query.range(keys, [key + 2 for key in keys])), (index, Query.range()),
            (named, Query.prefix([name[:5] for name in names])),
            (named, Query.prefix(pa.array([*names[:-1], None]))),
            (index, Query.nearest(keys, exact=False, tolerance=1)),
            (index, Query.nearest(chunks, "nearest"))]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("size", [1, 7, 64, 10**6])
def test_batches(how, size, seeded):
    column = [seeded.randrange(12) for _ in range(200)]
    keys = [seeded.randrange(16) for _ in range(150)]
    for index, query in queries(column, keys):
        whole, batches = index.join(query, how), list(index.join_batches(query, how,
                                                                         max_pairs=size))
        assert all(0 < len(batch.probe) <= size for batch in batches)
        joined = [row for batch in batches for row in list_of(batch.probe)]
        assert joined == list_of(whole.probe)
        if how in ("semi", "anti"):
            assert whole.column is None and all(batch.column is None for batch in batches)
            continue
        found = [row for batch in batches for row in list_of(batch.column)]
        assert without_reserved(zip(joined, found)) == without_reserved(
            zip(joined, list_of(whole.column)))


@pytest.mark.parametrize("how", HOW)
def test_any_order_has_the_same_pairs(how, seeded):
    column = [seeded.randrange(12) for _ in range(200)]
    keys = [seeded.randrange(16) for _ in range(150)]

    def sorted_pairs(joins):
        return sorted(((i, row) for join in joins
                       for i, row in zip(list_of(join.probe), list_of(join.column)
                                         if join.column is not None else itertools.repeat(0))),
                      key=str)

    for index, query in queries(column, keys):
        wanted = sorted_pairs([index.join(query, how, order="lookups")])
        assert sorted_pairs([index.join(query, how, order="any")]) == wanted
        assert sorted_pairs(index.join_batches(query, how, max_pairs=9, order="any")) == wanted
    index = rtindex.build(column)
    assert sorted_pairs([index.join_range(keys, None, how, order="any")]) == sorted_pairs(
        [index.join_range(keys, None, how)])
    assert sorted_pairs([index.join_asof(keys, how=how, order="any")]) == sorted_pairs(
        [index.join_asof(keys, how=how)])


@pytest.mark.parametrize("how", HOW)
def test_joins_are_the_rows_of_answers(how, seeded):
    column = [seeded.randrange(12) for _ in range(200)]
    keys = [seeded.randrange(16) for _ in range(150)]
    for index, query in queries(column, keys):
        if query.kind == "nearest":
            rows = [[] if row is None or row == MISS else [row]
                    for row in list_of(index.answer(query))]
        elif query.lower is query.upper is None:
            rows = [index.answer(query, "rows").tolist()]
        else:
            rows = index.answer(query, "rows").to_pylist()
        found = index.join(query, how)
        if how in ("semi", "anti"):
            assert list_of(found.probe) == [i for i, some in enumerate(rows)
                                            if bool(some) == (how == "semi")]
            continue
        alone = [None] if how == "left" else []
        assert sorted(without_reserved(zip(list_of(found.probe), list_of(found.column))),
                      key=str) == sorted(((i, row) for i, some in enumerate(rows)
                                          for row in some or alone), key=str)


def test_prefixes():
    index = rtindex.build(["Ulm", "Bonn", None, "Ulm an der Donau"])
    found = index.join(Query.prefix(["Ulm", "x", "", None]), "left")
    assert sorted(zip(found.probe.tolist(), found.column.tolist())) == [
        (0, 0), (0, 3), (1, MISS), (2, 0), (2, 1), (2, 3), (3, MISS)]
    with pytest.raises(rtindex.InvalidArgumentError, match="column of strings"):
        rtindex.build([1]).join(Query.prefix(["1"]))


def test_batches_are_of_one_state():
    index = rtindex.build([1] * 10)
    batches = index.join_batches([1, 1], max_pairs=4)
    index.erase(range(5))
    assert sum(len(batch.probe) for batch in batches) == 20
    assert list(index.join_batches([7], max_pairs=3)) == []


def test_batches_outlive_their_index_and_keys():
    batches = rtindex.build(["a", "b"] * 50).join_batches(np.array(["a", "b"] * 9), max_pairs=30)
    gc.collect()
    assert sum(len(batch.probe) for batch in batches) == 18 * 50
