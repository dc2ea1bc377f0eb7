"""Any Python object that holds a column becomes a view of its memory."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ._arrays import NATIVE, empty, from_masked, from_numpy, require_one_dimension, strings
from ._core import Column
from ._device import device_column, is_device_array
from ._errors import Error, InvalidArgumentError
from ._lists import Array, has_strings, plain_array
from ._types import FLOATS, ColumnType, parts_of

_SCALARS = (int, float, str, bytes, np.generic, datetime.date)


def column(data: Any, target: ColumnType | None = None) -> Column:
    """A view of the column that `data` holds. With `target`, lookups on a column of that type."""
    if type(data) is np.ndarray:
        name = NATIVE.get(data.dtype.str)
        if name is not None and data.ndim == 1 and data.flags.c_contiguous:
            found = Column.elements(name, data)  # the common case
            return _converted(found, target) if target is not None and name in FLOATS else found
        found = _from_array(data, target)
    elif isinstance(data, np.ndarray):
        found = _from_array(data, target)
    elif isinstance(data, tuple) and data and not is_one_key(data):
        found = _side_by_side(data, target)
    elif is_pandas(data):
        found = _from_pandas(data, target)
    elif is_device_array(data):
        return device_column(data, target)
    elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        found = _from_arrow(data, target)
    elif hasattr(data, "__dlpack__"):
        found = from_numpy(_from_dlpack(data), target)
    else:
        found = _from_python(data, target)
    return found if target is None else _converted(found, target)


def open_end(target: ColumnType, size: int, upper: bool) -> Column:
    """Ends of `size` ranges that exclude no key of the column."""
    if target.type == "composite":
        return Column.composite([open_end(part, size, upper) for part in target.parts])
    return Column.open_end(target.type, target.unit, size, upper)


def mask_column(mask: Any) -> Column:
    """A mask of rows: booleans, of which nulls are false."""
    found = column(mask)
    if is_scalar(mask) or (found.type != "bool" and len(found)):
        raise InvalidArgumentError("invalid filter: expected one boolean for each row, got "
                                   f"{type(mask).__name__ if is_scalar(mask) else found.type}")
    if found.on_device:
        raise InvalidArgumentError("invalid filter: expected a mask in host memory: copy it there")
    return found


def is_scalar(data: Any) -> bool:
    return isinstance(data, _SCALARS) or (isinstance(data, np.ndarray) and data.ndim == 0)


def is_one_key(data: Any) -> bool:
    """Whether a tuple holds the parts of one key (or the keys of a plain column), not columns."""
    return isinstance(data, tuple) and any(part is None or is_scalar(part) for part in data)


def is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "ndim")


def columns_of(data: Any) -> list[Any]:
    """The columns of a table, a data frame or a tuple; none for anything else."""
    if isinstance(data, tuple):
        return [] if is_one_key(data) else [*data]
    if is_pandas(data):
        return [data.iloc[:, i] for i in range(data.shape[1])] if data.ndim == 2 else []
    if hasattr(data, "get_columns"):  # polars
        return [*data.get_columns()]
    if hasattr(data, "flatten") and hasattr(getattr(data, "type", None), "num_fields"):
        return [*data.flatten()] if data.type.num_fields else []  # pyarrow's structs
    return [*data.columns] if hasattr(data, "column_names") else []  # and its tables


def _side_by_side(parts: Any, target: ColumnType | None) -> Column:
    types = parts_of(target, len(parts))
    return Column.composite([column(part, wanted) for part, wanted in zip(parts, types)])


def _from_array(array: Array, target: ColumnType | None) -> Column:
    if array.ndim == 0:
        return _from_list([None if np.ma.is_masked(array) else array[()]], target)
    if array.dtype.kind == "O":
        require_one_dimension(array)
        items = array.tolist()
        if target is None and all(item is None for item in items):
            return strings(items)  # objects are mostly strings
        return _from_list(items, target)
    if isinstance(array, np.ma.MaskedArray):
        return from_masked(array, target)
    return from_numpy(np.asarray(array), target)


def _from_pandas(data: Any, target: ColumnType | None) -> Column:
    import pandas

    if isinstance(data, pandas.DataFrame):
        return _side_by_side(columns_of(data), target)
    if not isinstance(data, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        raise InvalidArgumentError(f"expected a Series, an Index or a DataFrame of pandas, got "
                                   f"{type(data).__name__}")
    dtype = data.dtype
    if isinstance(dtype, np.dtype):
        return _from_array(data.to_numpy(), target)
    if isinstance(dtype, pandas.PeriodDtype):
        raise InvalidArgumentError(
            "unsupported column of periods: pass the start of each, with .to_timestamp() of an "
            "Index and .dt.to_timestamp() of a Series")
    if isinstance(dtype, pandas.SparseDtype):
        return _from_array(np.asarray(data), target)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return from_numpy(getattr(data, "dt", data).tz_convert(None).to_numpy(), target)
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        return _from_pandas(pandas.Series(data), target)  # an Index or array of another type
    return _from_arrow(data, target)


def _from_arrow(data: Any, target: ColumnType | None) -> Column:
    dtypes = getattr(data, "dtypes", [getattr(data, "dtype", None)])
    if type(data).__module__.startswith("polars") and any(str(kind) == "Object" for kind in dtypes):
        raise InvalidArgumentError("unsupported polars type Object: cast the column, such as with "
                                   "pl.Series(series.to_list())")
    try:
        found = Column.arrow(data)
    except Error:
        raise
    except Exception as error:  # of the library that exports the data
        raise InvalidArgumentError(
            f"the {type(data).__name__} cannot be read through Arrow: {error}") from error
    if target is not None and found.type == "composite" and _needs_parts(found, target):
        parts = columns_of(data)
        if parts:
            return _side_by_side(parts, target)
    return found


def _needs_parts(found: Column, target: ColumnType) -> bool:
    """Whether a part of the tuples has to be converted."""
    types = zip(found.part_types, target.parts)
    return found.unit != target.unit or any(part.rounds(name) for name, part in types)


def _from_dlpack(data: Any) -> Array:
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError) as error:
        raise InvalidArgumentError(f"the array cannot be read through DLPack: {error}") from error


def _from_python(data: Any, target: ColumnType | None) -> Column:
    is_composite = target is not None and target.type == "composite"
    if is_scalar(data) or isinstance(data, tuple) and is_composite:
        data = [data]  # one lookup
    if isinstance(data, (memoryview, bytearray)) or hasattr(data, "__array__"):
        return _from_array(np.asarray(data), target)
    try:
        items = list(data)
    except TypeError:
        raise InvalidArgumentError(
            "expected a column, such as an object of NumPy, pyarrow, pandas or polars, anything "
            f"with DLPack, or a list; got {type(data).__name__}"
        ) from None
    return _from_list(items, target)


def _from_list(items: list[Any], target: ColumnType | None) -> Column:
    if not items:
        return empty(target)
    wanted, unit = ("", "") if target is None else target[:2]
    if target is not None and wanted == "composite":
        return _from_keys(items, target)
    if has_strings(items) or wanted == "string" and all(item is None for item in items):
        return strings(items)
    array, validity = plain_array(items, wanted, unit)
    if array.dtype.kind in "OUT":
        raise InvalidArgumentError("expected a list of numbers, strings, dates, datetimes and "
                                   f"None, got {_odd_one(items)}")
    return from_numpy(array, target, validity)


def _odd_one(items: list[Any]) -> str:
    """The first item that no column can hold, in words."""
    for item in items:
        if plain_array([item], "", "")[0].dtype.kind in "OUT":
            return f"{type(item).__name__} objects"
    return "a mixture of " + ", ".join(sorted({type(item).__name__ for item in items}))


def _from_keys(keys: list[Any], target: ColumnType) -> Column:
    """Composite keys, each a tuple; None is a null."""
    for key in keys:
        if not isinstance(key, (tuple, type(None))):
            raise InvalidArgumentError("expected composite keys, each a tuple of its parts, got "
                                       f"{type(key).__name__}")
    lengths = sorted({len(key) for key in keys if key is not None})
    count = len(target.parts) or (lengths or [1])[0]
    if len(lengths) == 1 and target.rounding is not None and 0 < lengths[0] < count:
        count = lengths[0]  # of lookups: the parts that keys begin with
    if lengths not in ([], [count]):
        got = " or ".join(map(str, lengths))
        raise InvalidArgumentError(f"expected composite keys of {count} parts, got {got} parts: "
                                   "write None for a part that is null")
    nulls = (None,) * count
    parts = zip(*(nulls if key is None else key for key in keys))
    return _side_by_side([list(part) for part in parts], target)


def _converted(found: Column, target: ColumnType) -> Column:
    """The lookups in the type and unit of the column, or an error that says how to get there."""
    if target.rounding is not None and target.rounds(found.type):
        return found.whole_numbers(target.type, *target.rounding)
    if not found.unit and found.type != "date32":
        return found
    if found.type != target.type and "D" in (found.unit, target.unit):
        if {found.type, target.type} == {"date32", "timestamp64"}:
            return found.converted_days()
    elif target.unit and not f"{target.unit},".startswith(f"{found.unit},"):
        raise InvalidArgumentError(
            f"expected times in {target.unit}, as in the index, got {found.unit or 'D'}: convert "
            f'them, in NumPy with .astype("datetime64[{target.unit}]"), in pyarrow with .cast'
        )
    return found
