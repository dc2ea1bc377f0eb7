"""Joins against the oracle, and against what pandas and polars join."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import MISS, neighbours, pairs, within

import rtindex

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


def test_unknown_joins_are_refused():
    index = rtindex.build([1])
    for call in (index.join, index.join_asof, lambda keys, how: index.join_range(keys, keys, how)):
        with pytest.raises(rtindex.Error, match="invalid how='outer'"):
            call([1], how="outer")
    for size in (0, -1, 1.5, "a"):
        with pytest.raises(rtindex.Error, match="invalid batch_rows"):
            index.join([1], batch_rows=size)


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


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("size", [1, 7, 64, 10**6])
def test_parts(how, size, seeded):
    column = [seeded.randrange(12) for _ in range(200)]
    keys = [seeded.randrange(16) for _ in range(150)]
    names = [f"key {key:02}" for key in column]
    index, named = rtindex.build(column), rtindex.build((names, column))
    chunks = pa.chunked_array([keys[:40], keys[40:41], keys[41:]])
    pair = ([f"key {key:02}" for key in keys], keys)
    for whole, parts in (
            (index.join(keys, how), index.join(keys, how, batch_rows=size)),
            (named.join(pair, how), named.join(pair, how, batch_rows=size)),
            (index.join_range(keys, None, how, "()"),
             index.join_range(keys, None, how, "()", batch_rows=size)),
            (index.join_asof(keys, exact=False, tolerance=1, how=how),
             index.join_asof(keys, exact=False, tolerance=1, how=how, batch_rows=size)),
            (index.join(np.array(keys), how), index.join(chunks, how, batch_rows=size))):
        parts = list(parts)
        assert all(0 < len(part.probe) <= size for part in parts)
        joined = [row for part in parts for row in list_of(part.probe)]
        assert joined == list_of(whole.probe)
        if how in ("semi", "anti"):
            assert all(part.column is None for part in parts)
            continue
        found = [row for part in parts for row in list_of(part.column)]
        assert without_reserved(zip(joined, found)) == without_reserved(
            zip(joined, list_of(whole.column)))


def test_parts_are_of_one_state():
    index = rtindex.build([1] * 10)
    parts = index.join([1, 1], batch_rows=4)
    index.erase(range(5))
    assert sum(len(part.probe) for part in parts) == 20
    assert list(index.join([7], batch_rows=3)) == []
