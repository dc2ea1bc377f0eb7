"""Tolerances: how far a neighbour may be away, in the unit of the column."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
import operator
import re
from fractions import Fraction
from typing import Any

import numpy as np

from ._errors import InvalidArgumentError
from ._type_names import type_name
from ._types import DECIMALS, FLOATS, WIDE_INTEGERS, ColumnType
from ._units import LENGTHS, length_of

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|min|s|sec|m|h|hr|d|D|day|days|w|W|hours?|minutes?"
                       r"|seconds?)")
_NAMES = {"µs": "us", "min": "m", "minute": "m", "minutes": "m", "sec": "s", "second": "s",
          "seconds": "s", "hr": "h", "hour": "h", "hours": "h", "d": "D", "day": "D", "days": "D",
          "w": "W"}
_LARGEST = 2**64 - 1


def tolerance_of(tolerance: Any, column: ColumnType) -> int | float | None:
    """The tolerance for the index: a number in the unit of the column.

    A duration between two ticks of the unit becomes the smaller one, because distances are whole.
    """
    if tolerance is None:
        return None
    column = column.parts[-1] if column.parts else column
    if column.type in ("string", "binary16"):
        raise InvalidArgumentError("invalid tolerance: strings have no distance; omit it")
    if column.type in ("date32", "timestamp64", "time32", "time64", "duration64"):
        number: int | float = _ticks(tolerance, column)
    elif column.type in DECIMALS:
        number = _last_digits(tolerance, column)
    elif column.type in FLOATS or column.type == "float16":
        number = _float(tolerance, column)
    else:
        number = _integer(tolerance, column)
    if number < 0:
        raise InvalidArgumentError(f"invalid tolerance={tolerance!r}: expected 0 or more")
    if isinstance(number, float):
        return number
    if number > _LARGEST and column.type in (*WIDE_INTEGERS, "decimal128"):
        held = type_name(column.type, column.unit, column.scale)
        unit = " units of the last digit" if column.type == "decimal128" else ""
        raise InvalidArgumentError(f"invalid tolerance={tolerance!r}: expected at most 2^64 - 1{unit} "
                                   f"for a column of {held}, whose keys may be farther apart: omit "
                                   "it, or filter the answers")
    return min(number, _LARGEST)  # farther than keys of 64 bits are apart


def _integer(tolerance: Any, column: ColumnType) -> int:
    if isinstance(tolerance, (bool, np.bool_, np.timedelta64)):
        raise _wrong(tolerance, "an integer", column)
    try:
        return operator.index(tolerance)
    except TypeError:
        raise _wrong(tolerance, "an integer", column) from None


def _last_digits(tolerance: Any, column: ColumnType) -> int:
    """The distance between decimals, in units of their last digit; a finer one is rounded down."""
    distance = tolerance
    if not isinstance(tolerance, decimal.Decimal):
        try:
            distance = None if isinstance(tolerance, (bool, np.timedelta64)) else operator.index(tolerance)
        except TypeError:
            distance = None
    elif not tolerance.is_finite():
        distance = None
    if distance is None:
        raise _wrong(tolerance, 'an integer or a Decimal, such as Decimal("0.05"),', column)
    return math.floor(Fraction(distance) * Fraction(10)**column.scale)


def _float(tolerance: Any, column: ColumnType) -> float:
    is_number = isinstance(tolerance, numbers.Real) and not isinstance(tolerance, (bool, np.bool_))
    if not is_number or isinstance(tolerance, np.timedelta64):
        raise _wrong(tolerance, "a number", column)
    try:
        distance = float(tolerance)
    except OverflowError:  # an integer beyond all floats
        number: Any = tolerance
        distance = math.inf if number > 0 else -math.inf
    if math.isnan(distance):
        raise _wrong(tolerance, "a number", column)
    return distance


def _ticks(tolerance: Any, column: ColumnType) -> int:
    unit = "D" if column.type == "date32" else column.unit
    length = length_of(unit)
    if length is None:  # months, or no unit at all
        return _integer(tolerance, column)
    ticks, own_length = _duration(tolerance, column)
    return ticks * own_length // length


def _duration(tolerance: Any, column: ColumnType) -> tuple[int, int]:
    """The ticks of a duration, and their length in attoseconds."""
    if hasattr(tolerance, "to_timedelta64"):  # of pandas, with nanoseconds
        tolerance = tolerance.to_timedelta64()
    if isinstance(tolerance, str):
        return _parsed(tolerance, column), 1
    if isinstance(tolerance, datetime.timedelta):
        return tolerance // datetime.timedelta(microseconds=1), LENGTHS["us"]
    if isinstance(tolerance, np.timedelta64) and not np.isnat(tolerance):
        unit, step = np.datetime_data(tolerance.dtype)
        length = length_of(unit if step == 1 else f"{step}{unit}")
        if length is not None:
            return int(tolerance.astype(np.int64)), length
    scalar: Any = tolerance
    if type(scalar).__module__.startswith("pyarrow") and hasattr(scalar.type, "unit"):
        if scalar.is_valid and str(scalar.type).startswith("duration"):
            return int(scalar.value), LENGTHS[scalar.type.unit]
    raise _wrong(tolerance, 'a duration, such as "5s" or datetime.timedelta(seconds=5),', column)


def _parsed(text: str, column: ColumnType) -> int:
    """The attoseconds of a text such as "5s" or "1h30m"."""
    compact = text.strip()
    if not re.fullmatch(f"(?:{_DURATION.pattern}\\s*)+", compact):
        raise _wrong(text, 'a duration, such as "5s" or datetime.timedelta(seconds=5),', column)
    total = Fraction()
    for number, unit in _DURATION.findall(compact):
        total += Fraction(number) * LENGTHS[_NAMES.get(str(unit), str(unit))]
    return int(total)


def _wrong(tolerance: Any, expected: str, column: ColumnType) -> InvalidArgumentError:
    held = type_name(column.type, column.unit, column.scale, column.zone)
    return InvalidArgumentError(f"invalid tolerance={tolerance!r}: expected {expected} for a "
                                f"column of {held}")
