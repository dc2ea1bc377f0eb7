"""Neighbours against the oracle: every direction, type, answer and kind of object."""

from __future__ import annotations

import datetime
import itertools
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import MISS, neighbours

import rtindex

DIRECTIONS = ["backward", "forward", "nearest"]
SPECS = ["auto", "rx:embree", "btree", "sorted"]
NOON = datetime.datetime(2024, 2, 29, 12)
SECOND = datetime.timedelta(seconds=1)

# Keys from small integers, and a tolerance.
TYPES: dict[str, tuple[Any, Any, Any]] = {
    "ints": (int, np.int64, 3),
    "uint8": (lambda tick: tick + 100, np.uint8, 0),
    "large": (lambda tick: tick + 2**63, np.uint64, 3),
    "floats": (lambda tick: tick / 4, np.float64, 0.5),
    "float32": (lambda tick: tick / 4, np.float32, 0.75),
    "dates": (lambda tick: NOON.date() + datetime.timedelta(tick), "M8[D]", datetime.timedelta(2)),
    "times": (lambda tick: NOON + tick * SECOND, "M8[s]", 3 * SECOND),
    "strings": (lambda tick: f"key {tick:03}", None, None),
}


def made(ticks, make):
    return [None if tick is None else make(tick) for tick in ticks]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("kind", TYPES)
def test_against_the_oracle(spec, kind, seeded):
    make, _, tolerance = TYPES[kind]
    for span in (8, 150):
        ticks = [seeded.randrange(span) for _ in range(60)] + [None]
        column = made(ticks, make)
        keys = made([seeded.randrange(-5 if kind != "strings" else 0, span + 5) for _ in range(80)]
                    + [None], make)
        index = rtindex.build(column, spec)
        for direction, exact, limit in itertools.product(DIRECTIONS, (True, False),
                                                         {None: 0, tolerance: 0}):
            if kind == "strings" and direction == "nearest":
                continue
            wanted = neighbours(column, keys, direction, exact, limit)
            found = index.nearest(keys, "any", None, direction, exact, limit)
            assert found.tolist() == wanted
            pairs = index.join_asof(keys, direction, exact, limit)
            assert pairs.probe.tolist() == [*range(len(keys))] and pairs.column.tolist() == wanted


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("kind", ["ints", "strings", "times"])
def test_composites(spec, kind, seeded):
    make, _, tolerance = TYPES[kind]
    cities = ["Ulm", "Bonn", "Ulm an der Donau", None]

    def drawn(count):
        return [(seeded.choice(cities), make(seeded.randrange(40))) for _ in range(count)]

    column, keys = drawn(90), drawn(70)
    index = rtindex.build(([city for city, _ in column], [time for _, time in column]), spec)
    for direction, exact, limit in itertools.product(DIRECTIONS[:2], (True, False),
                                                     {None: 0, tolerance: 0}):
        found = index.nearest(keys, "any", None, direction, exact, limit)
        assert found.tolist() == neighbours(column, keys, direction, exact, limit)


@pytest.mark.parametrize("kind", TYPES)
def test_every_answer(kind, seeded):
    make, _, _ = TYPES[kind]
    column = made([seeded.randrange(20) for _ in range(50)] + [None], make)
    keys = made([seeded.randrange(-3, 25) for _ in range(30)] + [-3], make)
    values = np.arange(51) * 3 + 1
    index = rtindex.build(column, include=values)
    rows = neighbours(column, keys, "backward", False)
    found = index.nearest(keys, ["any", "key", "first", "count", "sum", "min", "max", "rows"],
                          exact=False, matched=True, miss=-1)
    assert found.any.tolist() == [-1 if row == MISS else row for row in rows]
    assert MISS in rows
    assert found.matched.tolist() == [row != MISS for row in rows]
    all_rows = [[] if row == MISS else [other for other, key in enumerate(column)
                                        if key == column[row]] for row in rows]
    assert [sorted(some) for some in found.rows.to_pylist()] == all_rows
    assert found.count.tolist() == [len(some) for some in all_rows]
    assert found.first.tolist() == [min(some, default=-1) for some in all_rows]
    assert found.sum.tolist() == [sum(values[some].tolist()) if some else -1 for some in all_rows]
    assert found.min.tolist() == [min(values[some].tolist(), default=-1) for some in all_rows]
    wanted = [column[row] for row in rows if row != MISS]
    assert [key for key, row in zip(found.key.tolist(), rows) if row != MISS] == wanted
    given = index.nearest(keys, "max", values[::-1].copy(), exact=False, miss=-1)
    assert given.tolist() == [max(values[::-1][some].tolist(), default=-1) for some in all_rows]


def test_keys_of_misses():
    for column, wanted in (([5], -2**63), (np.array([5], np.uint16), 65535),
                           (np.array([5], np.int8), -128), ([5.0], np.nan), (["b"], None),
                           ([True], False)):
        lookup = "a" if isinstance(column[0], str) else column[0] - 1
        found = rtindex.build(column).nearest([lookup], "key")
        assert found[0] == wanted or wanted != wanted and np.isnan(found[0])
    assert np.isnat(rtindex.build(np.array([5], "M8[s]")).nearest(np.array([4], "M8[s]"), "key"))


def test_kinds():
    index = rtindex.build([10, 20, 20])
    assert index.nearest(25) == 2 and index.nearest(5) is None
    assert index.nearest(15, "key") == 10 and index.nearest(5, "key") is None
    assert index.nearest(pa.array([25, 5, None]), "key").to_pylist() == [20, None, None]
    assert index.nearest(pl.Series([25, 5]), "key").to_list() == [20, None]
    labels = pd.Series([25, 5], index=["a", "b"])
    assert index.nearest(labels, "key").isna().to_dict() == {"a": False, "b": True}
    assert index.nearest(pa.chunked_array([[25], [5, 10]])).to_pylist() == [2, None, 0]
    names = rtindex.build(["b", "d"])
    assert names.nearest(pa.array(["c", "a"]), "key").to_pylist() == ["b", None]
    assert names.nearest(pl.Series(["c", "a"]), "key").to_list() == ["b", None]
    assert names.nearest(pd.Series(["c", "e"]), "key").tolist() == ["b", "d"]
    assert names.nearest("c", "key") == "b" and names.nearest("a", "key") is None
    flags = rtindex.build([False, True])
    assert flags.nearest(pl.Series([True, False]), "key", exact=False).to_list() == [False, None]
    assert flags.nearest(pa.array([True, False]), "key", exact=False).to_pylist() == [False, None]


def test_strings_have_one_type():
    index = rtindex.build([b"\xff", b"a"])
    wanted = [b"\xff", b"a", None]
    assert index.nearest([b"\xff\xff", b"b", b""], "key").tolist() == wanted
    for make in (pl.Series, pa.array):
        found = index.nearest(make([b"\xff\xff", b"b", b""]), "key")
        assert pa.array(found).to_pylist() == wanted
    assert index.nearest(pl.Series(["", ""]), "key").dtype == pl.String
    assert index.nearest(pa.array(["", ""]), "key").type == pa.string()


def test_zones_of_keys():
    times = pd.Series(np.array([0, 10], "M8[s]")).dt.tz_localize("Europe/Berlin")
    index = rtindex.build(times)
    assert index.nearest(times.iloc[1:] + np.timedelta64(1, "s"), "key").tolist() == [times[1]]
    assert index.nearest(pa.array([NOON], pa.timestamp("s", "Asia/Tokyo")), "key").type == (
        pa.timestamp("s", "Europe/Berlin"))  # of the column
    found = index.nearest(pd.Timestamp(NOON, tz="UTC"), "key")
    assert found == times[1] and str(found.tzinfo) == "Europe/Berlin"


def test_composite_keys():
    index = rtindex.build((["a", "a", "b"], np.array([1, 5, 9], np.int16)))
    assert index.nearest(("a", 4), "key") == ("a", 1)
    assert index.nearest(("b", 4), "key") is None
    city, number = index.nearest([("a", 7), ("b", 10)], "key")
    assert city.tolist() == ["a", "b"] and number.tolist() == [5, 9]


@pytest.mark.parametrize("tolerance", [
    datetime.timedelta(seconds=2), np.timedelta64(2, "s"), np.timedelta64(2999, "ms"),
    pd.Timedelta("2s"), pa.scalar(2, pa.duration("s")), pa.scalar(2_900_000, pa.duration("us"))])
def test_durations(tolerance):
    times = np.array([0, 100], "M8[s]")
    keys = np.array([2, 3, 102, 103], "M8[s]")
    for index in (rtindex.build(times), rtindex.build((np.zeros(2, int), times))):
        lookups = keys if index.type != "composite" else (np.zeros(4, int), keys)
        assert index.nearest(lookups, tolerance=tolerance).tolist() == [0, MISS, 1, MISS]
    weeks = rtindex.build(np.array([0, 100], "M8[W]"))
    found = weeks.nearest(np.array([2, 3], "M8[W]"), tolerance=np.timedelta64(20, "D"))
    assert found.tolist() == [0, MISS]


@pytest.mark.parametrize(("column", "tolerance", "sentence"), [
    ([1], 1.5, "expected an integer for a column of int64"), ([1], -1, "expected 0 or more"),
    ([1], True, "expected an integer"), ([1], "1h", "expected an integer"),
    ([1], SECOND, "expected an integer"), ([1.5], "a", "expected a number"),
    ([1.5], -0.5, "expected 0 or more"), ([1.5], float("nan"), "expected a number"),
    (["a"], 1, "strings have no distance"), ([NOON], 5, "expected a duration, such as"),
    ([NOON], -SECOND, "expected 0 or more"), ([NOON], np.timedelta64("NaT", "s"), "expected a duration"),
    ([NOON], pa.scalar(None, pa.duration("s")), "expected a duration"),
    ([NOON], np.timedelta64(1, "M"), "expected a duration")])
def test_wrong_tolerances(column, tolerance, sentence):
    index = rtindex.build(column)
    for call in (index.nearest, index.join_asof):
        with pytest.raises(rtindex.InvalidArgumentError, match=sentence):
            call(column, tolerance=tolerance)


def test_tolerances_beyond_all_floats():
    index = rtindex.build([1.5])
    assert index.nearest(1e300, tolerance=10**400) == 0
    with pytest.raises(rtindex.InvalidArgumentError, match="expected 0 or more"):
        index.nearest(1e300, tolerance=-10**400)


def test_wrong_use():
    index = rtindex.build([1, 2])
    for arguments, sentence in (
            ({"direction": "up"}, "invalid direction='up': expected backward, forward or nearest"),
            ({"exact": 1}, "invalid exact=1: expected True or False"),
            ({"answer": "all"}, "expected any, .*, or key"), ({"order": "rows"}, "invalid order"),
            ({"answer": "key", "out": np.empty(1, np.int64)}, "other than 'rows' and 'key'")):
        with pytest.raises(rtindex.InvalidArgumentError, match=sentence):
            index.nearest([1], **arguments)
    with pytest.raises(rtindex.InvalidArgumentError, match="only nearest returns 'key'"):
        index.lookup([1], "key")
    with pytest.raises(rtindex.Error, match="whole numbers of 64 bits"):
        index.nearest([1.5])
    assert index.nearest([2.0, float("nan")]).tolist() == [1, MISS]
    for column, keys in ((["a"], [1]), ([1], ["a"])):
        with pytest.raises(rtindex.Error):
            rtindex.build(column).nearest(keys)
    with pytest.raises(rtindex.Error, match="pass a value for each part"):
        rtindex.build((["a"], [1])).nearest([("a",)])
    with pytest.raises(rtindex.Error):
        rtindex.build(["a"]).nearest(["b"], direction="nearest")


def test_hash_rejects():
    index = rtindex.build([1, 2], "hash")
    assert not index.supports("any", "nearest") and rtindex.build([1]).supports("key", "nearest")
    for call in (lambda: index.nearest([1]), lambda: index.join_asof([1]),
                 lambda: index.select([0]), lambda: index.rank([1])):
        with pytest.raises(rtindex.UnsupportedError, match="hash"):
            call()


@pytest.mark.parametrize("spec", SPECS)
def test_changed_loaded_and_pickled(spec, seeded, tmp_path):
    column = [seeded.randrange(200) for _ in range(150)]
    index = rtindex.build(column, spec)
    for step in range(4):
        rows = seeded.sample([row for row, key in enumerate(column) if key is not None], 15)
        index.erase(rows)
        new = [seeded.randrange(250) for _ in range(40)]
        index.insert(new)
        column = [None if row in rows else key for row, key in enumerate(column)] + new
        keys = [seeded.randrange(-5, 260) for _ in range(60)]
        index.save(tmp_path / "changed.rtindex")
        for other in (index, pickle.loads(pickle.dumps(index)),
                      rtindex.load(tmp_path / "changed.rtindex")):
            for direction, exact in itertools.product(DIRECTIONS, (True, False)):
                found = other.nearest(keys, "any", None, direction, exact, 2 if step % 2 else None)
                assert found.tolist() == neighbours(column, keys, direction, exact,
                                                    2 if step % 2 else None)
