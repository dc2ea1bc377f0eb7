"""Lists of Python objects that are no plain numbers: Decimal, time, timedelta and UUID."""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._lists import Array, validity_bits, with_unit

OBJECTS = (decimal.Decimal, datetime.time, datetime.timedelta, uuid.UUID)
_LARGEST = 2**127 - 1


def objects(items: Sequence[Any], model: Any) -> Column:
    """A column of objects of the type of `model`; None is a null."""
    if isinstance(model, decimal.Decimal):
        return decimals(items)
    if isinstance(model, datetime.time):
        ticks = [0 if item is None else _time_ticks(item, i) for i, item in enumerate(items)]
        return Column.elements("time64", np.array(ticks, np.int64), "us", _validity(items))
    if isinstance(model, uuid.UUID):
        _require(items, uuid.UUID)
        data = b"".join(bytes(16) if item is None else item.bytes for item in items)
        return Column.elements("binary16", data, "", _validity(items))
    return _durations(items)


def integers_128(kind: str, numbers: Sequence[int | None], scale: int = 0) -> Column:
    """Of the type `kind`, to which they are limited; None is a null."""
    signed = kind != "uint128"
    data = b"".join((number or 0).to_bytes(16, "little", signed=signed) for number in numbers)
    # An array, because elements of 128 bits need an alignment of 8 bytes.
    return Column.elements(kind, np.frombuffer(data, np.uint64).copy(), "", _validity(numbers),
                           scale)


def decimals(items: Sequence[Any]) -> Column:
    """Decimals with the digits of the one that has most, and integers."""
    scale = 0
    for i, item in enumerate(items):
        if item is None or isinstance(item, int) and not isinstance(item, bool):
            continue
        if isinstance(item, decimal.Decimal) and not item.is_finite():
            raise InvalidArgumentError(f"invalid element {i}, {item!r}: expected finite decimals; "
                                       "pass None for a null")
        if not isinstance(item, decimal.Decimal):
            raise InvalidArgumentError(f"invalid element {i}, {item!r}: expected Decimal objects, "
                                       "int and None only")
        scale = max(scale, -int(item.as_tuple().exponent))
    numbers = [None if item is None else _scaled(item, scale, i) for i, item in enumerate(items)]
    if all(number is None or abs(number) < 2**63 for number in numbers):
        ticks = np.array([number or 0 for number in numbers], np.int64)
        return Column.elements("decimal64", ticks, "", _validity(numbers), scale)
    return integers_128("decimal128", numbers, scale)


def _scaled(item: Any, scale: int, position: int) -> int:
    sign, digits, exponent = decimal.Decimal(item).as_tuple()
    number = int("".join(map(str, digits)) or "0") * int(10**(scale + int(exponent)))
    if scale > 38 or number > _LARGEST:
        raise InvalidArgumentError(f"invalid element {position}, {item}: expected at most 38 "
                                   "digits; round it")
    return -number if sign else number


def _time_ticks(item: Any, position: int) -> int:
    if not isinstance(item, datetime.time) or item.tzinfo is not None:
        raise InvalidArgumentError(f"invalid element {position}, {item!r}: expected times of day "
                                   "without a zone")
    return ((item.hour * 60 + item.minute) * 60 + item.second) * 10**6 + item.microsecond


def durations(items: Sequence[Any]) -> Array:
    """Durations of Python, NumPy and pandas in one unit; None is NaT."""
    _require(items, (datetime.timedelta, np.timedelta64))
    return with_unit(np.array([
        np.timedelta64("NaT", "s") if item is None else
        item.to_timedelta64() if hasattr(item, "to_timedelta64") else np.timedelta64(item)
        for item in items]))


def _durations(items: Sequence[Any]) -> Column:
    array = durations(items)
    return Column.elements("duration64", array.view(np.int64), np.datetime_data(array.dtype)[0],
                           validity_bits(np.isnat(array)))


def _require(items: Sequence[Any], kind: Any) -> None:
    for i, item in enumerate(items):
        if item is not None and not isinstance(item, kind):
            first = next(item for item in items if isinstance(item, kind))
            raise InvalidArgumentError(f"invalid element {i}, {item!r}: expected "
                                       f"{type(first).__name__} objects and None only")


def _validity(items: Sequence[Any]) -> Any:
    return validity_bits(np.array([item is None for item in items], bool))
