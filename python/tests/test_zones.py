"""Time zones, units, ISO texts and durations of lookups."""

from __future__ import annotations

import datetime
import itertools
import random
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import listed

import rtindex

NOON = datetime.datetime(2024, 2, 29, 12)
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
AWARE = NOON.replace(tzinfo=BERLIN)
NAIVE_KEYS = [NOON, pd.Timestamp(NOON), np.datetime64(NOON), "2024-02-29 12:00", NOON.date(), [NOON],
              np.array([NOON], "M8[s]"), pd.Series([NOON]), pl.Series([NOON]), pa.array([NOON]),
              pa.array([NOON.date()]), np.array(["2024-02-29"]), np.array([NOON], object)]
AWARE_KEYS = [AWARE, pd.Timestamp(AWARE), "2024-02-29T12:00:00Z", "2024-02-29 12:00+01:00", [AWARE],
              pd.Series([AWARE]), pl.Series([NOON]).dt.replace_time_zone("UTC"),
              pa.array([NOON], pa.timestamp("us", "UTC")), np.array([AWARE], object)]


def calls(index, key):
    yield lambda: index.lookup(key)
    yield lambda: index.range(key, None)
    yield lambda: index.range(None, key, ends="()")
    yield lambda: index.nearest(key)
    yield lambda: index.rank(key)
    yield lambda: index.join(key)
    yield lambda: index.insert(key)
    yield lambda: index.update([0], key)
    yield lambda: index.erase_keys(key)


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_naive_and_zoned_times_do_not_mix(unit):
    naive = rtindex.build(np.array([NOON], f"M8[{unit}]"))
    zoned = rtindex.build(pa.array([NOON], pa.timestamp(unit, "Europe/Berlin")))
    for index, keys, sentence in ((naive, AWARE_KEYS, "time zone .*, and the column has none"),
                                  (zoned, NAIVE_KEYS, "has no time zone, and the column has Europe")):
        for key in keys:
            for call in calls(index, key):
                with pytest.raises(rtindex.InvalidArgumentError, match=sentence):
                    call()
    assert len(naive) == len(zoned) == 1
    for index, keys in ((naive, NAIVE_KEYS), (zoned, AWARE_KEYS)):
        for key in keys:
            index.lookup(key)
            index.range(key, None)


def test_advice_about_zones_means_one_instant():
    """Removing a zone keeps the instant in pandas, and the wall time in polars."""
    naive = rtindex.build([NOON])
    zoned = rtindex.build([AWARE])
    for index, key in ((naive, AWARE), (zoned, NOON)):
        with pytest.raises(rtindex.InvalidArgumentError) as error:
            index.lookup(key)
        assert all(f"{name}ZONE)" in str(error.value) for name in (
            ".dt.tz_localize(", ".dt.replace_time_zone(", "datetime.replace(tzinfo="))
        assert "(None)" not in str(error.value)


def test_parts_of_composites_have_zones():
    index = rtindex.build(pd.DataFrame({"item": [1], "time": pd.Series([AWARE])}))
    assert index.lookup((1, AWARE)) == 0
    assert index.nearest((1, AWARE), "key")[1].tzinfo == BERLIN
    for key in ((1, NOON), [(1, NOON)], (np.array([1]), np.array([NOON], "M8[us]")),
                pl.DataFrame({"item": [1], "time": [NOON]})):
        with pytest.raises(rtindex.Error, match="no time zone, and the column has Europe/Berlin"):
            index.lookup(key)


ZONED = pd.Series(pd.to_datetime(["2024-02-29 12:00"]).tz_localize("Asia/Tokyo"))


@pytest.mark.parametrize("column", [
    ZONED.astype("category"),
    pd.Series(pd.Categorical(pd.Index([ZONED[0].to_pydatetime()], dtype=object))),
    pa.array(ZONED).dictionary_encode(), pd.Series(pd.arrays.ArrowExtensionArray(pa.array(ZONED).dictionary_encode())),
])
def test_categories_and_dictionaries_have_zones(column):
    time = ZONED[0].to_pydatetime()
    index = rtindex.build(column)
    assert index.min() == time and index.min().tzinfo is not None and index.lookup(time) == 0
    assert listed(rtindex.build(ZONED).lookup(column)) == [0]
    with pytest.raises(rtindex.Error, match="has no time zone"):
        index.lookup(datetime.datetime(2024, 2, 29, 12))
    assert rtindex.build(([1], column)).lookup((1, time)) == 0
    assert rtindex.build(rtindex.points(a=column, b=[1])).filter({"a": time}) == 0
    assert rtindex.build(rtindex.intervals(column, column, ends="[]")).contains(time) == 0
    assert rtindex.build([7]).lookup(7, "min", column) == rtindex.build([7], include=column).lookup(7, "min") == time


def test_lists_mix_no_zones():
    for call in (rtindex.build, rtindex.build([NOON]).lookup):
        with pytest.raises(rtindex.Error, match=r"mixes times without a zone \(element 1\)"):
            call([AWARE, NOON])
    both = rtindex.build([AWARE, AWARE.astimezone(datetime.timezone.utc), None])
    assert both.lookup(AWARE, "count") == 2
    assert both.nearest(AWARE, "key").tzinfo == datetime.timezone.utc


@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_scalars_keep_the_zone(tmp_path, unit):
    index = rtindex.build(pd.Series([AWARE]).dt.as_unit(unit), include=pd.Series([AWARE]))
    index.save(tmp_path / "zoned.rtindex")
    for each in (index, rtindex.load(tmp_path / "zoned.rtindex"), index.snapshot()):
        for found in (each.nearest(AWARE, "key"), each.lookup(AWARE, "min"),
                      each.lookup(AWARE, "max", pd.Series([AWARE]))):
            assert found == AWARE and str(found.tzinfo) == "Europe/Berlin"
    assert str(index.nearest(pd.Series([AWARE]), "key").dt.tz) == "Europe/Berlin"


UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def holders(ticks, unit):
    """The times in every kind of object that has the unit."""
    array = np.array(ticks, f"M8[{unit}]")
    yield array
    yield pd.Series(array)
    yield pa.array(array)
    if unit != "s":
        yield pl.Series(array)


@pytest.mark.parametrize(("own", "other"), itertools.permutations(UNITS, 2))
def test_units_convert_exactly(own, other):
    """Every comparison of times in two units is that of their nanoseconds."""
    rng = random.Random(f"{own}{other}")
    column = [rng.randrange(-5, 6) for _ in range(8)]
    keys = [rng.randrange(-5 * UNITS[own], 5 * UNITS[own]) // UNITS[other] for _ in range(12)]
    keys += [tick * UNITS[own] // UNITS[other] for tick in column]
    for index in (rtindex.build(np.array(column, f"M8[{own}]")),
                  rtindex.build(pa.array(column, pa.timestamp(own)))):
        nanos = [tick * UNITS[own] for tick in column]
        wanted = [key * UNITS[other] for key in keys]
        for data in holders(keys, other):
            assert listed(index.lookup(data, "count")) == [nanos.count(key) for key in wanted]
            for ends in ("[]", "[)", "(]", "()"):
                above = [sum(n > key or n == key and ends[0] == "[" for n in nanos) for key in wanted]
                below = [sum(n < key or n == key and ends[1] == "]" for n in nanos) for key in wanted]
                assert listed(index.range(data, None, "count", ends=ends)) == above
                assert listed(index.range(None, data, "count", ends=ends)) == below
            assert listed(index.rank(data)) == [sum(n < key for n in nanos) for key in wanted]
            for exact in (True, False):
                before = [max((n for n in nanos if n < key or exact and n == key), default=None)
                          for key in wanted]
                rows = listed(index.nearest(data, "any", exact=exact))
                assert [None if row is None else nanos[row] for row in rows] == before
                after = [min((n for n in nanos if n > key or exact and n == key), default=None)
                         for key in wanted]
                rows = listed(index.nearest(data, "any", direction="forward", exact=exact))
                assert [None if row is None else nanos[row] for row in rows] == after


def test_keys_between_ticks_are_not_stored():
    index = rtindex.build(np.array([NOON], "M8[s]"))
    finer = np.array(["2024-02-29T12:00:01", "2024-02-29T12:00:01.5"], "M8[ms]")
    for call in (lambda: index.insert(finer), lambda: index.update([0], finer[1:]),
                 lambda: index.insert(pl.Series(finer))):
        with pytest.raises(rtindex.Error, match=r"12:00:01.500 \(element \d\) falls between"):
            call()
    assert index.insert(finer[:1]) == 1
    with pytest.raises(rtindex.Error, match="distance from it is no whole number of ticks"):
        index.nearest(finer[1:], direction="nearest")


def test_texts_of_pandas_are_instants():
    days = np.arange("2024-01-01", "2024-01-05", dtype="M8[D]")
    texts = ["2024-01-02", None, "2024-01-04", "2024-01-09"]
    for dtype in (object, "string"):
        index = rtindex.build(days, "sorted@cpu")
        found = index.lookup(pd.Series(texts, dtype=dtype), "count")
        assert found.tolist() == [1, 0, 1, 0]
        with pytest.raises(rtindex.InvalidArgumentError, match="invalid time 'soon'"):
            index.lookup(pd.Series(["soon"], dtype=dtype))


def test_texts_are_instants():
    index = rtindex.build(np.array(["2024-02-29", "2024-02-29T12", "2024-03-01"], "M8[us]"))
    assert index.lookup(["2024-02-29", "2024-02-29 12:00:00.000000", "2024-03"]).tolist() == [0, 1, 2]
    assert index.range("2024-02-29", "2024-02-29", "count") == 1  # its midnight, not the day
    assert index.range("2024-02-29", datetime.date(2024, 3, 1), "count", ends="[)") == 2
    assert index.lookup(np.array(["2024-02-29"])).tolist() == [0]
    assert "2024-02-29T12:00" in index
    for text in ("now", "NaT", "yesterday", "29.2.2024", "2024-02-30", ""):
        with pytest.raises(rtindex.Error, match="invalid time .* \\(element 0\\)"):
            index.lookup(text)
    for text in ("20240229", "20240", "+2024-02-29", "2024T12"):  # numpy reads years
        with pytest.raises(rtindex.Error, match="invalid time .* expected ISO 8601, such as"):
            index.lookup(text)
    assert index.lookup("2024", "count") == index.lookup("12024-02-29", "count") == 0
    days = rtindex.build(pa.array([datetime.date(2024, 2, 29)]))
    assert days.lookup("2024-02-29") == 0 and days.lookup("2024-02-29T12") is None
    assert days.lookup(NOON) is None and days.range(None, NOON, "count") == 1


@pytest.mark.parametrize("tolerance", ["5s", "5000ms", "5 seconds", "0.0833334m", " 5s ",
                                       datetime.timedelta(seconds=5), np.timedelta64(5, "s")])
def test_tolerances(tolerance):
    index = rtindex.build(np.array([NOON], "M8[ms]"))
    times = np.array([NOON], "M8[ms]") + np.array([5000, 5001], "m8[ms]")
    assert index.nearest(times, "count", tolerance=tolerance).tolist() == [1, 0]
    for wrong in ("5", "s", "5 parsecs", "", "-5s"):
        with pytest.raises(rtindex.Error, match='invalid tolerance=.* such as "5s"'):
            index.nearest(times, tolerance=wrong)
