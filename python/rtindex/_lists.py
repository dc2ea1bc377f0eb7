"""Plain Python objects as NumPy arrays of one type."""

from __future__ import annotations

import datetime
import re
import zoneinfo
from typing import Any, TypeAlias, cast

import numpy as np

from ._errors import InvalidArgumentError

Array: TypeAlias = np.ndarray[Any, Any]

# Integers up to here are exact as floats.
_EXACT_IN_FLOAT = 2**53
_TIMES = (datetime.date, np.datetime64)
# A year alone has four digits: 20240101 is no year.
_ISO = re.compile(r"-?(?:\d{4}|\d{4,}-\d\d(?:-\d\d(?:[T ]\d\d(?::\d\d(?::\d\d(?:\.\d{1,9})?)?)?)?)?)")
_OFFSET = re.compile(r"(?<=[T ])(.+?) ?(Z|[+-]\d\d(?::?\d\d)?)$")


def is_missing(item: Any) -> bool:
    """None, and NA of pandas; NaT is a time of its own."""
    return item is None or type(item).__name__ == "NAType"


def is_nat(item: Any) -> bool:
    """NaT of pandas or NumPy."""
    return type(item).__name__ == "NaTType" or isinstance(
        item, (np.datetime64, np.timedelta64)) and bool(np.isnat(item))


def has_strings(items: list[Any]) -> bool:
    return any(isinstance(item, (str, bytes)) for item in items)


def odd_list(items: list[Any]) -> InvalidArgumentError:
    """The error for a list that no column can hold, about the first item of another type."""
    known = [(i, item) for i, item in enumerate(items) if not is_missing(item)]
    position, first = known[0]
    for i, item in known:
        if _kind(item) != _kind(first):
            is_nan = isinstance(item, float) and item != item
            advice = "pass None for a null" if is_nan else "pass keys of one type"
            return InvalidArgumentError(f"the list mixes {_kind(first)} with {item!r} (element {i}): "
                                        f"{advice}")
    advice = "; write composite keys as tuples" if isinstance(first, list) else ""
    return InvalidArgumentError("expected a list of numbers, strings, dates, datetimes and None, got "
                                f"{_kind(first)} (element {position}){advice}")


def _kind(item: Any) -> str:
    if isinstance(item, (int, float, np.number, np.bool_)) and not isinstance(item, np.timedelta64):
        return "numbers"
    return "strings" if isinstance(item, (str, bytes)) else f"{type(item).__name__} objects"


def plain_array(items: list[Any], wanted: str, unit: str) -> tuple[Array, Array | None]:
    """The items, and the bitmap of those that are not None if there is one.

    `wanted` and `unit` are the type and the unit of the indexed column. Numbers and dates of
    Python are converted to this type where that is lossless.
    """
    validity = None
    if any(is_missing(item) for item in items):
        validity = validity_bits(np.array([is_missing(item) for item in items]))
    known = [item for item in items if not is_missing(item)]
    if not known:
        return _nulls(len(items), wanted, unit), validity
    if isinstance(known[0], _TIMES) or wanted in ("date32", "timestamp64") and has_strings(known):
        return times_of(items)[0], None
    filled = [known[0] if is_missing(item) else item for item in items]
    try:
        array = np.array(filled)
    except ValueError:  # sequences of several lengths
        raise odd_list(items) from None
    except (OverflowError, TypeError) as error:
        raise InvalidArgumentError(f"the list has no common type: {error}") from error
    if array.dtype.kind in "fO":
        array = _exact(array, filled)
    is_whole = array.dtype.kind in "iu"
    if wanted.startswith("float") and is_whole and (abs(array) <= _EXACT_IN_FLOAT).all():
        array = array.astype(np.float64)
    return array, validity


def _exact(array: Array, items: list[Any]) -> Array:
    """The 64-bit type that holds the integers, where NumPy turned them into floats or objects."""
    whole = [int(item) for item in items
             if isinstance(item, (int, np.integer)) and not isinstance(item, np.timedelta64)]
    if not whole:
        return array
    low, high = min(whole), max(whole)
    if low < -(2**63) or high >= 2**64:
        raise InvalidArgumentError(
            f"the number {low if low < -(2**63) else high} does not fit 64 bits: keys of 128 "
            "bits are those of a polars Series of Int128 or UInt128, or Decimal objects, and the "
            "open end of a range is None")
    if len(whole) < len(items):
        lost = [item for item in whole if array.dtype.kind == "f" and int(float(item)) != item]
        if lost:
            raise InvalidArgumentError(
                f"the list mixes floats with {lost[0]}, which float64 cannot hold: pass either "
                "integers or floats")
        return array
    if high < 2**63:
        return np.array(items, np.int64)
    if low >= 0:
        return np.array(items, np.uint64)
    raise InvalidArgumentError(
        f"the list mixes {low} with {high}, and no type of 64 bits holds both: pass them in two "
        "calls, or leave out those that the column cannot hold")


def validity_bits(missing: Array) -> Array | None:
    """Arrow's bitmap of what is not missing; None if nothing is."""
    return np.packbits(~missing, bitorder="little") if missing.any() else None


def cast_times(times: Array, unit: str) -> Array | None:
    """The times in another unit; None if one of them falls between two of its ticks.

    A time out of the range of the unit is an error.
    """
    cast, lost = cast_and_lost(times, f"M8[{unit}]")
    if not lost.any():
        return cast
    if not np.can_cast(times.dtype, cast.dtype):  # the unit is coarser
        return None
    raise InvalidArgumentError(_too_far(times[lost][0], unit))


def cast_and_lost(times: Array, dtype: Any) -> tuple[Array, Array]:
    """The times in another unit, and which of them are not the same there.

    NumPy wraps a time out of the unit's range. From 2.5 on it rejects the array instead, whose first
    such time is then the one that is lost.
    """
    lost = np.zeros(len(times), bool)
    try:
        cast = times.astype(dtype)
    except OverflowError:
        lost[_first_rejected(times, dtype)] = True
        return times, lost
    try:
        return cast, differ(cast.astype(times.dtype), times)
    except OverflowError:  # also for the lowest times of a unit, which lie within its range
        return cast, lost | (not np.can_cast(times.dtype, dtype))


def _first_rejected(times: Array, dtype: Any) -> int:
    good, bad = 0, len(times)  # the first `good` times can be cast, the first `bad` cannot
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            times[good:middle].astype(dtype)
            good = middle
        except OverflowError:
            bad = middle
    return good


def with_unit(times: Array) -> Array:
    """NaT without a unit as NaT in microseconds. Other times and durations without one are an error."""
    kind = times.dtype.kind
    if np.datetime_data(times.dtype)[0] != "generic":
        return times
    if np.isnat(times).all():
        return times.astype(f"{kind}8[us]")
    name = "datetime64" if kind == "M" else "timedelta64"
    raise InvalidArgumentError(f"the {name} array has no unit: pass one with a unit, such as "
                               f"{name}[us]")


def not_a_time(dtype: Any) -> Any:
    """NaT in the unit of a dtype."""
    return np.array("NaT", dtype)[()]


def differ(times: Any, others: Any) -> Any:
    """Which times differ; NaT equals NaT."""
    return (times != others) & ~(np.isnat(times) & np.isnat(others))


def _too_far(time: Any, unit: str) -> str:
    return (f"the time {time} is too far from 1970 for datetime64[{unit}]: remove it, or choose "
            "an open end that the unit has, such as 2262-01-01 in nanoseconds; in a range pass None")


def _nulls(count: int, wanted: str, unit: str) -> Array:
    if wanted in ("date32", "timestamp64"):
        return np.full(count, "NaT", f"M8[{unit or 'D'}]")
    return np.zeros(count, wanted if wanted not in ("", "string", "composite") else "int64")


def times_of(items: list[Any]) -> tuple[Array, str]:
    """The times in UTC, and their time zone; empty for those without one. All of them have a zone,
    or none has."""
    times: list[np.datetime64] = []
    zones: dict[str, int] = {}
    for i, item in enumerate(items):
        time, zone = _as_time(item, i)
        times.append(time)
        if zone is not None:
            zones.setdefault(zone, i)
    if "" in zones and len(zones) > 1:
        aware = next(i for zone, i in zones.items() if zone)
        raise InvalidArgumentError(f"the list mixes times without a zone (element {zones['']}) "
                                   f"with such as have one (element {aware}): add a zone to all")
    zone = "UTC" if len(zones) > 1 else next(iter(zones), "")
    return _in_one_unit(times), zone


def _in_one_unit(times: list[np.datetime64]) -> Array:
    try:
        array = np.array(times)
    except OverflowError:  # NumPy from 2.5 on; the finest unit cannot hold all of them
        finest = np.result_type(*(time.dtype for time in times))
        far = next(time for time in times
                   if cast_and_lost(time.reshape(1), finest)[1][0])
        raise InvalidArgumentError(_too_far(far, np.datetime_data(finest)[0])) from None
    for i, time in enumerate(times):  # NumPy would choose the finest unit
        if time.dtype != array.dtype and differ(array[i].astype(time.dtype), time):
            raise InvalidArgumentError(_too_far(time, np.datetime_data(array.dtype)[0]))
    return array


def _as_time(item: Any, position: int) -> tuple[np.datetime64, str | None]:
    """The time in UTC, and the name of its zone; "" where it has none, None where it is null."""
    if is_missing(item) or item is not item:
        return np.datetime64("NaT", "Y"), None  # the coarsest unit, which leaves others as they are
    if isinstance(item, str):
        return parsed_time(item, position)
    if not isinstance(item, _TIMES):
        raise InvalidArgumentError(f"the list mixes times with {item!r} (element {position}): pass "
                                   "dates, datetimes and None only")
    zone = getattr(item, "tzinfo", None)
    name = "" if zone is None else zone_name(zone)
    converted = getattr(item, "to_datetime64", None)  # of pandas, with nanoseconds and a time zone
    if converted is not None:
        return converted(), name
    if isinstance(item, np.datetime64):
        return item, None if np.isnat(item) else ""
    if zone is not None:
        try:
            item = cast(datetime.datetime, item).astimezone(datetime.timezone.utc).replace(tzinfo=None)
        except OverflowError:
            raise InvalidArgumentError(
                f"the time {item} is outside the years 1 to 9999 in UTC: remove it, or pass "
                "None for an open end of a range") from None
    return np.datetime64(item), name


def parsed_time(text: str, position: int) -> tuple[np.datetime64, str]:
    """The instant of a text in ISO 8601: a date is its midnight."""
    offset = _OFFSET.search(text)
    plain = text[:offset.start(2)].rstrip() if offset else text
    if not _ISO.fullmatch(plain):
        raise InvalidArgumentError(f"invalid time {text!r} (element {position}): expected ISO "
                                   "8601, such as '2024-02-29 12:00:00' or '2024-02-29T12:00:00+01:00'")
    try:
        time = np.datetime64(plain)
    except ValueError as error:
        raise InvalidArgumentError(f"invalid time {text!r} (element {position}): {error}") from None
    if np.datetime_data(time.dtype)[0] in ("Y", "M"):
        time = time.astype("M8[D]")
    if offset is None:
        return time, ""
    shift = offset.group(2)
    if shift == "Z":
        return time, "UTC"
    hours, minutes = int(shift[1:3]), int(shift[3:].lstrip(":") or 0)
    delta = np.timedelta64(hours * 60 + minutes, "m")
    moved = time + delta if shift[0] == "-" else time - delta
    return moved, f"{shift[:3]}:{minutes:02}"


def zone_name(zone: datetime.tzinfo) -> str:
    """The name of the zone in Arrow, pandas and polars, or an offset such as "+01:00"; without
    either, "UTC", in which the times are the same."""
    # A datetime.timezone may have any name, even the name of another zone.
    if not isinstance(zone, datetime.timezone) and _is_known_zone(str(zone)):
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


def _is_known_zone(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        return False
    return True
