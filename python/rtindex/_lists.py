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


def _nulls(count: int, wanted: str, unit: str) -> Array:
    if wanted in ("date32", "timestamp64"):
        return np.full(count, "NaT", f"M8[{unit or 'D'}]")
    return np.zeros(count, wanted if wanted not in ("", "string", "composite") else "int64")


def _times(items: list[Any], unit: str) -> Array:
    array = np.array([_datetime64(item) for item in items])
    if unit and "," not in unit:
        converted = array.astype(f"M8[{unit}]")
        if ((converted == array) | np.isnat(array)).all():
            return converted
    return array


def _datetime64(item: Any) -> np.datetime64:
    if item is None:
        return np.datetime64("NaT")
    if hasattr(item, "to_datetime64"):  # pandas knows nanoseconds and time zones
        return item.to_datetime64()  # type: ignore[no-any-return]
    if isinstance(item, datetime.datetime) and item.tzinfo is not None:
        item = item.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return np.datetime64(item)
