"""Answers that are times: min and max over dates, timestamps and durations, sums of durations."""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Any, NamedTuple

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._lists import Array, cast_and_lost, cast_times, times_of, zone_name
from ._units import LENGTHS

# The units of pandas and Arrow; answers in other units are converted where no tick is lost.
_COMMON_UNITS = ("s", "ms", "us", "ns")


class TimeType(NamedTuple):
    """The type of a column of dates, timestamps or durations."""

    unit: str
    """Of NumPy's datetime64 or timedelta64; "D" for dates."""
    zone: str = ""
    """The time zone that pandas, polars and Arrow show; the ticks are UTC."""
    is_duration: bool = False

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"{'m' if self.is_duration else 'M'}8[{self.unit}]")

    def has(self, answer: str) -> bool:
        """Whether such an answer is of this type."""
        return answer in ("min", "max") or answer == "sum" and self.is_duration

    def text(self) -> str:
        """As an index stores it with included values."""
        return f"{self.unit} {self.zone}".strip()

    @staticmethod
    def from_text(text: str) -> TimeType | None:
        unit, _, zone = text.partition(" ")
        return TimeType(unit, zone) if unit else None


def time_type(column: Column, data: Any) -> TimeType | None:
    """The type of `data`, which was read as `column`; None if it holds no times."""
    if column.type == "date32":
        return TimeType("D")
    if column.type not in ("timestamp64", "duration64") or not column.unit:
        return None
    if column.type == "duration64":
        return TimeType(column.unit, is_duration=True)
    return TimeType(column.unit, zone_of(data))


def ticks_of(time: Any, kind: TimeType) -> Any:
    """A date, datetime or datetime64, or a duration, as a tick; anything else unchanged."""
    if kind.is_duration and isinstance(time, (datetime.timedelta, np.timedelta64)):
        duration = np.array([time], "m8")
        ticks, lost = cast_and_lost(duration, kind.dtype)
        if lost.any():
            raise InvalidArgumentError(f"the duration {time} falls between two ticks of the values' "
                                       f"{kind.dtype}: round it to that unit")
        return int(ticks.view(np.int64)[0])
    if kind.is_duration or not isinstance(time, (datetime.date, np.datetime64)):
        return time
    array, zone = times_of([time])
    if bool(zone) != bool(kind.zone) and not np.isnat(array[0]):
        raise InvalidArgumentError(f"the time {time} has {'a' if zone else 'no'} time zone, and the "
                                   f"values have {kind.zone or 'none'}: pass one "
                                   f"{'without a' if zone else 'with its'} zone")
    cast = cast_times(array, kind.unit)
    if cast is None:
        raise InvalidArgumentError(f"the time {time} falls between two ticks of the values' "
                                   f"{kind.dtype}: round it to that unit")
    return int(cast.view(np.int64)[0])


def is_times(data: Any) -> bool:
    """Whether this is a NumPy array of times."""
    return isinstance(data, np.ndarray) and data.dtype.kind == "M"


def in_common_unit(times: Array) -> Array:
    """Times or durations in a unit of pandas and Arrow; integers if none is fine enough."""
    is_duration = times.dtype.kind == "m"
    for unit in _COMMON_UNITS:
        wanted = np.dtype(f"{times.dtype.kind}8[{unit}]")
        if times.dtype == wanted:
            return times
        if np.can_cast(times.dtype, wanted):
            cast, lost = cast_and_lost(times, wanted)
            if lost.any():
                limit = "long for the durations" if is_duration else "far from 1970 for the times"
                raise InvalidArgumentError(
                    f"the answer {times[lost][0]} is too {limit} of pandas and Arrow: pass the "
                    "lookups as a NumPy array")
            return cast
    return times.view(np.int64)


def time_of_day(tick: int, unit: str) -> Any:
    """An object of Python; the tick where these are too coarse."""
    micro, rest = divmod(tick * LENGTHS[unit], LENGTHS["us"])
    midnight = datetime.datetime.min
    return tick if rest else (midnight + datetime.timedelta(microseconds=micro)).time()


def zone_of(data: Any) -> str:
    kind = getattr(data, "type", None) or getattr(data, "dtype", None)
    categories = getattr(kind, "categories", None)
    if hasattr(categories, "dtype"):
        return zone_of_keys(categories)
    kind = getattr(kind, "pyarrow_dtype", kind)
    kind = getattr(kind, "value_type", kind)  # of a dictionary
    zone = getattr(kind, "tz", None) or getattr(kind, "time_zone", None) or ""
    return zone if isinstance(zone, str) else zone_name(zone)


def zone_of_keys(data: Any) -> str:
    """The time zone of a column of any kind; empty where it has none."""
    if isinstance(data, (list, tuple)) or getattr(data, "dtype", None) == object:
        if any(getattr(item, "tzinfo", None) is not None for item in data):
            return times_of([*data])[1]
        return ""
    return zone_of(data)


def with_zone(time: Any, zone: str) -> Any:
    """A time in UTC as one in a zone: a datetime, or a Timestamp of pandas where Python's are not
    fine enough."""
    if not zone or time is None:
        return time
    if isinstance(time, datetime.datetime):
        return time.replace(tzinfo=datetime.timezone.utc).astimezone(tzinfo_of(zone))
    try:
        import pandas
    except ImportError:
        return time
    return pandas.Timestamp(time).tz_localize("UTC").tz_convert(tzinfo_of(zone))


def tzinfo_of(zone: str) -> datetime.tzinfo:
    """The zone of that name, or with that offset; UTC if Python has no such zone."""
    if zone[:1] in ("+", "-"):
        hours, _, minutes = zone[1:].partition(":")
        offset = datetime.timedelta(hours=int(hours), minutes=int(minutes or 0))
        return datetime.timezone(-offset if zone[0] == "-" else offset)
    try:
        return datetime.timezone.utc if zone == "UTC" else zoneinfo.ZoneInfo(zone)
    except (KeyError, OSError, ValueError):
        return datetime.timezone.utc
