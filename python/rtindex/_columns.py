"""Any Python object that holds a column becomes a view of its memory."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import Any

import numpy as np

from ._arrays import NATIVE, empty, from_masked, from_numpy, require_one_dimension, strings
from ._core import Column, number_list
from ._device import device_column, is_device_array
from ._errors import Error, InvalidArgumentError
from ._lists import (
    Array,
    has_strings,
    is_missing,
    odd_list,
    plain_array,
    times_of,
)
from ._names import (
    as_table,
    columns_by_name,
    is_one_key,
    is_pandas,
    is_scalar,
    library_of,
    require_collected,
)
from ._objects import OBJECTS, objects
from ._times import zone_of
from ._type_names import require_comparable
from ._types import DECIMALS, FLOATS, INTEGERS, WIDTHS, ColumnType, parts_of
from ._units import in_unit, require_zone
from ._whole import is_all_null, whole_as_floats
from ._wide import wide_integers


def column(data: Any, target: ColumnType | None = None, nan_as_null: bool | None = None) -> Column:
    """A view of the column that `data` holds. With `target`, lookups on a column of that type.

    nan_as_null: whether NaN is null; None: of pandas objects it is.
    """
    if target is not None:
        nan_as_null = target.nan_as_null
        if target.type.startswith("float"):
            data = whole_as_floats(data)
    if type(data) is int and target is not None and target.type in INTEGERS and -(2**63) <= data < 2**63:
        return _converted(Column.elements("int64", np.array([data])), target, data)  # one key, or an end
    if type(data) is np.ndarray:
        name = NATIVE.get(data.dtype.str)
        if name is not None and data.ndim == 1 and data.flags.c_contiguous:
            found = Column.elements(name, data)  # the common case
            if name in FLOATS and nan_as_null:
                found = found.nan_as_null()
            return found if target is None or name == target.type else _converted(found, target, data)
        found = _from_array(data, target)
    elif isinstance(data, np.ndarray):
        found = _from_array(data, target)
    elif isinstance(data, tuple) and data and not is_one_key(data):
        return _side_by_side(data, target, nan_as_null)
    elif is_pandas(data):
        found = _from_pandas(data, target, nan_as_null is not False)
    elif is_device_array(data):
        return device_column(data, target)
    elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        found = _from_arrow(as_table(data), target, nan_as_null)
    elif hasattr(data, "__dlpack__"):
        found = from_numpy(_from_dlpack(data), target)
    else:
        found = _from_python(data, target)
    if found.type in FLOATS and (is_pandas(data) if nan_as_null is None else nan_as_null):
        found = found.nan_as_null()
    if target is None:
        return found
    if found.type in ("timestamp64", "date32") and target.type != "composite":
        _require_zone(data, found, target)
    return _converted(found, target, data)


def _require_zone(data: Any, found: Column, target: ColumnType) -> None:
    kind = getattr(data, "dtype", getattr(data, "type", None))
    if kind is None or kind == object:
        return  # of Python objects, which were checked one by one
    what = f"the {'date' if found.type == 'date32' else 'timestamp'} column"
    require_zone(zone_of(data), target, what)


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


def _side_by_side(parts: Any, target: ColumnType | None,
                  nan_as_null: bool | None = None) -> Column:
    types = parts_of(target, len(parts))
    return Column.composite([column(part, wanted, nan_as_null)
                             for part, wanted in zip(parts, types)])


def _from_array(array: Array, target: ColumnType | None) -> Column:
    if array.ndim == 0:
        return _from_list([None if np.ma.is_masked(array) else array[()]], target)
    is_time = target is not None and target.type in ("date32", "timestamp64")
    if array.dtype.kind == "O" or is_time and array.dtype.kind in "UT":
        require_one_dimension(array)
        items = array.tolist()
        if target is None and all(item is None for item in items):
            return strings(items)  # objects are mostly strings
        return _from_list(items, target)
    if isinstance(array, np.ma.MaskedArray):
        return from_masked(array, target)
    return from_numpy(np.asarray(array), target)


def _from_pandas(data: Any, target: ColumnType | None, nan_as_null: bool) -> Column:
    import pandas

    if isinstance(data, (pandas.DataFrame, pandas.MultiIndex)):
        columns = columns_by_name(data, target)
        if len(columns) == 1 and (target is None or target.type != "composite"):
            return column(columns[0], target)
        return _side_by_side(columns, target, nan_as_null)
    if not isinstance(data, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        raise InvalidArgumentError(f"expected a Series, an Index or a DataFrame of pandas, got "
                                   f"{type(data).__name__}")
    dtype = data.dtype
    are_times = target is not None and target.type in ("date32", "timestamp64")
    if (dtype == object or are_times and isinstance(dtype, pandas.StringDtype)) and len(data):
        missing = pandas.isna(data) if nan_as_null else [is_missing(item) for item in data]
        items = [None if lost else item for item, lost in zip(data, missing)]
        return strings(items) if target is None and all(missing) else _from_list(items, target)
    if isinstance(dtype, np.dtype):
        return _from_array(data.to_numpy(), target)
    if isinstance(dtype, pandas.PeriodDtype):
        raise InvalidArgumentError(
            "unsupported column of periods: pass the start of each, with .to_timestamp() of an "
            "Index and .dt.to_timestamp() of a Series")
    if hasattr(getattr(dtype, "categories", dtype), "closed"):
        raise InvalidArgumentError(
            "expected keys, got intervals of pandas: pass their ends, such as "
            "overlaps(i.left, i.right, ends=\"(]\"), or to look up bins of pd.cut their codes, "
            "with .cat.codes")
    if isinstance(dtype, pandas.SparseDtype):
        return _from_array(np.asarray(data), target)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        times: Any = getattr(data, "dt", data)
        return from_numpy(times.tz_convert(None).to_numpy(), target)
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        # An Index or array of another type.
        return _from_pandas(pandas.Series(data), target, nan_as_null)
    return _from_arrow(data, target)


def _from_arrow(data: Any, target: ColumnType | None, nan_as_null: bool | None = None) -> Column:
    dtypes = getattr(data, "dtypes", [getattr(data, "dtype", None)])
    if library_of(data) == "polars" and any(str(kind) == "Object" for kind in dtypes):
        raise InvalidArgumentError("unsupported polars type Object: cast the column, such as with "
                                   "pl.Series(series.to_list())")
    columns = columns_by_name(data, target)
    if columns and hasattr(data, "columns"):  # a data frame or a table
        if len(columns) == 1 and (target is None or target.type != "composite"):
            return column(columns[0], target, nan_as_null)
        if target is not None or nan_as_null:
            return _side_by_side(columns, target, nan_as_null)
    if is_all_null(data):
        return column([None] * len(data), target)
    try:
        found = Column.arrow(data)
    except Error:
        raise
    except Exception as error:  # of the library that exports the data
        raise InvalidArgumentError(
            f"the {type(data).__name__} cannot be read through Arrow: {error}") from error
    if columns and found.type == "composite" and (target is not None or nan_as_null):
        return _side_by_side(columns, target, nan_as_null)
    return found


def _from_dlpack(data: Any) -> Array:
    try:
        return np.from_dlpack(data)
    except (BufferError, RuntimeError, TypeError) as error:
        raise InvalidArgumentError(f"the array cannot be read through DLPack: {error}") from error


def _from_python(data: Any, target: ColumnType | None) -> Column:
    if is_missing(data) and target is not None and target.rounding is not None:
        return _from_list([None], target)  # one lookup
    if isinstance(data, tuple) and target is not None and target.type == "composite":
        return _from_keys([data], target, one=True)  # one lookup
    if is_scalar(data):
        return _from_list([_as_narrow(data, target)], target)
    require_collected(data)
    if isinstance(data, (memoryview, bytearray)) or hasattr(data, "__array__"):
        return _from_array(np.asarray(data), target)
    if isinstance(data, (dict, set, frozenset)):
        raise InvalidArgumentError(f"expected a column or a list of keys, got a "
                                   f"{type(data).__name__}: pass a list, whose order is known")
    try:
        items = data if type(data) is list else list(data)
    except TypeError:
        raise InvalidArgumentError(
            "expected a column, such as an object of NumPy, pyarrow, pandas or polars, anything "
            f"with DLPack, or a list; got {type(data).__name__}"
        ) from None
    return _from_list(items, target)


def _as_narrow(number: Any, target: ColumnType | None) -> Any:
    """One float of Python in the type of a column of float16 or float32, as NumPy compares it."""
    if target is None or target.type not in ("float32", "float16") or type(number) is not float:
        return number
    with np.errstate(over="ignore"):
        narrow = np.float32(np.dtype(target.type).type(number))
    # One beyond the type equals no key, infinity neither.
    return narrow if np.isfinite(narrow) or not math.isfinite(number) else number


def _from_list(items: list[Any], target: ColumnType | None) -> Column:
    if not items:
        return empty(target)
    wanted, unit = ("", "") if target is None else target[:2]
    if target is not None and wanted == "composite":
        return _from_keys(items, target)
    plain = number_list(items)
    if plain is not None:
        numbers, validity = plain
        if wanted.startswith("float"):
            numbers = whole_as_floats(numbers)
        return Column.elements(NATIVE[numbers.dtype.str], numbers, "", validity)
    known = next((item for item in items if not is_missing(item)), None)
    if known is None and target is not None and wanted != "string":
        return _nulls(len(items), target)
    if target is None and isinstance(known, tuple):
        return _from_keys(items, ColumnType("composite", ""))
    is_time = isinstance(known, (str, datetime.date, np.datetime64))
    if target is not None and is_time and wanted in ("date32", "timestamp64"):
        array, zone = times_of(items)
        if not np.isnat(array).all():
            require_zone(zone, target, "the list" if len(items) > 1 else f"the time {items[0]}")
        return from_numpy(array, target)
    if has_strings(items) or wanted == "string" and known is None:
        return strings([None if is_missing(item) else item for item in items])
    model = _model_of(known, items)
    if model is not None:
        return objects([None if is_missing(item) else item for item in items], model)
    can_be_wide = target is not None and (target.rounding is not None or wanted in DECIMALS)
    if target is not None and can_be_wide and _is_wide(items):
        items = [None if is_missing(item) else item for item in items]
        if target.type in (*FLOATS, "float16"):
            return _from_list([item if item is None else _as_float(item) for item in items], target)
        return wide_integers(items, target)
    array, validity = plain_array(items, wanted, unit)
    if array.dtype.kind in "OUT" or array.ndim != 1:
        raise odd_list(items)
    if wanted.startswith("float"):
        array = whole_as_floats(array)
    return from_numpy(array, target, validity)


def _model_of(known: Any, items: list[Any]) -> Any:
    """An object of the type that a list of rare objects is read as; None for any other list. With
    decimals there may be integers, with durations those of NumPy."""
    if isinstance(known, OBJECTS):
        return known
    others: Any = decimal.Decimal if type(known) is int else (
        datetime.timedelta if isinstance(known, np.timedelta64) else ())
    return next((item for item in items if isinstance(item, others)), None)


def _nulls(count: int, target: ColumnType) -> Column:
    width = WIDTHS.get(target.type) or np.dtype(target.type).itemsize
    return Column.elements(target.type, np.zeros(count * width, np.uint8), target.unit,
                           np.zeros((count + 7) // 8, np.uint8), target.scale)


def _as_float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _is_wide(items: list[Any]) -> bool:
    """Whether these are integers that no type of 64 bits holds."""
    if not all(isinstance(item, (int, np.integer)) and not isinstance(item, np.timedelta64)
               or is_missing(item) for item in items):
        return False
    known = [int(item) for item in items if not is_missing(item)]
    if not known:
        return False
    low, high = min(known), max(known)
    return low < -(2**63) or high >= 2**64 or low < 0 and high >= 2**63


def _from_keys(keys: list[Any], target: ColumnType, one: bool = False) -> Column:
    """Composite keys, each a tuple; None is a null. `one`: the only key is one lookup."""
    for i, key in enumerate(keys):
        if not isinstance(key, tuple) and not is_missing(key):
            raise InvalidArgumentError("expected composite keys, each a tuple of its parts, got "
                                       f"{type(key).__name__} (element {i})")
    first = next((len(key) for key in keys if isinstance(key, tuple)), 0)
    count = len(target.parts) or first or 1
    if target.rounding is not None and 0 < first < count:
        count = first  # of lookups: the parts that keys begin with
    for i, key in enumerate(keys):
        if isinstance(key, tuple) and len(key) != count:
            got = "1 part" if len(key) == 1 else f"{len(key)} parts"
            raise InvalidArgumentError(f"expected composite keys of {count} parts, got {got} "
                                       f"(element {i}): write None for a part that is null")
    if one:
        return _side_by_side(keys[0], target)
    nulls = (None,) * count
    parts = zip(*(key if isinstance(key, tuple) else nulls for key in keys))
    return _side_by_side([list(part) for part in parts], target)


def _converted(found: Column, target: ColumnType, data: Any) -> Column:
    """The lookups in the type and unit of the column, or an error that says how to get there."""
    if target.rounding is not None and target.rounds(found.type):
        return found.whole_numbers(target.type, *target.rounding[:3])
    converted = in_unit(found, target)
    if target.are_keys and converted.type != target.type:
        require_comparable(converted, target, data)
    return converted
