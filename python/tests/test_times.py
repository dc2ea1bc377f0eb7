"""The smallest and largest of dates and timestamps are dates and timestamps."""

from __future__ import annotations

import datetime
import zoneinfo

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex
from rtindex._columns import column

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)
TIMES = [NOON, NOON + datetime.timedelta(seconds=5), NOON - datetime.timedelta(1)]
BERLIN = pa.array(TIMES, pa.timestamp("us", "Europe/Berlin"))


@pytest.mark.parametrize("kind", [np.array, pa.array, pl.Series, pd.Series])
@pytest.mark.parametrize("values", [
    np.array(TIMES, "M8[ns]"), np.array(TIMES, "M8[s]"), np.array(TIMES, "M8[h]"),
    np.array(TIMES, "M8[D]"), pa.array(TIMES), pa.array([time.date() for time in TIMES]), BERLIN,
    pl.Series(TIMES), pl.Series(TIMES).dt.replace_time_zone("Asia/Tokyo"), pd.Series(TIMES),
    pd.Series(TIMES).dt.tz_localize("Europe/Berlin"),
    pd.Series(TIMES).dt.tz_localize(datetime.timezone(datetime.timedelta(hours=1)))])
def test_smallest_and_largest(tmp_path, kind, values):
    """Given with the call, included and loaded: times of the lookups' kind, in the values' zone."""
    keys = kind([7, 8, 1])
    index = rtindex.build(np.array([7, 7, 1]), "sorted", include=values)
    index.save(tmp_path / "times.rtindex")
    loaded = rtindex.load(tmp_path / "times.rtindex")
    taken = as_times(values)
    for wanted, answer in ((min(taken[:2]), "min"), (max(taken[:2]), "max")):
        for found in (index.lookup(keys, answer, values), index.lookup(keys, answer),
                      loaded.lookup(keys, (answer, "sum"))[answer]):
            assert type(found).__module__ == type(keys).__module__
            assert zone_of(found) == ("" if kind is np.array else zone_of(values))
            times = as_times(found)
            assert np.isnat(times).tolist() == [False, True, False]
            assert times[0] == wanted and times[2] == taken[2]


def as_times(data) -> np.ndarray:
    """In microseconds of UTC, whatever kind holds them."""
    if isinstance(data, pd.Series):
        data = data.dt.tz_convert(None) if zone_of(data) else data
    elif isinstance(data, pl.Series):
        data = data.to_arrow()
    if isinstance(data, pa.Array):
        data = data.cast(pa.timestamp("us", getattr(data.type, "tz", None))).cast(pa.int64())
        return data.fill_null(-2**63).to_numpy().view("M8[us]")
    return np.asarray(data).astype("M8[us]")


def zone_of(data) -> str:
    kind = data.type if isinstance(data, pa.Array) else data.dtype
    zone = str(getattr(kind, "tz", None) or getattr(kind, "time_zone", None) or "")
    return {"UTC+01:00": "+01:00", "Etc/GMT-1": "+01:00"}.get(zone, zone)  # pandas' and polars'


class Offset(datetime.tzinfo):
    """As pytz.FixedOffset: its name is no zone's."""

    def __init__(self, minutes):
        self.minutes = minutes

    def __str__(self):
        return f"pytz.FixedOffset({self.minutes})"

    def utcoffset(self, time):
        return datetime.timedelta(minutes=self.minutes)

    def dst(self, time):
        return datetime.timedelta()

    def tzname(self, time):
        return None


class Seasonal(Offset):
    """Has no offset without a time."""

    def utcoffset(self, time):
        return datetime.timedelta(hours=time.month // 6)


def fixed(hours, *name):
    return datetime.timezone(datetime.timedelta(hours=hours), *name)


@pytest.mark.parametrize("kind", [pa.array, pl.Series, pd.Series])
@pytest.mark.parametrize(("zone", "wanted"), [
    (fixed(5.5), "+05:30"), (fixed(-3.5, "Newfoundland"), "-03:30"),
    (fixed(1, "Europe/London"), "+01:00"), (fixed(0, "Asia/Tokyo"), "UTC"),
    (datetime.timezone.utc, "UTC"), (fixed(1 / 3600), "UTC"), (Offset(60), "+01:00"),
    (Offset(-570), "-09:30"), (Offset(0), "UTC"), (Seasonal(0), "UTC"),
    (zoneinfo.ZoneInfo("Europe/Berlin"), "Europe/Berlin"), ("dateutil/Europe/Berlin", "UTC"),
    ("dateutil/UTC", "UTC")])
def test_zones_of_pandas(kind, zone, wanted):
    """The same times, in a zone that Arrow and pandas know, and polars where it can."""
    values = pd.Series(np.array(TIMES, "M8[us]")).dt.tz_localize("UTC").dt.tz_convert(zone)
    index = rtindex.build(np.array([7, 7, 1]), include=values)
    for found in (index.lookup(kind([7, 1]), "max"), index.lookup(kind([7, 1]), "max", values)):
        assert as_times(found).tolist() == TIMES[1:]
        assert index._core.included[0][2] == f"us {wanted}"
        if kind is pa.array:
            assert found.type == pa.timestamp("us", wanted)
        elif kind is pl.Series:
            assert zone_of(found) == ("UTC" if wanted.endswith(":30") else wanted)


def test_zones_of_pytz():
    pytz = pytest.importorskip("pytz")
    for zone, wanted in ((pytz.FixedOffset(-90), "-01:30"), (pytz.utc, "UTC"),
                         (pytz.timezone("Europe/Berlin"), "Europe/Berlin")):
        values = pd.Series(np.array(TIMES, "M8[us]")).dt.tz_localize("UTC").dt.tz_convert(zone)
        index = rtindex.build(np.array([7, 7, 1]))
        assert index.lookup(pa.array([7]), "max", values).type == pa.timestamp("us", wanted)


def test_types_of_smallest_times():
    index = rtindex.build(np.array([7, 7, 1]))
    nanos, days = np.array(TIMES, "M8[ns]"), np.array(TIMES, "M8[D]")
    assert index.lookup([7], "min", nanos).dtype == nanos.dtype
    assert index.lookup(pa.array([7]), "min", BERLIN).type == BERLIN.type
    assert index.lookup(pa.array([7]), "min", days).type == pa.date32()
    assert index.lookup(pl.Series([7]), "max", pl.Series(TIMES)).dtype == pl.Datetime("us")
    assert index.lookup(pd.Series([7]), "max", days).dtype == "datetime64[s]"
    assert index.lookup(7, "max", np.array(TIMES, "M8[us]")) == TIMES[1]
    assert index.lookup(7, "max", days) == DAY
    assert index.lookup(8, "max", days) is None
    assert index.lookup(7, "max", nanos) == nanos[1]
    assert index.lookup([7], "sum", days).dtype == np.int64


def test_times_finer_than_a_kind_knows():
    index = rtindex.build(np.array([7, 7, 1]))
    picos = np.array([5, 6, 7], "M8[ps]")
    assert index.lookup([7, 8], "max", picos).tolist() == picos[[1]].tolist() + [None]
    assert index.lookup(pa.array([7, 8]), "max", picos).to_pylist() == [6, None]
    assert index.lookup(pl.Series([7, 8]), "max", picos).to_list() == [6, None]
    assert index.lookup(pd.Series([7, 8]), "max", picos).tolist() == [6, pd.NA]
    weeks = np.array([5, 6, 7], "M8[W]")
    assert index.lookup(pd.Series([7]), "max", weeks)[0] == pd.Timestamp(weeks[1])
    assert index.lookup(pa.array([7]), "max", weeks).type == pa.timestamp("s")


def test_misses_and_arrays_of_times():
    index = rtindex.build(np.array([7, 7, 1]))
    times = np.array(TIMES, "M8[us]")
    out = np.empty(2, "M8[us]")
    assert index.lookup([7, 8], "max", times, miss=NOON, out=out) is out
    assert out.tolist() == [TIMES[1], NOON]
    assert index.lookup(pa.array([8]), "min", times, miss=DAY).to_pylist() == [
        datetime.datetime(2024, 2, 29)]
    with pytest.raises(rtindex.Error, match=r"2 datetime64\[us\]"):
        index.lookup([7, 8], "max", times, out=np.empty(2, np.int64))


FAR = datetime.datetime(9999, 12, 31)


@pytest.mark.parametrize(("far", "equal", "later"), [
    (FAR, [0], [0]), ([NOON, FAR], [1, 0], [1, 0]), (np.datetime64("9999-12-31"), [0], [0]),
    (np.array([NOON, FAR], "M8[us]"), [1, 0], [1, 0]), (np.array([FAR, "NaT"], "M8[D]"), [0, 0], [0, 0]),
    (np.array([FAR], ">M8[s]"), [0], [0]), (pd.Series([FAR]).astype("M8[us]"), [0], [0]),
    (np.array([-300], "M8[Y]"), [0], [1])])
def test_times_too_far_for_the_column(far, equal, later):
    """They match nothing, are clamped as ends of ranges, and cannot be stored."""
    index = rtindex.build(np.array([NOON], "M8[ns]"))
    assert np.atleast_1d(index.lookup(far, "count")).tolist() == equal
    assert np.atleast_1d(index.range(far, None, "count")).tolist() == later
    with pytest.raises(rtindex.Error, match=r"(9999|1670).* is too far from 1970 .*: remove it"):
        index.insert(far)
    assert len(index) == 1


def test_times_that_no_unit_holds_together():
    for call in (rtindex.build, rtindex.build(np.array([NOON], "M8[ns]")).lookup):
        with pytest.raises(rtindex.Error, match="9999.* is too far"):
            call([pd.Timestamp(5).as_unit("ns"), FAR])


def test_times_at_the_ends_of_a_unit():
    ends = np.array([-2**63 + 1, 2**63 - 1], "M8[ns]")
    index = rtindex.build(ends)
    whole = np.array([1 - 2**63 // 1000, 2**63 // 1000], "M8[us]")
    assert index.lookup(np.append(whole, np.datetime64("NaT", "us")), "count").tolist() == [0, 0, 0]
    assert index.range(whole[:1], whole[1:], "count").tolist() == [0]
    assert index.range(ends[:1], ends[1:], "count").tolist() == [2]
    assert index.lookup([None, ends[1]]).tolist() == [rtindex.MISS, 1]


def test_misses_that_the_values_cannot_hold():
    index = rtindex.build(np.array([7, 7, 1]))
    days, nanos = np.array(TIMES, "M8[D]"), np.array(TIMES, "M8[ns]")
    for values in (days, pa.array(TIMES).cast(pa.date32())):
        with pytest.raises(rtindex.Error, match=r"12:00:00 falls between .* datetime64\[D\]"):
            index.lookup([8], "max", values, miss=NOON)
        midnight = datetime.datetime(2024, 2, 29)
        assert index.lookup([8], "max", values, miss=midnight).tolist() == [DAY]
    with pytest.raises(rtindex.Error, match=r"9999-12-31.* too far .* datetime64\[ns\]"):
        index.lookup([8], "max", nanos, miss=FAR)
    assert np.isnat(index.lookup([8], "max", nanos, miss=np.datetime64("NaT", "ns")))


@pytest.mark.parametrize("kind", [pa.array, pl.Series])
def test_days_beyond_the_dates_of_arrow(kind):
    index = rtindex.build(np.array([7, 7, 1]))
    days = np.array([5, 2**31, -2**31], "M8[D]")
    for answer in ("max", ("min", "max")):
        with pytest.raises(rtindex.Error, match=r'too far from 1970 .*"datetime64\[s\]"'):
            index.lookup(kind([7, 8]), answer, days)
    assert as_ticks(index.lookup(kind([7, 8]), "min", days)) == [5, None]
    assert as_ticks(index.lookup(kind([1]), "min", days)) == [-2**31]
    assert index.lookup(np.array([7]), "max", days) == days[1]
    assert index.lookup(pa.array([7]), "max", days.astype("M8[s]")).cast(pa.int64()).to_pylist() == [
        2**31 * 86400]


def as_ticks(dates) -> list[int | None]:
    """Python's own dates end with the year 9999."""
    array = dates if isinstance(dates, pa.Array) else dates.to_arrow()
    assert array.type == pa.date32()
    return array.cast(pa.int32()).to_pylist()


@pytest.mark.parametrize(("ticks", "unit"), [
    (2**61, "h"), (-2**61, "h"), (2**62, "D"), (2**61, "m"), (2**58, "W"), (2**61, "Y")])
@pytest.mark.parametrize("kind", [pa.array, pl.Series, pd.Series])
def test_times_beyond_those_of_a_kind(kind, ticks, unit):
    index = rtindex.build(np.array([7, 7, 1]))
    times = np.array([5, ticks, 5], f"M8[{unit}]")
    answer = "max" if ticks > 0 else "min"
    assert index.lookup([7], answer, times) == times[1]
    assert index.lookup(7, answer, times) == times[1]
    with pytest.raises(rtindex.Error, match="too far from 1970 for .* NumPy array"):
        index.lookup(kind([7, 8]), answer, times)
    near = index.lookup(kind([1, 8]), answer, times)
    assert as_times(near)[0] == times[0] and np.isnat(as_times(near)[1])


def test_zones_that_nobody_knows():
    """The same times in UTC."""
    values = pa.array(TIMES, pa.timestamp("us", "Mars/Phobos"))
    index = rtindex.build(np.array([7, 7, 1]), include=values)
    for found in (index.lookup(pd.Series([7, 1]), "max"),
                  index.lookup(pl.Series([7, 1]), "max", values)):
        assert zone_of(found) == "UTC"
        assert as_times(found).tolist() == TIMES[1:]


@pytest.mark.parametrize("unit", ["D", "us"])
def test_a_miss_that_is_no_time_is_a_null(unit):
    index = rtindex.build(np.array([7, 7, 1]))
    found = index.lookup(pa.array([8, 1]), "max", np.array([5, 6, 7], f"M8[{unit}]"),
                         miss=np.datetime64("NaT", unit))
    assert found.is_valid().to_pylist() == [False, True]


def test_misses_of_lookups_on_a_gpu(monkeypatch):
    """The call to the GPU is told ticks, as every other."""
    index = rtindex.build(np.array([7, 7, 1]))
    keys = rtindex._core.Column.device("int64", 4096, 2, object())
    monkeypatch.setattr("rtindex._lookups.column_of",
                        lambda data, like=None: data if data is keys else column(data, like))
    monkeypatch.setattr("rtindex._calls.answer_on_device", lambda *arguments: arguments[-2])
    times = np.array(TIMES, "M8[us]")
    assert index.lookup(keys, "max", times, miss=NOON) == int(times[:1].view(np.int64)[0])
    assert index.lookup(keys, "max", np.array(TIMES, "M8[D]"), miss=DAY) == 19782
    assert index.lookup(keys, "sum", np.array([1, 2, 3]), miss=4) == 4
    assert index.lookup(keys, "max", times) is None
    with pytest.raises(rtindex.Error, match="between two ticks"):
        index.lookup(keys, "max", np.array(TIMES, "M8[D]"), miss=NOON)


def test_included_dates_of_cpp(tmp_path):
    """C++ writes no unit beside included values: dates need none."""
    values = column(pa.array(TIMES).cast(pa.date32()))
    core = rtindex._core.build(column(np.array([7, 7, 1])), "sorted", [("", values)], [""], 0)
    core.save(str(tmp_path / "dates.rtindex"))
    index = rtindex.load(tmp_path / "dates.rtindex")
    assert index.lookup(7, "max") == DAY
    assert index.lookup(pa.array([7, 8]), "min").to_pylist() == [DAY, None]
    assert index.lookup([7], "sum").dtype == np.int64


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_included_times_of_day_are_ticks_as_values_are(unit):
    days = pa.array([datetime.time(23), datetime.time(1)], pa.time64(unit))
    index = rtindex.build(np.array([1, 1]), include=days)
    tick = 3600 * (10**6 if unit == "us" else 10**9)
    for keys in ([1], np.array([1]), 1, pl.Series([1]), pa.array([1]), pd.Series([1])):
        for answer, wanted in (("min", tick), ("max", 23 * tick)):
            found, given = index.lookup(keys, answer), index.lookup(keys, answer, days)
            assert type(found) is type(given) and str(found) == str(given)
            assert (found if isinstance(found, int) else np.asarray(found).tolist()[0]) == wanted
