"""Keys of several columns: every part is read as a column of its own would be."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)
MIDNIGHT = datetime.datetime(2024, 2, 29)


@pytest.fixture(params=["built", "loaded", "btree"])
def cities(request, tmp_path):
    columns = (np.array(["Ulm", "Bonn", "Ulm"]), np.array([2020, 2021, 2024]))
    index = rtindex.build(columns, "btree" if request.param == "btree" else "auto")
    if request.param == "loaded":
        index.save(tmp_path / "cities.rtindex")
        index = rtindex.load(tmp_path / "cities.rtindex")
    return index


def test_nothing_and_nulls(cities):
    assert len(cities.lookup([])) == 0
    assert len(cities.range([], [], "rows")) == 0
    assert len(cities.join([]).probe) == 0
    assert len(cities.lookup((np.array([], "U3"), np.array([], int)))) == 0
    assert len(cities.lookup(([], []))) == 0
    assert cities.lookup((None, 2020)) is None
    assert cities.lookup(("Ulm", None), "count") == 0
    assert cities.lookup((None, None)) is None
    assert cities.lookup([("Ulm", 2020), None, (None, 2021)], "count").tolist() == [1, 0, 0]
    assert cities.lookup([None], "count").tolist() == [0]
    assert cities.lookup(([None, "Ulm"], [2020, 2024]), "rows").to_pylist() == [[], [2]]


def test_updates(cities):
    cities.update([0], [None])
    assert cities.lookup([("Ulm", 2020), ("Ulm", 2024)], "count").tolist() == [0, 1]
    cities.update([0, 1], [("Köln", 5), None])
    assert cities.lookup([("Köln", 5), ("Bonn", 2021)], "count").tolist() == [1, 0]
    cities.update([1], ("Bonn", 6))
    assert cities.lookup(("Bonn", 6)) == 1
    cities.update([], [])
    with pytest.raises(rtindex.Error, match=r"2 parts, got 3 parts \(element"):
        cities.update([0, 1], [("Ulm", 1), ("Ulm", 1, 1)])
    assert cities.lookup(("Köln", 5)) == 0


@pytest.mark.parametrize(("keys", "sentence"), [
    ([("Ulm", 1), ("Ulm",)], r"expected composite keys of 2 parts, got 1 part \(element 1\)"),
    ([("Ulm", 1, 2), None, ("Ulm", 1)], r"expected composite keys of 2 parts, got 3 parts \(element 0\)"),
    (("Ulm", 1, 2), "expected composite keys of 2 parts, got 3 parts"),
    ((), "got 0 parts"),
    ("Ulm", "expected composite keys, .* got str"),
    ([("Ulm", 1), 5], "expected composite keys, .* got int"),
    ([["Ulm", 1]], "expected composite keys, .* got list"),
    ((np.array(["Ulm"]), np.array([1, 2])), "differ in length"),
    ((["Ulm"], [1], [2]), "3 parts but the composite column has 2"),
    ((2020, 2020), "int64 keys cannot be compared with a string column")])
def test_what_is_no_key(cities, keys, sentence):
    for call in (lambda: cities.lookup(keys), lambda: cities.range(keys, keys),
                 lambda: cities.update([0], keys), lambda: cities.join(keys)):
        with pytest.raises(rtindex.Error, match=sentence):
            call()


def test_keys_of_fewer_parts(cities):
    assert cities.lookup(("Ulm",), "count") == 2 and cities.lookup([("Ulm",)], "count") == [2]
    for call in (lambda: cities.update([0], [("Ulm",)]), lambda: cities.insert([("Ulm",)]),
                 lambda: ("Ulm",) in cities):
        with pytest.raises(rtindex.Error, match="expected .*2 parts, got 1"):
            call()


def test_one_key_and_many(cities):
    assert cities.lookup(("Ulm", 2024)) == 2
    assert cities.lookup(("Ulm", np.array(2024))) == 2
    assert cities.lookup([("Ulm", 2024)]).tolist() == [2]
    assert cities.lookup((("Ulm", "Bonn"), (2024, 1)), "count").tolist() == [1, 0]
    keys = np.empty(2, object)
    keys[:] = [("Ulm", 2024), None]
    assert cities.lookup(keys, "count").tolist() == [1, 0]


@pytest.mark.parametrize("days", [
    pa.array([DAY, None]), np.array([DAY, None], "M8[D]"), np.array([DAY, None], "M8[s]"),
    np.array([DAY, None], "M8[ns]"), pl.Series([DAY, None])], ids=lambda days: str(type(days)))
def test_dates_and_timestamps(days):
    index = rtindex.build((np.array([1, 2]), days))
    for day in (DAY, MIDNIGHT, np.datetime64(DAY), np.datetime64(MIDNIGHT), pd.Timestamp(DAY)):
        assert index.lookup((1, day)) == 0
        assert index.lookup([(1, day), (2, day), (1, None), None], "count").tolist() == [1, 0, 0, 0]
    assert index.lookup((np.array([1]), np.array([DAY], "M8[D]"))).tolist() == [0]
    assert index.lookup((np.array([1]), np.array(["2024"], "M8[Y]")), "count").tolist() == [0]
    assert index.range((0, DAY), (1, DAY + datetime.timedelta(1)), "count") == 1
    index.update([1], [(2, DAY)])
    assert index.lookup((2, MIDNIGHT)) == 1


def test_tables_of_days():
    table = pa.table({"key": [1, 2], "day": pa.array([DAY, None])})
    ticks = rtindex.build((np.array([1, 2]), np.array([DAY, None], "M8[D]")))
    for days in (table, table.to_batches()[0], table.to_struct_array().chunk(0),
                 table.to_struct_array(), pl.DataFrame(table)):
        assert np.asarray(ticks.lookup(days, "count")).tolist() == [1, 0]
    frame = pd.DataFrame({"key": [1, 2], "day": np.array([DAY, None], "M8[s]")})
    finer = rtindex.build((np.array([1, 2]), np.array([DAY, None], "M8[ns]")))
    assert finer.lookup(frame, "count").tolist() == [1, 0]
    in_microseconds = table.set_column(1, "day", table["day"].cast(pa.timestamp("us")))
    assert ticks.lookup(in_microseconds, "count").to_pylist() == [1, 0]


def test_units_of_parts():
    index = rtindex.build((np.array([NOON], "M8[s]"), np.array([NOON], "M8[ns]")))
    assert index.lookup((NOON, NOON)) == 0
    assert index.lookup((np.array([NOON], "M8[s]"), np.array([NOON], "M8[s]"))).tolist() == [0]
    assert index.lookup((NOON + datetime.timedelta(microseconds=1), NOON)) is None
    assert index.lookup((NOON, datetime.datetime(9999, 12, 31))) is None
    assert index.range((NOON,), (NOON, datetime.datetime(9999, 12, 31)), "count") == 1


def test_numbers_of_parts():
    index = rtindex.build((np.array([1.0, 2.5]), np.array([2**64 - 1, 5], np.uint64)))
    assert index.lookup((1, 2**64 - 1)) == 0
    assert index.lookup([(1, 2**64 - 1), (2.5, 5), (2.5, None)], "count").tolist() == [1, 1, 0]
    assert index.lookup((1, 2**64)) is None


def test_empty_columns():
    index = rtindex.build((np.array([], "U3"), pa.array([], pa.date32())))
    assert index.lookup(("a", DAY)) is None
    assert index.lookup([("a", DAY), None], "count").tolist() == [0, 0]
    assert index.lookup((np.array(["a"]), np.array([DAY], "M8[D]")), "count").tolist() == [0]


def test_the_parts_are_known(cities):
    assert [tuple(part)[:2] for part in cities._type.parts] == [("string", ""), ("int64", "")]
    many = rtindex.build((np.zeros(3, "M8[us]"), np.zeros(3, bool), np.zeros(3, "f4"),
                          pa.array([1, 2, 3], pa.date32()), ["a", "b", None]), "hash")
    assert [tuple(part)[:2] for part in many._type.parts] == [
        ("timestamp64", "us"), ("bool", ""), ("float32", ""), ("date32", ""), ("string", "")]


@pytest.mark.parametrize("spec", ["rx:native", "sorted", "hash", "rx:embree"])
def test_null_tuples_may_hold_any_string(spec):
    kind = pa.struct([("a", pa.string()), ("b", pa.int64())])
    rows = pa.array([{"a": "hello1", "b": 1}, {"a": "hello2", "b": 2}, None], kind)
    for column in ((["hello1", "hello2", "x"], [1, 2, None]), rows):
        index = rtindex.build(column, spec)
        assert index.lookup([("hello2", 2), ("x", None)], "count").tolist() == [1, 0]
        index.update([0], [("h", None)])
        assert index.lookup([("hello1", 1), ("hello2", 2)], "count").tolist() == [0, 1]
