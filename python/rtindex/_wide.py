"""Integers of Python beyond 64 bits as lookups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._lists import is_missing
from ._objects import decimals, integers_128
from ._query import EndsName
from ._types import DECIMALS, ColumnType, Rounding

_LARGEST = 2**127 - 1
_LIMITS = {"int128": (-(2**127), 2**127 - 1), "uint128": (0, 2**128 - 1)}


def wide_integers(items: Sequence[Any], target: ColumnType) -> Column:
    """Integers beyond 64 bits as lookups. As keys, they are those of decimals."""
    if target.rounding is None:
        return decimals(items)
    if target.type in DECIMALS:
        clamps = target.rounding.direction != 0
        return integers_128("decimal128", [
            None if item is None or not clamps and abs(item) > _LARGEST
            else max(-_LARGEST, min(int(item), _LARGEST)) for item in items])
    numbers = [None if item is None else int(item) for item in items]
    kind = _wide_type(numbers, target.type)
    if kind is None:
        kind = target.type
        numbers = [number if number is None else _inside(number, i, kind, target.rounding)
                   for i, number in enumerate(numbers)]
    low, high = _LIMITS[kind]
    return integers_128(kind, [number if number is None else max(low, min(number, high))
                                for number in numbers])


def _wide_type(numbers: Sequence[int | None], column: str) -> str | None:
    """The type whose values compare with those of the column as these numbers do, once they are
    clamped to it; None where there is none, because numbers lie beyond both types of 128 bits."""
    if column not in _LIMITS:
        return "int128"  # of which both limits are beyond any other column
    known = [number for number in numbers if number is not None]
    low, high = min(known), max(known)
    if high < 2**127 and (low >= -(2**127) or column == "uint128"):
        return "int128"
    return "uint128" if low >= 0 and (high < 2**128 or column == "int128") else None


def _inside(number: int, position: int, column: str, rounding: Rounding) -> int | None:
    """A lookup in the type of the column. Beyond it, points match nothing, and so do ends of ranges
    that exclude every key; other ends are clamped."""
    low, high = _LIMITS[column]
    if low <= number <= high:
        return number
    side = 1 if number < low else -1  # of the ends that exclude no key
    clamps = rounding.clamps or rounding.direction == side
    # Between the clamped number and an open end lies a key that would be lost, and the last parts of
    # composite ends exclude no keys that differ in the parts before.
    if clamps and rounding.open or rounding.error and not clamps:
        raise InvalidArgumentError(
            f"invalid number {number} (element {position}): expected -(2^127) to 2^127 - 1, or 0 to "
            f"2^128 - 1, in one call, as the keys are {column}: omit it, or pass the least or the "
            "greatest number instead")
    return max(low, min(number, high)) if clamps else None


def next_integers(data: Any, step: int) -> Any:
    """Each integer of Python, or of a list or a column of objects, one step further, so that an open
    end becomes a closed one at any size; None of anything else."""
    if type(data) is int:
        return data + step
    if not isinstance(data, list) and getattr(data, "dtype", None) != object or not np.ndim(data):
        return None
    items = [None if is_missing(item) else item for item in data]
    if any(item is not None and (isinstance(item, (bool, np.timedelta64))
                                 or not isinstance(item, (int, np.integer))) for item in items):
        return None
    return [None if item is None else int(item) + step for item in items]


def closed_ends(lower: Any, upper: Any, ends: EndsName) -> tuple[Any, Any, EndsName]:
    """Ranges of 128-bit integers with closed ends where they were open and are Python's."""
    below = next_integers(lower, 1) if ends[0] == "(" else None
    above = next_integers(upper, -1) if ends[1] == ")" else None
    opens = "[" if below is not None else ends[0], "]" if above is not None else ends[1]
    closed: Any = "".join(opens)
    return (lower if below is None else below), (upper if above is None else above), closed
