"""Starts and ends of intervals whose types differ."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex


def test_whole_numbers_that_pandas_holds_as_floats():
    starts = pd.Series([1, 5, 2**53 + 1])
    ends = pd.Series([4, np.nan, 2**53])
    index = rtindex.build(rtindex.intervals(starts[:2], ends[:2], ends="[]"))
    assert index.contains([4, 5], "count").tolist() == [1, 0]
    index = rtindex.build(rtindex.intervals(ends[:2], pd.Series([9, 9]), ends="[)"))
    assert index.contains([8], "rows")[0].tolist() == [0]
    assert index.contains(8.5, "count") == 1


@pytest.mark.parametrize("ends", [[4, np.nan, 6.5], [4, np.nan, 2.0**54], [4, 5, 6.0]])
def test_other_floats_are_rejected_beside_integers(ends):
    with pytest.raises(rtindex.InvalidArgumentError, match="int64 values and end with float64"):
        rtindex.build(rtindex.intervals(pd.Series([1, 2, 3]), pd.Series(ends), ends="[]"))
    with pytest.raises(rtindex.InvalidArgumentError, match="int64 values and end with float64"):
        rtindex.build(rtindex.intervals(np.array([1, 2, 3]), np.array(ends), ends="[]"))


@pytest.mark.parametrize("of", [list, lambda items: pa.array(items, pa.decimal128(20, 3))])
def test_decimals_of_two_scales(of):
    starts = [Decimal("1.5"), Decimal("2.2"), None]
    ends = of([Decimal("1.755"), Decimal("3.125"), Decimal("4.125")])
    index = rtindex.build(rtindex.intervals(starts, ends, ends="[]"))
    keys = [Decimal("1.755"), Decimal("1.7551"), Decimal("3.125"), Decimal("4")]
    assert index.contains(keys, "count").tolist() == [1, 0, 1, 0]
    assert index.contains(3, "any") == 1
    index.insert(rtindex.intervals([Decimal("4")], [Decimal("4.5")], ends="[]"))
    assert index.contains(Decimal("4"), "any") == 3


def test_dictionaries_of_another_integer_type():
    codes = pa.array([0, None, 1], pa.int8())
    starts = pa.DictionaryArray.from_arrays(codes, pa.array([1, 5], pa.int32()))
    index = rtindex.build(rtindex.intervals(starts, np.array([4, 9, 9]), ends="[]"))
    assert index.contains([1, 4, 5, 9], "count").tolist() == [1, 1, 1, 1]
    assert index.nulls().tolist() == [1]


@pytest.mark.parametrize("starts, ends", [("1e25", "1.1234567890123456"),
                                          ("1.5", "1.12345678901234567890123")])
def test_decimals_too_far_apart(starts, ends):
    with pytest.raises(rtindex.InvalidArgumentError, match="do not fit 38 digits"):
        rtindex.build(rtindex.intervals([Decimal(starts)], [Decimal(ends)], ends="[]"))


def test_neighbours_of_times_between_two_ticks():
    days = np.array(["2024-01-01", "2024-02-01"], "M8[D]")
    index = rtindex.build(rtindex.intervals(days, days + 9, ends="[]"))
    for direction in ("nearest", "backward", "forward"):
        with pytest.raises(rtindex.InvalidArgumentError, match="build the intervals in the finer"):
            index.nearest(np.datetime64("2024-01-15T12"), direction=direction)
    with pytest.raises(rtindex.UnsupportedError, match="intervals, which have no order"):
        index.rank(days)


def column(library, times, unit="us"):
    """Times of 2024 in January, by day; None is a null."""
    known = [None if day is None else datetime.datetime(2024, 1, day) for day in times]
    if library == "polars":
        return pl.Series(known, dtype=pl.Datetime("us")).cast(pl.Date if unit == "D" else pl.Datetime(unit))
    array = pa.array(known, pa.timestamp("us")).cast(pa.date32() if unit == "D" else pa.timestamp(unit))
    if library == "chunked":
        return pa.chunked_array([array[:1], array[1:]])
    return pd.Series(array, dtype=pd.ArrowDtype(array.type)) if library == "pandas" else array


@pytest.mark.parametrize("library", ["polars", "pyarrow", "chunked", "pandas"])
@pytest.mark.parametrize("units", [("us", "ms"), ("ms", "us"), ("D", "ms"), ("us", "D")])
def test_arrow_times_of_two_units(library, units):
    starts, ends = (column(library, days, unit) for days, unit in zip(([1, 5], [4, None]), units))
    index = rtindex.build(rtindex.intervals(starts, ends, ends="[)"))
    assert index.time_unit.split(",")[0] == max(units, key=["D", "ms", "us"].index)
    assert index.contains(np.array(["2024-01-03", "2024-01-04"], "M8[us]"), "count").tolist() == [1, 0]
    index.insert(rtindex.intervals(ends, ends, ends="[)"))
    assert index.nulls().tolist() == [1, 3]


def test_durations_and_times_of_day_of_two_units():
    starts = column("polars", [1, 2]) - datetime.datetime(2024, 1, 1)
    ends = starts.cast(pl.Duration("ms")) + datetime.timedelta(hours=1)
    index = rtindex.build(rtindex.intervals(starts, ends, ends="[)"))
    assert index.contains(starts, "count").to_list() == [1, 1]
    hours = pa.array([datetime.time(1)]), pa.array([datetime.time(2)], pa.time32("s"))
    index = rtindex.build(rtindex.intervals(*hours, ends="[)"))
    assert index.contains(datetime.time(1, 30), "count") == 1


@pytest.mark.parametrize("nulls", [
    pl.Series([None, None]), pa.nulls(2), column("polars", [None, None], "ms"), pd.Series([np.nan] * 2),
    pd.Series([pd.NaT] * 2), np.array(["NaT"] * 2, "M8[s]"), [None, None],
    pd.Series([pd.NaT] * 2).dt.tz_localize("UTC"),
])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_a_side_of_nulls_alone(nulls, zone):
    known = column("polars", [1, 2]).dt.replace_time_zone(zone)
    for times in (known, known.to_arrow(), known.to_pandas()):
        for starts, ends in ((times, nulls), (nulls, times)):
            index = rtindex.build(rtindex.intervals(starts, ends, ends="[)"))
            assert index.nulls().tolist() == [0, 1]
            index.insert(rtindex.intervals(times, times, ends="[)"))
            assert len(index) == 4


def test_empty_sides():
    for empty in (pl.Series([], dtype=pl.Null), pd.Series([], dtype=object), pd.Series([], dtype=float)):
        times = column("polars" if isinstance(empty, pl.Series) else "pandas", [])
        for starts, ends in ((times, empty), (empty, times)):
            index = rtindex.build(rtindex.intervals(starts, ends, ends="[]"))
            index.insert(rtindex.intervals(column("polars", [1]), column("polars", [2]), ends="[]"))
            assert index.contains(np.array(["2024-01-02"], "M8[us]"), "count").tolist() == [1]


@pytest.mark.parametrize("texts", [pl.Series(["2024-01-09", None]), pa.array(["2024-01-09", None])])
def test_texts_beside_arrow_times(texts):
    index = rtindex.build(rtindex.intervals(column("polars", [1, 2]), texts, ends="[]"))
    assert index.contains(np.array(["2024-01-09"], "M8[us]"), "rows")[0].tolist() == [0]
    assert index.nulls().tolist() == [1]


def test_sides_of_two_kinds_are_named_as_in_numpy():
    with pytest.raises(rtindex.InvalidArgumentError,
                       match=r"starts of the intervals are datetime64\[us\] and the ends int64: convert"):
        rtindex.build(rtindex.intervals(column("polars", [1]), pl.Series([2]), ends="[]"))
