"""Plain Python objects as NumPy arrays of one type."""

from __future__ import annotations

import datetime
from typing import Any, TypeAlias

import numpy as np

from ._core import Error

Array: TypeAlias = np.ndarray[Any, Any]

# Whole numbers up to here are floats without a loss.
_EXACT_IN_FLOAT = 2**53


def has_strings(items: list[Any]) -> bool:
    return any(isinstance(item, (str, bytes)) for item in items)


def plain_array(items: list[Any], wanted: str, unit: str) -> tuple[Array, Array | None]:
    """The items, and a bitmap of those that are not None, where one is.

    `wanted` and `unit` are of the column that they are compared with. A person's numbers and dates
    have no type of their own, so they take on its type where nothing is lost.
    """
    validity = None
    if any(item is None for item in items):
        validity = validity_bits(np.array([item is None for item in items]))
    known = [item for item in items if item is not None]
    if not known:
        return _nulls(len(items), wanted, unit), validity
    if isinstance(known[0], (datetime.date, np.datetime64)):
        return _times(items, unit or ("D" if wanted == "date32" else "")), None
    try:
        array = np.array([0 if item is None else item for item in items])
    except (ValueError, OverflowError) as error:
        raise Error(f"the list is no column: {error}") from error
    is_whole = array.dtype.kind in "iu"
    if wanted.startswith("float") and is_whole and (abs(array) <= _EXACT_IN_FLOAT).all():
        array = array.astype(np.float64)
    return array, validity


def validity_bits(missing: Array) -> Array | None:
    """Arrow's bitmap of what is not missing; none where nothing is."""
    return np.packbits(~missing, bitorder="little") if missing.any() else None


def cast_times(times: Array, unit: str) -> Array | None:
    """The times in another unit; None where one of them lies between two of its ticks.

    NumPy wraps what is too far from 1970 for the unit; here it is an error.
    """
    cast = times.astype(f"M8[{unit}]")
    lost = _differ(cast.astype(times.dtype), times)
    if not lost.any():
        return cast
    if not np.can_cast(times.dtype, cast.dtype):  # the unit is coarser
        return None
    raise Error(_too_far(times[lost][0], unit))


def _differ(times: Any, others: Any) -> Any:
    """Which are not the same; NaT is the same as NaT."""
    return (times != others) & ~(np.isnat(times) & np.isnat(others))


def _too_far(time: Any, unit: str) -> str:
    return (f"the time {time} is too far from 1970 for datetime64[{unit}]: leave it out, or let a "
            "range end at a time that fits")


def _nulls(count: int, wanted: str, unit: str) -> Array:
    if wanted in ("date32", "timestamp64"):
        return np.full(count, "NaT", f"M8[{unit or 'D'}]")
    return np.zeros(count, wanted if wanted not in ("", "string", "composite") else "int64")


def _times(items: list[Any], unit: str) -> Array:
    times = [_datetime64(item) for item in items]
    array = np.array(times)
    for i, time in enumerate(times):  # of several units NumPy takes the finest
        if time.dtype != array.dtype and _differ(array[i].astype(time.dtype), time):
            raise Error(_too_far(time, np.datetime_data(array.dtype)[0]))
    if unit and "," not in unit:
        cast = cast_times(array, unit)
        return array if cast is None else cast
    return array


def _datetime64(item: Any) -> np.datetime64:
    if item is None:
        return np.datetime64("NaT")
    if hasattr(item, "to_datetime64"):  # pandas knows nanoseconds and time zones
        return item.to_datetime64()  # type: ignore[no-any-return]
    if isinstance(item, datetime.datetime) and item.tzinfo is not None:
        item = item.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return np.datetime64(item)
