"""NumPy arrays, plain and masked, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._lists import Array, cast_times, not_a_time, odd_list, validity_bits, with_unit
from ._types import ColumnType, parts_of

# NumPy types that an index reads in place.
NATIVE = {
    np.dtype(name).str: name
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                 "float32", "float64")
}


def from_numpy(array: Array, target: ColumnType | None, validity: Array | None = None) -> Column:
    """A column from an array of any type but object; `validity` is the bitmap of valid rows."""
    require_one_dimension(array)
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    name = NATIVE.get(array.dtype.str)
    if name is not None:
        return Column.elements(name, array, "", validity)
    kind = array.dtype.kind
    if kind == "M":
        return _from_datetimes(array, target)
    if kind == "m":
        return _from_timedeltas(array)
    if kind == "f" and array.dtype.itemsize == 2:
        # Lookups are exact as float32, which compares with integers too.
        if target is not None:
            return from_numpy(array.astype(np.float32), target, validity)
        halves = array.astype(np.float16, copy=False).view(np.uint16)
        return Column.elements("float16", halves, "", validity)
    if kind == "S":
        return Column.fixed_strings(array.view(np.uint8), array.dtype.itemsize, array.size)
    if kind in "UT":
        if not array.size and target is not None:
            return empty(target)
        return strings([item if isinstance(item, str) else None for item in array.tolist()])
    if array.dtype.newbyteorder("=").str in NATIVE:
        return from_numpy(array.astype(array.dtype.newbyteorder("=")), target, validity)
    raise InvalidArgumentError(
        f"unsupported NumPy type {array.dtype}: convert it to bool, integers, floats, datetime64, "
        "timedelta64 or strings"
    )


def from_masked(masked: Any, target: ColumnType | None) -> Column:
    """As `from_numpy`; masked elements are null."""
    require_one_dimension(masked)
    array, missing = np.ma.getdata(masked), np.ma.getmaskarray(masked)
    kind = array.dtype.kind
    if kind in "SUT" and array.size:
        return strings([None if lost else item for item, lost in zip(array.tolist(), missing)])
    if kind == "M":
        return from_numpy(np.where(missing, not_a_time(array.dtype), array), target)
    if kind == "m":
        return from_numpy(np.where(missing, np.timedelta64("NaT"), array), target)
    return from_numpy(array, target, None if kind == "V" else validity_bits(missing))


def require_one_dimension(array: Any) -> None:
    if array.ndim == 0:
        raise InvalidArgumentError("expected an array of one dimension, got one of none: pass "
                                   "array.reshape(1)")
    if array.ndim != 1:
        raise InvalidArgumentError(
            f"expected an array of one dimension, got {array.ndim} dimensions: pass one column of "
            "it, such as array[:, 0], or a tuple of columns for a composite key"
        )


def strings(items: list[Any]) -> Column:
    """str and bytes; None is a null."""
    try:
        return Column.strings(items)
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(
            f"the string {error.object!r} has half of a surrogate pair and is not valid UTF-8: "
            'pass bytes, such as text.encode("utf-8", "surrogatepass")') from None
    except InvalidArgumentError:
        raise odd_list(items) from None


def empty(target: ColumnType | None = None) -> Column:
    """No keys, of a type that compares with `target`."""
    if target is None:
        return Column.elements("int64", np.empty(0, np.int64))
    if target.type == "string":
        return Column.strings([])
    if target.type == "composite":
        parts = parts_of(target, len(target.parts) or 1)
        return Column.composite([empty(part) for part in parts])
    return Column.elements(target.type, np.empty(0, np.uint8), target.unit)


def _from_datetimes(array: Array, target: ColumnType | None) -> Column:
    array = with_unit(array)
    unit, step = np.datetime_data(array.dtype)
    wanted = "" if target is None else "D" if target.type == "date32" else target.unit
    is_calendar = unit in ("Y", "M") or wanted in ("Y", "M")
    if is_calendar and wanted and "," not in wanted and wanted != _unit_text(unit, step):
        array = _from_calendar(array, wanted)
        unit, step = np.datetime_data(array.dtype)
    validity = validity_bits(np.isnat(array))
    ticks = array.astype(array.dtype.newbyteorder("="), copy=False).view(np.int64)
    return Column.elements("timestamp64", ticks, _unit_text(unit, step), validity)


def _from_calendar(array: Array, wanted: str) -> Array:
    """Years and months, whose lengths differ, as the days or the unit of the column."""
    if wanted not in ("Y", "M"):
        return array.astype("M8[D]")
    cast = cast_times(array, wanted)
    return array if cast is None else cast


def _from_timedeltas(array: Array) -> Column:
    array = with_unit(array)
    unit, step = np.datetime_data(array.dtype)
    ticks = array.astype(array.dtype.newbyteorder("="), copy=False).view(np.int64)
    return Column.elements("duration64", ticks, _unit_text(unit, step),
                           validity_bits(np.isnat(array)))


def _unit_text(unit: str, step: int) -> str:
    return unit if step == 1 else f"{step}{unit}"
