"""NumPy arrays, masked ones too, as columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import Column, Error
from ._likes import parts_of
from ._lists import Array, cast_times, validity_bits

# NumPy's types whose memory is a column as it is.
NATIVE = {
    np.dtype(name).str: name
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                 "float32", "float64")
}


def from_numpy(array: Array, like: Any, validity: Array | None = None) -> Column:
    """The column in an array of anything but objects; `validity` is a bitmap of what is no null."""
    require_one_dimension(array)
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    name = NATIVE.get(array.dtype.str)
    if name is not None:
        return Column.elements(name, array, "", validity)
    kind = array.dtype.kind
    if kind == "M":
        return _from_datetimes(array, like)
    if kind == "S":
        return Column.fixed_strings(array.view(np.uint8), array.dtype.itemsize, array.size)
    if kind in "UT":
        if not array.size and like is not None:
            return nothing(like)
        return strings([item if isinstance(item, str) else None for item in array.tolist()])
    if array.dtype.newbyteorder("=").str in NATIVE:
        return from_numpy(array.astype(array.dtype.newbyteorder("=")), like, validity)
    raise Error(
        f"a column cannot have NumPy's type {array.dtype}: convert it to bool, integers, float32, "
        "float64, datetime64 or strings"
    )


def from_masked(masked: Any, like: Any) -> Column:
    """As `from_numpy`; what is masked is null."""
    require_one_dimension(masked)
    array, missing = np.ma.getdata(masked), np.ma.getmaskarray(masked)
    kind = array.dtype.kind
    if kind in "SUT" and array.size:
        return strings([None if lost else item for item, lost in zip(array.tolist(), missing)])
    if kind == "M":
        return from_numpy(np.where(missing, np.datetime64("NaT"), array), like)
    return from_numpy(array, like, None if kind == "V" else validity_bits(missing))


def require_one_dimension(array: Any) -> None:
    if array.ndim == 0:
        raise Error("the array has no dimension and a column has one: pass array.reshape(1)")
    if array.ndim != 1:
        raise Error(
            f"the array has {array.ndim} dimensions and a column has one: pass one column of it, "
            "such as array[:, 0], or a tuple of them for a composite key"
        )


def strings(items: list[Any]) -> Column:
    """str and bytes; None is a null."""
    try:
        return Column.strings(items)
    except UnicodeEncodeError as error:
        raise Error(f"the string {error.object!r} has half of a surrogate pair, which is no UTF-8: "
                    'pass bytes, such as text.encode("utf-8", "surrogatepass")') from None


def nothing(like: Any = None) -> Column:
    """No keys at all, of a type that can be compared with `like`."""
    if like is None:
        return Column.elements("int64", np.empty(0, np.int64))
    if like.type == "string":
        return Column.strings([])
    if like.type == "composite":
        return Column.composite([nothing(part) for part in parts_of(like, len(like.parts) or 1)])
    return Column.elements(like.type, np.empty(0, np.uint8), like.unit)


def _from_datetimes(array: Array, like: Any) -> Column:
    unit, step = np.datetime_data(array.dtype)
    wanted = getattr(like, "unit", "") or ("D" if getattr(like, "type", "") == "date32" else "")
    if unit == "generic":
        raise Error("the datetime64 array has no unit: give it one, such as datetime64[us]")
    if wanted and "," not in wanted and wanted != _unit_text(unit, step):
        target = np.dtype(f"datetime64[{wanted}]")
        is_finer = np.can_cast(array.dtype, target)  # then no tick is lost
        cast = cast_times(array, wanted) if is_finer else None
        if cast is not None:
            array, (unit, step) = cast, np.datetime_data(target)
    validity = validity_bits(np.isnat(array))
    ticks = array.astype(array.dtype.newbyteorder("="), copy=False).view(np.int64)
    return Column.elements("timestamp64", ticks, _unit_text(unit, step), validity)


def _unit_text(unit: str, step: int) -> str:
    return unit if step == 1 else f"{step}{unit}"
