"""Half-open ranges, rows in key order, ranks, prefixes and nulls against the oracle."""

from __future__ import annotations

import datetime
import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import MISS, within

import rtindex

SPECS = ["auto", "rx:embree", "btree", "sorted"]
ENDS = ["[]", "[)", "(]", "()"]
NOON = datetime.datetime(2024, 2, 29, 12)
TYPES = {
    "ints": lambda tick: tick - 20,
    "floats": lambda tick: tick / 4,
    "strings": lambda tick: f"prefix {tick:03}",
    "times": lambda tick: NOON + datetime.timedelta(seconds=tick),
    "composites": lambda tick: (tick // 10, f"part {tick % 10}"),
}


def column_of(keys, kind):
    return tuple(map(list, zip(*keys))) if kind == "composites" else keys


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("kind", TYPES)
def test_ends(spec, kind, seeded):
    make = TYPES[kind]
    column = [make(seeded.randrange(60)) for _ in range(80)]
    lower = [make(seeded.randrange(60)) for _ in range(40)]
    upper = [make(seeded.randrange(60)) for _ in range(40)]
    index = rtindex.build(column_of(column, kind), spec)
    for ends, low, high in itertools.product(ENDS, (lower, None), (upper, None)):
        if low is high is None:
            continue
        wanted = within(column, low or [None] * 40, high or [None] * 40, ends)
        assert index.range(low, high, "count", ends=ends).tolist() == [*map(len, wanted)]
        for order, rows in (("key", wanted), ("-key", [some[::-1] for some in wanted])):
            found = index.range(low, high, "rows", ends=ends, order=order)
            assert found.to_pylist() == rows
            found = index.range(low, high, "rows", ends=ends, order=order, limit=3)
            assert found.to_pylist() == [some[:3] for some in rows]
        pairs = index.join_range(low, high, "left", ends)
        found = sorted(zip(pairs.probe.tolist(), pairs.column.tolist()))
        assert found == [(lookup, row) for lookup, rows in enumerate(wanted)
                         for row in sorted(rows) or [MISS]]
    everything = within(column, [None], [None])[0]
    assert index.range(answer="rows", order="key").tolist() == everything
    assert index.range(answer="count", ends="()") == len(everything)


def test_numbers_beyond_the_last_part_of_a_composite_say_what_to_do():
    one = np.array([1])
    index = rtindex.build((one, np.array([5])))
    for number in (np.inf, 1e30):
        with pytest.raises(rtindex.InvalidArgumentError, match="cannot hold it: pass the least or the greatest"):
            index.range((one, np.array([number])), (one, np.array([number])), "count")
    assert index.range((one, np.array([-np.inf])), (one, np.array([np.inf])), "count").tolist() == [1]


@pytest.mark.parametrize("ends", ENDS)
def test_fractions_as_ends(ends):
    column = [-2**63, -1, 0, 1, 2, 2**63 - 1]
    index = rtindex.build(column)
    numbers = [-np.inf, -2.0**63, -1.5, -1.0, -0.5, 0.0, 0.5, 2.0, 2.5, 2.0**63, np.inf]
    lower, upper = map(list, zip(*itertools.product(numbers, numbers)))
    wanted = [len(rows) for rows in within(column, lower, upper, ends)]
    assert index.range(lower, upper, "count", ends=ends).tolist() == wanted
    small = rtindex.build(np.array([0, 7, 255], np.uint8))
    assert small.range([-5.5, 254.5], [0.5, 1e30], "count", ends=ends).tolist() == [1, 1]


@pytest.mark.parametrize("spec", SPECS)
def test_ranks(spec, seeded):
    column = [seeded.choice([seeded.randrange(50), None]) for _ in range(80)]
    index = rtindex.build(column, spec)
    nulls = [row for row, key in enumerate(column) if key is None]
    erased = [row for row, key in enumerate(column) if key is not None][::7]
    for _ in range(2):
        known = sorted((key, row) for row, key in enumerate(column) if key is not None)
        keys = [*range(-2, 55), None]
        wanted = [0 if key is None else sum(other < key for other, _ in known) for key in keys]
        assert index.rank(keys).tolist() == wanted
        rows = [row for _, row in known]
        assert index.select([*range(len(rows)), len(rows), 2**40]).tolist() == [*rows, MISS, MISS]
        assert index.nulls().tolist() == nulls
        median = known[len(known) // 2][0]
        assert column[index.select(index.valid // 2)] == median
        index.erase([row for row in erased if column[row] is not None])
        column = [None if row in erased else key for row, key in enumerate(column)]


@pytest.mark.parametrize("spec", [*SPECS, "hash"])
def test_nulls_of_a_table_that_grows(spec):
    index = rtindex.build([None] + [1] * 30, spec)
    for _ in range(3):
        index.insert(np.arange(100_000))
        assert index.nulls().tolist() == [0]
    index.insert([7, None])
    assert index.nulls().tolist() == [0, 300_032]


def test_ranks_of_every_kind():
    index = rtindex.build([30, 10, None, 20])
    assert index.rank(25) == 2 and index.select(2) == 0 and index.select(3) is None
    assert index.rank([10.5, -np.inf, np.inf, 10.0]).tolist() == [1, 0, 3, 0]
    assert index.rank(pl.Series([25, 5])).to_list() == [2, 0]
    assert index.select(pa.array([0, 9, None])).to_pylist() == [1, None, None]
    assert index.select(pd.Series([1], index=["a"])).to_dict() == {"a": 3}
    assert index.select(np.array([0], np.uint8)).dtype == np.uint32
    for ranks in ([0.5], ["a"], [True]):
        with pytest.raises(rtindex.Error, match="expected integers"):
            index.select(ranks)
    names = rtindex.build(["b", "a", "c"])
    assert names.rank(["b", "", "z"]).tolist() == [1, 0, 3]
    pairs = rtindex.build((["b", "a", "b"], [1, 2, 0]))
    assert pairs.rank([("b", 1), ("a", 0)]).tolist() == [2, 0] and pairs.rank(("b", 1)) == 2


def test_quantiles():
    values = np.random.default_rng(4).normal(size=1000)
    index = rtindex.build(values)
    places = (np.array([0.0, 0.25, 0.5, 0.99]) * (index.valid - 1)).astype(int)
    assert values[index.select(places)].tolist() == np.sort(values)[places].tolist()
    edges = np.linspace(-3, 3, 13)
    assert np.diff(index.rank(edges).astype(int)).tolist() == [
        ((edges[i] <= values) & (values < edges[i + 1])).sum() for i in range(12)]


@pytest.mark.parametrize("spec", SPECS)
def test_prefixes_of_strings(spec):
    column = ["Ulm", "Ulm an der Donau", "Ul", "Bonn", None, "", "Ulm\xff", "Köln", "K\U0010ffff"]
    for extra in ([], [b"\xff", b"\xff\xff", b"\xffa"]):
        keys = [*column, *extra]
        index = rtindex.build(keys, spec)
        prefixes = ["Ulm", "U", "", "Ulm an der Donau!", "K", None, b"\xff", b"\xff\xff", "Bonn"]
        texts = [key.encode() if isinstance(key, str) else key for key in keys]
        wanted = [[] if prefix is None else [
            row for row, text in enumerate(texts) if text is not None and text.startswith(
                prefix.encode() if isinstance(prefix, str) else prefix)] for prefix in prefixes]
        assert [sorted(rows) for rows in index.starts_with(prefixes, "rows")] == wanted
        assert index.starts_with(prefixes, "count").tolist() == [*map(len, wanted)]
        found = index.starts_with(prefixes, ["first", "rows"], order="key", matched=True)
        assert found.first.tolist() == [min(rows, default=MISS) for rows in wanted]
        assert found.matched.tolist() == [bool(rows) for rows in wanted]
        assert found.rows.to_pylist() == [
            sorted(rows, key=lambda row: (texts[row], row)) for rows in wanted]
    assert index.starts_with("Bo") == 3
    assert index.starts_with(pl.Series(["Bo", "x"])).to_list() == [3, None]
    with pytest.raises(rtindex.Error, match="strings"):
        rtindex.build([1]).starts_with(["1"])


@pytest.mark.parametrize("spec", SPECS)
def test_prefixes_of_composites(spec):
    cities = ["Ulm", "Bonn", "Ulm", "Ulm", "Köln"]
    years, months = [2020, 2021, 2024, 2020, 2020], [3, 4, 5, 1, 2]
    index = rtindex.build((cities, years, months), spec)
    assert [*index.lookup(("Ulm",), "rows", order="key")] == [3, 0, 2]
    assert index.lookup([("Ulm", 2020), ("Bonn", 2020)], "count").tolist() == [2, 0]
    assert index.lookup((np.array(["Ulm", "x"]),), "count").tolist() == [3, 0]
    assert index.lookup(pl.DataFrame({"city": ["Ulm"], "year": [2020]}), "count").to_list() == [2]
    assert index.range(("Bonn",), ("Köln",), "count") == 2
    assert index.range(("Köln",), None, "count") == 4
    assert index.range(("Bonn",), ("Ulm", 2020), "rows", order="key").tolist() == [1, 4, 3, 0]
    assert index.range(("Ulm", 2020), ("Ulm",), "count", ends="(]") == 1
    assert index.range(None, ("Ulm",), "count", ends="[)") == 2
    pairs = index.join([("Ulm",), ("Bonn",)])
    assert sorted(zip(pairs.probe.tolist(), pairs.column.tolist())) == [
        (0, 0), (0, 2), (0, 3), (1, 1)]
    for call in (lambda: index.insert([("Ulm",)]), lambda: index.update([0], [("Ulm", 1)])):
        with pytest.raises(rtindex.Error, match="parts"):
            call()
    assert len(index) == 5


def test_pages_of_rows():
    """Pagination: the next rows after a key, and the previous ones before it."""
    names = ["d", "b", "a", "c", "b", "e"]
    index = rtindex.build(names)
    rows = index.range("b", None, "rows", ends="(]", order="key", limit=2)
    assert [names[row] for row in rows] == ["c", "d"]
    rows = index.range(None, "d", "rows", ends="[)", order="-key", limit=3)
    assert [names[row] for row in rows] == ["c", "b", "b"] and rows.tolist() == [3, 4, 1]


def test_prefixes_need_strings():
    with pytest.raises(rtindex.InvalidArgumentError, match="use lookup with their first parts"):
        rtindex.build((["a"], ["b"])).starts_with(["a"])
    with pytest.raises(rtindex.InvalidArgumentError, match="and a column of strings"):
        rtindex.build([1]).starts_with(["a"])


@pytest.mark.parametrize(("arguments", "sentence"), [
    ({"ends": "[["}, r'invalid ends=.*: expected "\[\]"'), ({"ends": None}, "invalid ends=None"),
    ({"order": "value"}, "invalid order='value': expected None, 'key' or '-key'"),
    ({"order": 1}, "invalid order=1"), ({"upper": ["a"]}, "string"), ({"upper": [1, 2]}, ".")])
def test_wrong_use(arguments, sentence):
    index = rtindex.build([1, 2])
    with pytest.raises(rtindex.InvalidArgumentError, match=sentence):
        index.range(**{"lower": [1], "upper": [2], "answer": "rows", **arguments})
