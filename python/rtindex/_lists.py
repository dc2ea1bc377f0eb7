"""Plain Python objects as NumPy arrays of one type."""

from __future__ import annotations

import datetime
from typing import Any, TypeAlias

import numpy as np

from ._errors import InvalidArgumentError

Array: TypeAlias = np.ndarray[Any, Any]

# Integers up to here are exact as floats.
_EXACT_IN_FLOAT = 2**53
_TIMES = (datetime.date, np.datetime64)


def has_strings(items: list[Any]) -> bool:
    return any(isinstance(item, (str, bytes)) for item in items)


def plain_array(items: list[Any], wanted: str, unit: str) -> tuple[Array, Array | None]:
    """The items, and the bitmap of those that are not None if there is one.

    `wanted` and `unit` are the type and the unit of the indexed column. Numbers and dates of
    Python are converted to this type where that is lossless.
    """
    validity = None
    if any(item is None for item in items):
        validity = validity_bits(np.array([item is None for item in items]))
    known = [item for item in items if item is not None]
    if not known:
        return _nulls(len(items), wanted, unit), validity
    if isinstance(known[0], _TIMES):
        return _times(items, unit or ("D" if wanted == "date32" else "")), None
    filled = [known[0] if item is None else item for item in items]
    try:
        array = np.array(filled)
    except (ValueError, OverflowError, TypeError) as error:
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
            f"the number {low if low < -(2**63) else high} does not fit 64 bits: leave it out, or "
            "pass None for an open end of a range")
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
        lost[_first_refused(times, dtype)] = True
        return times, lost
    try:
        return cast, differ(cast.astype(times.dtype), times)
    except OverflowError:  # also for the lowest times of a unit, which lie within its range
        return cast, lost | (not np.can_cast(times.dtype, dtype))


def _first_refused(times: Array, dtype: Any) -> int:
    good, bad = 0, len(times)  # the first `good` times can be cast, the first `bad` cannot
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            times[good:middle].astype(dtype)
            good = middle
        except OverflowError:
            bad = middle
    return good


def not_a_time(dtype: Any) -> Any:
    """NaT in the unit of a dtype."""
    return np.array("NaT", dtype)[()]


def differ(times: Any, others: Any) -> Any:
    """Which times differ; NaT equals NaT."""
    return (times != others) & ~(np.isnat(times) & np.isnat(others))


def _too_far(time: Any, unit: str) -> str:
    return (f"the time {time} is too far from 1970 for datetime64[{unit}]: leave it out, or pass "
            "None for an open end of a range")


def _nulls(count: int, wanted: str, unit: str) -> Array:
    if wanted in ("date32", "timestamp64"):
        return np.full(count, "NaT", f"M8[{unit or 'D'}]")
    return np.zeros(count, wanted if wanted not in ("", "string", "composite") else "int64")


def _times(items: list[Any], unit: str) -> Array:
    for item in items:
        if not isinstance(item, (*_TIMES, type(None))):
            raise InvalidArgumentError(f"the list mixes times with {item!r}: pass dates, datetimes "
                                       "and None only")
    times = [_datetime64(item) for item in items]
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
    if unit and "," not in unit:
        cast = cast_times(array, unit)
        return array if cast is None else cast
    return array


def _datetime64(item: Any) -> np.datetime64:
    if item is None:
        return np.datetime64("NaT", "Y")  # the coarsest unit, which leaves the others as they are
    if hasattr(item, "to_datetime64"):  # of pandas, with nanoseconds and a time zone
        return item.to_datetime64()  # type: ignore[no-any-return]
    if isinstance(item, datetime.datetime) and item.tzinfo is not None:
        try:
            item = item.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        except OverflowError:
            raise InvalidArgumentError(
                f"the time {item} is outside the years 1 to 9999 in UTC: leave it out, or pass "
                "None for an open end of a range") from None
    return np.datetime64(item)
