"""Any Python object that holds a column becomes a view of its memory."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from ._arrays import NATIVE, from_masked, from_numpy, nothing, require_one_dimension, strings
from ._core import Column, Error
from ._device import device_column, is_device_array
from ._likes import parts_of
from ._lists import Array, has_strings, plain_array

_SCALARS = (int, float, str, bytes, np.generic, datetime.date)


def column(data: Any, like: Any = None) -> Column:
    """The column that `data` holds, where it lies; `like` is the index that it is compared with."""
    if type(data) is np.ndarray:
        name = NATIVE.get(data.dtype.str)
        if name is not None and data.ndim == 1 and data.flags.c_contiguous:
            return Column.elements(name, data)  # what most calls bring
        found = _from_array(data, like)
    elif isinstance(data, np.ndarray):
        found = _from_array(data, like)
    elif isinstance(data, tuple) and data and not is_one_key(data):
        found = _side_by_side(data, like)
    elif is_pandas(data):
        found = _from_pandas(data, like)
    elif is_device_array(data):
        return device_column(data)
    elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        found = _from_arrow(data, like)
    elif hasattr(data, "__dlpack__"):
        found = from_numpy(_from_dlpack(data), like)
    else:
        found = _from_python(data, like)
    return found if like is None else _fitted(found, like)


def is_scalar(data: Any) -> bool:
    return isinstance(data, _SCALARS) or (isinstance(data, np.ndarray) and data.ndim == 0)


def is_one_key(data: Any) -> bool:
    """Whether a tuple holds the parts of one key (or the keys of a plain column), not columns."""
    return isinstance(data, tuple) and any(part is None or is_scalar(part) for part in data)


def is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "ndim")


def columns_of(data: Any) -> list[Any]:
    """The columns that a table, a data frame or a tuple holds; none where it is no such thing."""
    if isinstance(data, tuple):
        return [] if is_one_key(data) else [*data]
    if is_pandas(data):
        return [data.iloc[:, i] for i in range(data.shape[1])] if data.ndim == 2 else []
    if hasattr(data, "get_columns"):  # polars
        return [*data.get_columns()]
    if hasattr(data, "flatten") and hasattr(getattr(data, "type", None), "num_fields"):
        return [*data.flatten()] if data.type.num_fields else []  # pyarrow's structs
    return [*data.columns] if hasattr(data, "column_names") else []  # and its tables


def _side_by_side(parts: Any, like: Any) -> Column:
    likes = parts_of(like, len(parts))
    return Column.composite([column(part, wanted) for part, wanted in zip(parts, likes)])


def _from_array(array: Array, like: Any) -> Column:
    if array.ndim == 0:
        return _from_list([None if np.ma.is_masked(array) else array[()]], like)
    if array.dtype.kind == "O":
        require_one_dimension(array)
        items = array.tolist()
        if like is None and all(item is None for item in items):
            return strings(items)  # what objects are mostly
        return _from_list(items, like)
    if isinstance(array, np.ma.MaskedArray):
        return from_masked(array, like)
    return from_numpy(np.asarray(array), like)


def _from_pandas(data: Any, like: Any) -> Column:
    import pandas

    if isinstance(data, pandas.DataFrame):
        return _side_by_side(columns_of(data), like)
    if not isinstance(data, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        raise Error(f"{type(data).__name__} is no column: pass a Series, an Index or a DataFrame")
    dtype = data.dtype
    if isinstance(dtype, np.dtype):
        return _from_array(data.to_numpy(), like)
    if isinstance(dtype, pandas.PeriodDtype):
        raise Error("the column holds periods, which are stretches of time: pass their beginnings, "
                    "with .to_timestamp() of an index and .dt.to_timestamp() of a Series")
    if isinstance(dtype, pandas.SparseDtype):
        return _from_array(np.asarray(data), like)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return from_numpy(getattr(data, "dt", data).tz_convert(None).to_numpy(), like)
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        return _from_pandas(pandas.Series(data), like)  # an Index or array of another type
    return _from_arrow(data, like)


def _from_arrow(data: Any, like: Any) -> Column:
    dtypes = getattr(data, "dtypes", [getattr(data, "dtype", None)])
    if type(data).__module__.startswith("polars") and any(str(kind) == "Object" for kind in dtypes):
        raise Error("a column of polars' type Object holds anything: cast it to the type that it "
                    "has, such as pl.Series(series.to_list())")
    try:
        found = Column.arrow(data)
    except Error:
        raise
    except Exception as error:  # of the library that exports the data
        raise Error(f"the {type(data).__name__} cannot be read through Arrow: {error}") from error
    if found.type == "composite" and found.unit != getattr(like, "unit", found.unit):
        parts = columns_of(data)  # dates may have to become days, or the other way
        if parts:
            return _side_by_side(parts, like)
    return found


def _from_dlpack(data: Any) -> Array:
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError) as error:
        raise Error(f"the array cannot be read through DLPack: {error}") from error


def _from_python(data: Any, like: Any) -> Column:
    if is_scalar(data) or isinstance(data, tuple) and getattr(like, "type", "") == "composite":
        data = [data]  # one lookup
    if isinstance(data, (memoryview, bytearray)) or hasattr(data, "__array__"):
        return _from_array(np.asarray(data), like)
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
        return nothing(like)
    if wanted == "composite":
        return _from_keys(items, like)
    if has_strings(items) or wanted == "string" and all(item is None for item in items):
        return strings(items)
    array, validity = plain_array(items, wanted, unit)
    if array.dtype.kind in "OUT":
        raise Error(f"a list with {type(items[0]).__name__} objects is no column: pass numbers, "
                    "strings, dates, datetimes and None")
    return from_numpy(array, like, validity)


def _from_keys(keys: list[Any], like: Any) -> Column:
    """Composite keys, each a tuple; None is a null."""
    for key in keys:
        if not isinstance(key, (tuple, type(None))):
            raise Error(f"{type(key).__name__} is no composite key: pass each key as a tuple of "
                        "its parts")
    lengths = sorted({len(key) for key in keys if key is not None})
    count = len(like.parts) or (lengths or [1])[0]
    if lengths not in ([], [count]):
        has = " or ".join(map(str, lengths))
        raise Error(f"the composite keys have {has} parts and the column has {count}: give every "
                    f"key {count}, and None for a part that is null")
    nulls = (None,) * count
    parts = zip(*(nulls if key is None else key for key in keys))
    return _side_by_side([list(part) for part in parts], like)


def _fitted(found: Column, like: Any) -> Column:
    """The lookups in the unit of the column, or an error that says how to get there."""
    if not found.unit and found.type != "date32":
        return found
    if found.type != like.type and "D" in (found.unit, like.unit):
        if like.type in ("date32", "timestamp64"):
            return found.converted_days()
    elif found.unit != like.unit and like.unit:
        raise Error(
            f"the lookups count time in {found.unit or 'D'} and the column in {like.unit}: convert "
            f'them, in NumPy with .astype("datetime64[{like.unit}]"), in pyarrow with .cast'
        )
    return found
