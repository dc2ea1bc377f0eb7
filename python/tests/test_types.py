"""Every type of key, by every kind of object that knows it, against the oracle."""

from __future__ import annotations

import datetime
import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import matches

import rtindex

NUMBERS = {
    "int8": (-128, 127), "int16": (-300, 300), "int32": (-5, 5), "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 255), "uint16": (0, 9), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1),
}
POLARS = {name: getattr(pl, name.replace("ui", "UI").replace("i", "I")) for name in NUMBERS}
DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)


def rows_of(index, lower, upper):
    return [sorted(rows) for rows in index.range(lower, upper, "rows").to_pylist()]


def check(column, lower, upper, *makers):
    """Builds and looks up with every maker, and compares with the full scan."""
    wanted = matches(column, lower, upper)
    assert any(wanted), "the test looks for nothing"
    for make in makers:
        index = rtindex.build(make(column))
        assert rows_of(index, make(lower), make(upper)) == wanted
        points = [sorted(rows) for rows in index.lookup(make(lower), "rows").to_pylist()]
        assert points == matches(column, lower, lower)


@pytest.mark.parametrize("name", NUMBERS)
def test_integers(name, seeded):
    low, high = NUMBERS[name]
    column = [seeded.randint(low, high) for _ in range(200)] + [low, high, high]
    ends = [sorted(seeded.sample(column, 2)) for _ in range(50)] + [[low, high]]
    lower, upper = [list(end) for end in zip(*ends)]
    check(column, lower, upper,
          lambda items: np.array(items, name),
          lambda items: np.array(items, np.dtype(name).newbyteorder(">")),
          lambda items: np.repeat(np.array(items, name), 2)[::2],
          lambda items: pa.array(items, getattr(pa, name)()),
          lambda items: pl.Series(items, dtype=POLARS[name]),
          lambda items: pd.Series(items, dtype=name))


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_floats(name):
    column = [0.5, -1.5, 2.25, -0.0, float("inf"), 2.25]
    lower, upper = [0.0, -2.0, 2.25], [0.5, 0.0, float("inf")]
    check(column, lower, upper,
          lambda items: np.array(items, name),
          lambda items: pa.array(items, getattr(pa, name)()),
          lambda items: pl.Series(items, dtype=getattr(pl, name.capitalize())),
          lambda items: pd.Series(items, dtype=name))
    assert rtindex.build(np.array(column, name)).lookup([0, 2.25], "count").tolist() == [1, 2]


def test_bools():
    column, lower, upper = [True, False, True], [True, False], [True, True]
    check(column, lower, upper, np.array, pa.array, pl.Series, pd.Series,
          lambda items: pa.array([False, *items])[1:])


def test_strings(seeded):
    words = ["", "a", "a longer string than twelve bytes", "a longer string than that", "Ärger",
             "zebra", "b" * 40]
    column = [seeded.choice(words) for _ in range(100)]
    key = str.encode  # bytes sort as the index does
    ends = [sorted(seeded.sample(words, 2), key=key) for _ in range(20)] + [["", "zebra"]]
    lower, upper = [list(end) for end in zip(*ends)]
    wanted = matches([key(word) for word in column], map(key, lower), map(key, upper))
    for make in (list, np.array, pa.array, pl.Series, pd.Series,
                 lambda items: np.array(items, object),
                 lambda items: np.array([key(item) for item in items]),
                 lambda items: pa.array(items, pa.large_string()),
                 lambda items: pa.array(items, pa.string_view()),
                 lambda items: pa.array(items, pa.binary()),
                 lambda items: pa.array(["skipped", *items])[1:]):
        assert rows_of(rtindex.build(make(column)), make(lower), make(upper)) == wanted


def test_fixed_size_binary():
    column = pa.array([b"ab\0", b"ab\1", b"abc"], pa.binary(3))
    assert rtindex.build(column).lookup(column).to_pylist() == [0, 1, 2]


def test_nulls_never_match():
    for make in (pa.array, pl.Series,
                 lambda items: pa.chunked_array([items[:1], items[1:]], pa.int64()),
                 lambda items: pd.Series(items, dtype="Int64"),
                 lambda items: pa.array([9, *items])[1:]):
        check([5, None, 7, None], [None, 5, 6], [9, None, 9], make)
    index = rtindex.build(["a", None, "b"])
    assert index.lookup(["b", None], "count").tolist() == [1, 0]


def test_lists_with_none():
    check([5, None, 7, None], [None, 5, 6], [9, None, 9], list)
    assert rtindex.build([0.5, None]).lookup([0.5, None], "count").tolist() == [1, 0]
    assert rtindex.build([DAY, None]).lookup([None, DAY], "count").tolist() == [0, 1]
    for column in (np.arange(3), np.arange(3.0), ["a", None], np.zeros(2, "M8[s]"), [None, None]):
        assert rtindex.build(column).lookup([None, None], "count").tolist() == [0, 0]


def test_masked_arrays():
    keys = np.ma.MaskedArray([5, 6, 7], mask=[False, True, False])
    assert rtindex.build(keys).lookup([5, 6, 7], "count").tolist() == [1, 0, 1]
    assert rtindex.build([5, 6, 7]).lookup(keys, "count").tolist() == [1, 0, 1]


def test_times_of_a_person():
    """Objects of the standard library and of pandas, on columns of a coarser and a finer unit."""
    berlin = datetime.timezone(datetime.timedelta(hours=1))
    for unit in ("s", "ns"):
        index = rtindex.build(np.array([NOON], f"M8[{unit}]"))
        for time in (NOON, pd.Timestamp(NOON), np.datetime64(NOON), "2024-02-29 12:00"):
            assert index.lookup(time) == 0
            assert index.lookup([time, None], "count").tolist() == [1, 0]
        zoned = rtindex.build(pa.array([NOON], pa.timestamp(unit, "Europe/Berlin")))
        for time in (NOON.replace(hour=13, tzinfo=berlin), pd.Timestamp(NOON, tz="UTC"),
                     "2024-02-29T12:00Z", "2024-02-29 13:00:00+01:00"):
            assert zoned.lookup(time) == 0
            assert zoned.lookup([time, None], "count").tolist() == [1, 0]
    nanosecond = pd.Timestamp("2024-02-29 12:00:00.000000001")
    assert rtindex.build(np.array([nanosecond.to_datetime64()])).lookup(NOON) is None
    assert rtindex.build(np.array([NOON], "M8[s]")).lookup(nanosecond) is None


def test_dates_and_timestamps():
    days = [DAY, DAY + datetime.timedelta(9), DAY]
    check(days, [DAY], [DAY + datetime.timedelta(8)], pa.array, pl.Series, list,
          lambda items: np.array(items, "M8[D]"))
    times = [NOON + datetime.timedelta(microseconds=step) for step in (0, 5, -5)]
    check(times, [NOON], [times[1]], pa.array, pl.Series, pd.Series, list,
          lambda items: np.array(items, "M8[us]"), lambda items: np.array(items, "M8[ns]"),
          lambda items: pd.Series(items).dt.tz_localize("UTC"),
          lambda items: pa.array(items, pa.timestamp("us", "Europe/Berlin")))


def test_days_come_in_two_widths():
    dates = rtindex.build(pa.array([DAY, None]))
    ticks = rtindex.build(np.array([DAY], "M8[D]"))
    assert (dates.type, ticks.type, ticks.time_unit) == ("date32", "timestamp64", "D")
    assert dates.lookup(np.array([DAY, None], "M8[D]"), "count").tolist() == [1, 0]
    assert ticks.lookup(pa.array([DAY, None]), "count").to_pylist() == [1, 0]
    assert dates.lookup(np.array([2**40], "M8[D]")).tolist() == [rtindex.MISS]
    assert dates.range(DAY, np.array([2**40], "M8[D]"), "count").tolist() == [1]


def test_coarser_times_are_converted():
    index = rtindex.build(np.array(["2024-02-29T12", "NaT"], "M8[ns]"))
    assert index.lookup(NOON) == 0
    assert index.lookup(np.array(["2024-02-29T12"], "M8[s]")).tolist() == [0]
    assert index.range(DAY, DAY + datetime.timedelta(1), "count") == 1
    assert index.lookup(np.array(["NaT"], "M8[ns]"), "count").tolist() == [0]


def test_composites():
    cities, years = ["Ulm", "Bonn", "Ulm"], [2020, 2021, 2024]
    table = pa.table({"city": cities, "year": years})
    for column in (table, table.to_struct_array(), pl.DataFrame(table), table.to_pandas(),
                   (np.array(cities), np.array(years)), table.slice(0)):
        index = rtindex.build(column)
        assert index.type == "composite"
        assert np.asarray(index.lookup(column)).tolist() == [0, 1, 2]
        assert index.lookup(("Ulm", 2024)) == 2
        assert index.lookup([("Bonn", 2021), ("Bonn", 7)], "count").tolist() == [1, 0]
    structs = pa.array([{"a": 1, "b": 2}, None, {"a": 3, "b": None}, {"a": 5, "b": 6}])[1:]
    assert rtindex.build(structs).lookup(structs, "count").to_pylist() == [0, 0, 1]


@pytest.mark.parametrize("nothing", [
    np.array([], np.int64), pa.array([], pa.int64()), pa.chunked_array([], pa.int64()),
    pl.Series([], dtype=pl.Int64), pd.Series([], dtype="int64"), [], [()][:0],
], ids=["numpy", "pyarrow", "chunked", "polars", "pandas", "list", "tuples"])
def test_empty_columns_and_batches(nothing):
    empty = rtindex.build(nothing)
    assert len(empty) == 0
    assert np.asarray(empty.lookup(np.array([1, 2]), "count")).tolist() == [0, 0]
    index = rtindex.build([1, 2])
    assert len(index.lookup(nothing)) == 0
    assert len(index.range(nothing, nothing, "rows")) == 0
    assert len(index.join(nothing, "left").probe) == 0


@pytest.mark.parametrize("nothing", [
    np.array([], "U3"), np.array([], "S3"), np.array([], object), pd.Series([], dtype=object),
    pd.Series([], dtype="string"), pd.Index([], dtype=object), pa.array([], pa.string()),
    np.ma.MaskedArray([], dtype="U3")], ids=lambda data: f"{type(data).__name__} {data.dtype}"
    if hasattr(data, "dtype") else str(data.type))
def test_empty_columns_of_strings(nothing):
    empty = rtindex.build(nothing)
    assert (empty.type, len(empty)) == ("string", 0)
    assert empty.lookup(np.array(["a"]), "count").tolist() == [0]
    assert empty.lookup("a") is None
    assert len(rtindex.build(["a"]).lookup(nothing)) == 0


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has them")
def test_strings_of_numpy_2():
    kind = np.dtypes.StringDType(na_object=None)
    index = rtindex.build(np.array(["a", None, "b"], kind))
    assert index.lookup(np.array(["b", None, "a"], kind), "rows").to_pylist() == [[2], [], [0]]
    assert rtindex.build(np.array([], kind)).lookup("a") is None
    assert rtindex.build(np.array([None], kind)).type == "string"


def test_object_columns_of_nulls():
    assert rtindex.build(pd.Series([None, None], dtype=object)).lookup(["a"], "count") == 0


def test_empty_batches_of_strings():
    index = rtindex.build(["a"])
    assert len(index.lookup([], "rows")) == 0
    assert len(index.lookup(pa.array([], pa.string()), "count")) == 0
    assert len(index.lookup(pl.Series([], dtype=pl.String))) == 0


def test_float16():
    keys = np.array([1.5, -0.0, np.nan, np.inf, 6e-8], np.float16)
    for index in (rtindex.build(keys), rtindex.build(pa.array(keys))):
        assert index.lookup(keys).tolist() == [0, 1, 2, 3, 4]
        assert index.lookup([1.5, 0.0, 1.50001]).tolist()[:2] == [0, 1]
        assert index.lookup([1.50001], "count").tolist() == [0]
        assert index.nearest([1.6], answer="key").tolist() == [1.5]
    assert rtindex.build([1, 2]).lookup(np.array([2.0], np.float16)).tolist() == [1]
    values = np.array([0.5, 0.25], np.float16)
    assert rtindex.build([1, 1]).lookup([1], "sum", values).tolist() == [0.75]
    big_endian = keys.astype(">f2")
    assert rtindex.build(big_endian).lookup(big_endian[:2]).tolist() == [0, 1]


def test_durations():
    keys = np.array([5, "NaT", -3], "m8[s]")
    index = rtindex.build(keys)
    assert index.lookup(keys, "count").tolist() == [1, 0, 1]
    in_arrow = pa.array([5, None, -3], pa.duration("s"))
    assert rtindex.build(in_arrow).lookup(keys, "count").tolist() == [1, 0, 1]
    assert index.lookup(keys.astype("m8[ms]"), "count").tolist() == [1, 0, 1]
    assert index.lookup(np.array([5001], "m8[ms]"), "count").tolist() == [0]
    masked = np.ma.MaskedArray(keys, mask=[True, False, False])
    assert rtindex.build(masked).lookup(keys, "count").tolist() == [0, 0, 1]


def test_times_of_day():
    column = pa.array([datetime.time(12, 30), None, datetime.time(1)], pa.time64("us"))
    index = rtindex.build(column)
    assert index.lookup(column, "count").to_pylist() == [1, 0, 1]
    seconds = pa.array([5], pa.time32("s"))
    assert rtindex.build(seconds).lookup(seconds).to_pylist() == [0]


def test_decimals():
    prices = [decimal.Decimal("1.50"), None, decimal.Decimal("-7.25"), decimal.Decimal(10) ** 30]
    column = pa.array(prices, pa.decimal128(38, 2))
    for chunked in (column, pa.chunked_array([column[:1], column[1:]])):
        index = rtindex.build(chunked)
        assert index.lookup(column, "count").to_pylist() == [1, 0, 1, 1]
        assert index.range(column[2:3], column[:1], "count").to_pylist() == [2]
    finer = pa.array([decimal.Decimal("1.500"), decimal.Decimal("1.501")], pa.decimal128(20, 3))
    assert index.lookup(finer, "count").to_pylist() == [1, 0]
    assert index.range(finer, None, "count").to_pylist() == [2, 1]


def test_uuids():
    keys = [uuid.UUID(int=number).bytes for number in (7, 1 << 127, 7 << 64)]
    column = pa.array(keys, pa.binary(16))
    index = rtindex.build(column)
    assert index.lookup(column).to_pylist() == [0, 1, 2]
    assert index.range(column[:1], column[2:], "count").to_pylist() == [2]


def test_dictionaries():
    words = pa.array(["b", "a", None, "b"]).dictionary_encode()
    index = rtindex.build(words)
    assert index.lookup(["a", "b", "c"], "count").tolist() == [1, 2, 0]
    assert index.lookup(words, "count").to_pylist() == [2, 1, 0, 2]
    assert rtindex.build(["b", "a"]).lookup(words).to_pylist() == [0, 1, None, 0]
    categories = pd.Series(["b", "a", "b"], dtype="category")
    assert rtindex.build(categories).lookup(["b"], "count").tolist() == [2]
