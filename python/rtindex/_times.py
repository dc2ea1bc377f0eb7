"""Answers that are times: min and max over dates and timestamps."""

from __future__ import annotations

import datetime
import zoneinfo
from typing import Any, NamedTuple

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._lists import Array, cast_and_lost, cast_times, plain_array

# The units of pandas and Arrow; answers in other units are converted where no tick is lost.
_COMMON_UNITS = ("s", "ms", "us", "ns")


class TimeType(NamedTuple):
    """The type of a column of dates or timestamps."""

    unit: str
    """Of NumPy's datetime64; "D" for dates."""
    zone: str
    """The time zone that pandas, polars and Arrow show; the ticks are UTC."""

    @property
    def dtype(self) -> np.dtype[np.datetime64]:
        return np.dtype(f"M8[{self.unit}]")

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
        return TimeType("D", "")
    if column.type != "timestamp64" or not column.unit:
        return None
    return TimeType(column.unit, zone_of(data))


def ticks_of(time: Any, kind: TimeType) -> Any:
    """A date, datetime or datetime64 as a tick; anything else unchanged."""
    if not isinstance(time, (datetime.date, np.datetime64)):
        return time
    array, _ = plain_array([time], "timestamp64", kind.unit)
    cast = cast_times(array, kind.unit)
    if cast is None:
        raise InvalidArgumentError(f"the time {time} falls between two ticks of the values' "
                                   f"{kind.dtype}: round it to that unit")
    return int(cast.view(np.int64)[0])


def in_common_unit(times: Array) -> Array:
    """The times in a unit of pandas and Arrow; integers if none is fine enough."""
    for unit in _COMMON_UNITS:
        if times.dtype == np.dtype(f"M8[{unit}]"):
            return times
        if np.can_cast(times.dtype, f"M8[{unit}]"):
            cast, lost = cast_and_lost(times, f"M8[{unit}]")
            if lost.any():
                raise InvalidArgumentError(
                    f"the answer {times[lost][0]} is too far from 1970 for the times of pandas "
                    "and Arrow: pass the lookups as a NumPy array")
            return cast
    return times.view(np.int64)


def zone_of(data: Any) -> str:
    kind = getattr(data, "type", None) or getattr(data, "dtype", None)
    kind = getattr(kind, "pyarrow_dtype", kind)
    zone = getattr(kind, "tz", None) or getattr(kind, "time_zone", None) or ""
    return zone if isinstance(zone, str) else _zone_name(zone)


def _zone_name(zone: datetime.tzinfo) -> str:
    """The name of the zone in Arrow, pandas and polars, or an offset such as "+01:00"; without
    either, "UTC", in which the times are the same."""
    # A datetime.timezone may have any name, even the name of another zone.
    if not isinstance(zone, datetime.timezone) and _is_known(str(zone)):
        return str(zone)
    try:
        offset = zone.utcoffset(None)
    except Exception:  # a third-party class may need a time
        offset = None
    minutes, rest = divmod(offset or datetime.timedelta(), datetime.timedelta(minutes=1))
    if minutes == 0 or rest:
        return "UTC"
    hours, minutes_left = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{minutes_left:02}"


def _is_known(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True
