"""Any Python object that holds a column becomes a view of its memory."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ._core import Column, Error
from ._device import device_column, is_device_array
from ._lists import Array, cast_times, has_strings, plain_array, validity_bits

# NumPy's types whose memory is a column as it is.
_NATIVE = {
    np.dtype(name).str: name
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                 "float32", "float64")
}
_SCALARS = (int, float, str, bytes, np.generic, datetime.date)


def column(data: Any, like: Any = None) -> Column:
    """The column that `data` holds, where it lies; `like` is the index that it is compared with."""
    if type(data) is np.ndarray:
        name = _NATIVE.get(data.dtype.str)
        if name is not None and data.ndim == 1 and data.flags.c_contiguous:
            return Column.elements(name, data)  # what most calls bring
        found = _from_numpy(data, like)
    elif isinstance(data, np.ma.MaskedArray):
        found = _from_list(data.tolist(), like)
    elif isinstance(data, np.ndarray):
        found = _from_numpy(np.asarray(data), like)
    elif isinstance(data, tuple) and data and not any(is_scalar(part) for part in data):
        found = Column.composite([column(part) for part in data])
    elif is_pandas(data):
        found = _from_pandas(data, like)
    elif is_device_array(data):
        return device_column(data)
    elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        found = Column.arrow(data)
    elif hasattr(data, "__dlpack__"):
        found = _from_numpy(_from_dlpack(data), like)
    else:
        found = _from_python(data, like)
    return found if like is None else _fitted(found, like)


def is_scalar(data: Any) -> bool:
    return isinstance(data, _SCALARS) or (type(data) is np.ndarray and data.ndim == 0)


def is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "ndim")


def _from_numpy(array: Array, like: Any, validity: Array | None = None) -> Column:
    name = _NATIVE.get(array.dtype.str)
    if array.ndim != 1:
        raise Error(
            f"the array has {array.ndim} dimensions and a column has one: pass one column of it, "
            "such as array[:, 0], or a tuple of them for a composite key"
        )
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    if name is not None:
        return Column.elements(name, array, "", validity)
    kind = array.dtype.kind
    if kind == "M":
        return _from_datetimes(array, like)
    if kind == "S":
        return Column.fixed_strings(array.view(np.uint8), array.dtype.itemsize, array.size)
    if kind in "OUT":
        return _from_list(array.tolist(), like)
    if array.dtype.newbyteorder("=").str in _NATIVE:
        return _from_numpy(array.astype(array.dtype.newbyteorder("=")), like)
    raise Error(
        f"a column cannot have NumPy's type {array.dtype}: convert it to bool, integers, float32, "
        "float64, datetime64 or strings"
    )


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


def _from_pandas(data: Any, like: Any) -> Column:
    if data.ndim == 2:
        return Column.composite([column(data.iloc[:, i]) for i in range(data.shape[1])])
    if isinstance(data.dtype, np.dtype):
        return _from_numpy(data.to_numpy(), like)
    if getattr(data.dtype, "tz", None) is not None and data.dtype.kind == "M":
        return _from_numpy(getattr(data, "dt", data).tz_convert(None).to_numpy(), like)
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        data = data.to_series()  # an Index of another type
    return Column.arrow(data)


def _from_dlpack(data: Any) -> Array:
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError) as error:
        raise Error(f"the array cannot be read through DLPack: {error}") from error


def _from_python(data: Any, like: Any) -> Column:
    if is_scalar(data) or isinstance(data, tuple) and getattr(like, "type", "") == "composite":
        data = [data]  # one lookup
    if isinstance(data, (memoryview, bytearray)) or hasattr(data, "__array__"):
        return _from_numpy(np.asarray(data), like)
    try:
        items = list(data)
    except TypeError:
        raise Error(
            f"{type(data).__name__} is no column: pass a NumPy, pyarrow, pandas or polars object, "
            "anything with DLPack, or a list"
        ) from None
    return _from_list(items, like)


def _from_list(items: list[Any], like: Any) -> Column:
    wanted, unit = getattr(like, "type", ""), getattr(like, "unit", "")
    if not items:
        return _nothing(wanted, unit)
    if wanted == "composite" and isinstance(items[0], tuple):
        return Column.composite([_from_list(list(part), None) for part in zip(*items)])
    if has_strings(items) or wanted == "string" and all(item is None for item in items):
        return Column.strings(items)
    array, validity = plain_array(items, wanted, unit)
    if array.dtype.kind in "OUT":
        raise Error(f"a list with {type(items[0]).__name__} objects is no column: pass numbers, "
                    "strings, dates, datetimes and None")
    return _from_numpy(array, like, validity)


def _nothing(wanted: str, unit: str) -> Column:
    """No keys at all, of a type that can be compared with any column."""
    if wanted == "string":
        return Column.strings([])
    if wanted == "composite" or not wanted:
        return Column.elements("int64", np.empty(0, np.int64))
    return Column.elements(wanted, np.empty(0, np.uint8), unit)


def _fitted(found: Column, like: Any) -> Column:
    """The lookups in the unit of the column, or an error that says how to get there."""
    if not found.unit and found.type != "date32":
        return found
    if found.type != like.type and "D" in (found.unit, like.unit):
        if like.type in ("date32", "timestamp64"):
            return found.converted_days()
    elif found.unit != like.unit and like.unit:
        raise Error(
            f"the lookups count time in {found.unit} and the column in {like.unit}: convert them, "
            f'in NumPy with .astype("datetime64[{like.unit}]"), in pyarrow with .cast'
        )
    return found
