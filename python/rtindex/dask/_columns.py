"""Keys and values between processes: NumPy and Arrow arrays, split and joined.

A column is a tuple of parts, one for a plain column and several for a composite key. A part is a
NumPy array of numbers, bools or times, or a pyarrow array of anything else and of anything with
nulls.
"""

from __future__ import annotations

import datetime
import decimal
import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import InvalidArgumentError
from .._lists import Array, has_strings, is_missing, not_a_time, plain_array
from .._names import columns_of, is_one_key, is_pandas, is_scalar
from .._objects import durations, objects
from .._types import ColumnType, parts_of

Columns = tuple[Any, ...]

_PLAIN = "biufmM"


def columns(data: Any, target: ColumnType | None = None) -> Columns:
    """The parts of a column or of a batch of lookups; `target` is the type of the index."""
    composite = target is not None and target.type == "composite"
    if data is None or is_scalar(data) or composite and is_one_key(data):
        data = [data]
    if isinstance(data, (list, range)) or isinstance(data, tuple) and is_one_key(data):
        return _from_items(list(data), target)
    if isinstance(data, tuple) and data:
        found = data
    else:
        found = tuple(columns_of(data))
    if found:
        types = parts_of(target, len(found))
        parts = tuple(_part(part, wanted) for part, wanted in zip(found, types))
        sizes = sorted({len(part) for part in parts})
        if len(sizes) > 1:
            raise InvalidArgumentError("the parts of a composite key have different lengths: "
                                       f"{sizes[0]} and {sizes[-1]}; pass one entry per row")
        return parts
    if isinstance(data, np.ndarray) and data.dtype.kind == "O" and composite:
        return _from_items(data.tolist(), target)
    return (_part(data, target),)


def size(column: Columns) -> int:
    return len(column[0])


def nbytes(column: Columns) -> int:
    return sum(int(part.nbytes) for part in column)


def as_keys(column: Columns) -> Any:
    """The columns as arguments of `rtindex.build` and of the calls of an index."""
    first, *others = column
    return column if others else first


def as_included(column: Columns, names: Sequence[str]) -> Any:
    """Included columns as arguments of `rtindex.build` and of the calls of an index."""
    return {name: part for name, part in zip(names, column)} if any(names) else column[0]


def keys_for(index: Any, column: Columns) -> Any:
    """Lookups on an index; those on composite keys may have one part."""
    return column if index.type == "composite" else as_keys(column)


def take(column: Columns, rows: Array) -> Columns:
    return tuple(part.take(rows) if isinstance(part, np.ndarray) else _arrow_take(part, rows)
                 for part in column)


def cut(column: Columns, start: int, stop: int) -> Columns:
    return tuple(part[start:stop] for part in column)


def concat(pieces: Sequence[Columns]) -> Columns:
    if len(pieces) == 1:
        return pieces[0]
    return tuple(_concat(parts) for parts in zip(*pieces))


def like(column: Columns, model: Columns) -> Columns:
    """The same keys in the types of `model`, which must be able to hold them."""
    return tuple(_like(part, other) for part, other in zip(column, model))


def nulls(column: Columns) -> Array | None:
    """Which rows have a null; None without one."""
    found = None
    for part in column:
        missing = None
        if isinstance(part, np.ndarray):
            if part.dtype.kind in "mM":
                missing = np.isnat(part)
        elif part.null_count:
            missing = np.asarray(part.is_null())
        if missing is not None and missing.any():
            found = missing if found is None else found | missing
    return found


def part_of(array: Any) -> Any:
    """One part from an object of NumPy, pandas, pyarrow or polars."""
    return _part(array, None)


def packed(named: dict[str, Any]) -> bytes:
    """Columns and arrays as the content of a file, without pickles."""
    arrays: dict[str, Array] = {}
    for name, column in named.items():
        if isinstance(column, np.ndarray):
            arrays[name] = column
            continue
        for i, part in enumerate(column):
            if isinstance(part, np.ndarray):
                arrays[f"{name}.{i}"] = part
            else:
                arrays[f"{name}.{i}.arrow"] = _arrow_bytes(part)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpacked(data: bytes) -> dict[str, Any]:
    """The columns and arrays of `packed`."""
    named: dict[str, Any] = {}
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        for name in file.files:
            first, *rest = name.split(".")
            if not rest:
                named[first] = file[name]
                continue
            part = _arrow_from(file[name]) if rest[-1] == "arrow" else file[name]
            named[first] = (*named.get(first, ()), part)
    return named


def _part(data: Any, target: ColumnType | None) -> Any:
    if isinstance(data, np.ma.MaskedArray):
        import pyarrow

        if data.dtype.kind in "mM":
            return np.where(np.ma.getmaskarray(data), not_a_time(data.dtype), np.ma.getdata(data))
        return pyarrow.array(np.ma.getdata(data), mask=np.ma.getmaskarray(data))
    if isinstance(data, np.ndarray):
        return _from_array(data, target)
    if is_pandas(data):
        return _from_pandas(data, target)
    if is_scalar(data) or isinstance(data, (list, tuple, range)):
        return _from_items([data] if is_scalar(data) else list(data), target)[0]
    if hasattr(data, "__cuda_array_interface__"):
        raise InvalidArgumentError("the lookups are in device memory: rtindex.dask expects host "
                                   "memory and moves it to the GPUs of its workers; pass "
                                   "cupy.asnumpy(keys), or tensor.cpu()")
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _from_arrow(data)
    if hasattr(data, "__array__") or hasattr(data, "__dlpack__"):
        return _from_array(np.asarray(data), target)
    try:
        return _from_items(list(data), target)[0]
    except TypeError:
        raise InvalidArgumentError(
            "expected a column or lookups: a Dask array, series or data frame, or an object of "
            f"NumPy, pyarrow, pandas or polars; got {type(data).__name__}") from None


def _from_array(array: Array, target: ColumnType | None) -> Any:
    if array.ndim != 1:
        raise InvalidArgumentError(f"expected an array of one dimension, got {array.ndim}: pass "
                                   "one column of it, or a tuple of columns for a composite key")
    kind = array.dtype.kind
    if kind in _PLAIN:
        native = array.dtype.newbyteorder("=")
        return np.ascontiguousarray(array, native)
    if kind == "S":
        import pyarrow

        return pyarrow.array(array.tolist(), pyarrow.large_binary())  # without trailing NULs
    if kind in "UTO":
        items = array.tolist()
        if target is None and any(isinstance(item, decimal.Decimal) for item in items):
            raise InvalidArgumentError(
                "blocks of Decimal objects may have different scales: cast the column to one type, "
                "such as pandas.ArrowDtype(pyarrow.decimal128(18, 2))")
        return _from_items(items, target)[0]
    raise InvalidArgumentError(f"unsupported NumPy type {array.dtype}: convert it to bool, "
                               "integers, float32, float64, datetime64, timedelta64 or strings")


def _from_pandas(data: Any, target: ColumnType | None) -> Any:
    import pandas

    dtype = data.dtype
    if isinstance(dtype, np.dtype):
        return _from_array(data.to_numpy(), target)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        import pyarrow

        return pyarrow.array(pandas.Series(data), from_pandas=True)
    if isinstance(dtype, pandas.CategoricalDtype):
        series = pandas.Series(data)
        return _part(series.astype(dtype.categories.dtype), target)
    if isinstance(dtype, (pandas.PeriodDtype, pandas.IntervalDtype, pandas.SparseDtype)):
        raise InvalidArgumentError(f"unsupported pandas type {dtype}: convert the column to "
                                   "numbers, strings or timestamps first")
    return _from_arrow(data if hasattr(data, "__arrow_c_stream__") else pandas.Series(data))


def _from_arrow(data: Any) -> Any:
    import pyarrow
    import pyarrow.compute

    array = data if isinstance(data, (pyarrow.Array, pyarrow.ChunkedArray)) else (
        pyarrow.chunked_array(data) if hasattr(data, "__arrow_c_stream__") else pyarrow.array(data))
    if isinstance(array, pyarrow.ChunkedArray):
        array = array.combine_chunks()
        if isinstance(array, pyarrow.ChunkedArray):  # strings beyond 2 GiB
            array = pyarrow.concat_arrays([_wide(chunk) for chunk in array.chunks])
    if pyarrow.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if array.null_count == 0 and (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)
                                  ) and kind != pyarrow.float16():
        return array.to_numpy(zero_copy_only=False)
    return _wide(array)


def _wide(array: Any) -> Any:
    """Strings with offsets of 64 bits, so that no concatenation overflows."""
    import pyarrow

    kind = array.type
    if pyarrow.types.is_string(kind) or "string_view" in str(kind):
        return array.cast(pyarrow.large_string())
    if (pyarrow.types.is_binary(kind) or pyarrow.types.is_fixed_size_binary(kind)
            or "binary_view" in str(kind)):
        return array.cast(pyarrow.large_binary())
    return array


def _from_items(items: list[Any], target: ColumnType | None) -> Columns:
    """The parts of a list of keys; None is a null."""
    if target is not None and target.type == "composite":
        return _from_tuples(items, target)
    import pyarrow

    wanted, unit = ("", "") if target is None else (target.type, target.unit)
    if has_strings(items) or wanted == "string" or not wanted and items and all(
            item is None for item in items):
        if not all(isinstance(item, (str, bytes, type(None))) for item in items):
            raise InvalidArgumentError("the list mixes strings with other objects: pass strings "
                                       "and None only")
        if any(isinstance(item, bytes) for item in items):
            return (pyarrow.array([item.encode() if isinstance(item, str) else item
                                   for item in items], pyarrow.large_binary()),)
        try:
            return (pyarrow.array(items, pyarrow.large_string()),)
        except UnicodeEncodeError as error:
            raise InvalidArgumentError(f"the string {error.object!r} is not valid UTF-8: pass "
                                       "bytes") from None
    if not items:
        return (_empty(wanted, unit),)
    known = next((item for item in items if not is_missing(item)), None)
    if isinstance(known, (decimal.Decimal, datetime.timedelta)):
        return (_from_objects([None if is_missing(item) else item for item in items], known),)
    array, validity = plain_array(items, wanted, unit)
    if array.dtype.kind not in _PLAIN:
        raise InvalidArgumentError("expected a list of numbers, strings, dates, datetimes and "
                                   f"None, got {type(items[0]).__name__} objects")
    if validity is None or array.dtype.kind in "mM":
        return (array,)
    missing = np.unpackbits(validity, count=array.size, bitorder="little") == 0
    return (pyarrow.array(array, mask=missing),)


def _from_objects(items: list[Any], known: Any) -> Any:
    """Decimals or durations of Python; None is a null."""
    import pyarrow

    if isinstance(known, datetime.timedelta):
        return durations(items)
    objects(items, known)  # raises
    return pyarrow.array([None if item is None else decimal.Decimal(item) for item in items])


def _from_tuples(keys: list[Any], target: ColumnType) -> Columns:
    for key in keys:
        if not isinstance(key, (tuple, type(None))):
            raise InvalidArgumentError("expected composite keys, each a tuple of its parts, got "
                                       f"{type(key).__name__}")
    lengths = sorted({len(key) for key in keys if key is not None})
    whole = len(target.parts)
    count = lengths[0] if lengths else whole
    shorter = target.rounding is not None and count < whole
    if len(lengths) > 1 or not (count == whole or shorter and count):
        raise InvalidArgumentError(f"expected composite keys of {whole} parts, got "
                                   f"{' or '.join(map(str, lengths))} parts: write None for a part "
                                   "that is null")
    filled = [(None,) * count if key is None else key for key in keys]
    return tuple(_from_items([key[i] for key in filled], target.parts[i])[0]
                 for i in range(count))


def _empty(wanted: str, unit: str) -> Array:
    if wanted == "timestamp64":
        return np.empty(0, f"M8[{unit}]" if unit else np.int64)
    if wanted == "date32":
        return np.empty(0, "M8[D]")
    return np.empty(0, wanted or np.int64)


def _arrow_take(part: Any, rows: Array) -> Any:
    import pyarrow

    return part.take(pyarrow.array(rows, pyarrow.int64()))


def _concat(parts: Sequence[Any]) -> Any:
    if all(isinstance(part, np.ndarray) for part in parts):
        filled = [part for part in parts if len(part)] or [parts[0]]
        return np.concatenate(filled)
    import pyarrow

    arrays = [_as_arrow(part) for part in parts]
    model = next((array for array in arrays if len(array) != array.null_count), arrays[0])
    return pyarrow.concat_arrays([array if array.type == model.type else array.cast(model.type)
                                  for array in arrays])


def _as_arrow(part: Any) -> Any:
    import pyarrow

    return pyarrow.array(part) if isinstance(part, np.ndarray) else part


def _like(part: Any, model: Any) -> Any:
    import pyarrow

    if isinstance(model, np.ndarray):
        if not isinstance(part, np.ndarray):
            if part.null_count:  # the model has to be able to hold nulls from now on
                return part.cast(pyarrow.from_numpy_dtype(model.dtype))
            part = part.to_numpy(zero_copy_only=False)
        return part.astype(model.dtype, copy=False)
    array = _as_arrow(part)
    if array.type == model.type:
        return array
    if pyarrow.types.is_large_binary(array.type) and pyarrow.types.is_large_string(model.type):
        return array  # bytes that are not UTF-8: the concatenation becomes bytes
    return array.cast(model.type)


def _arrow_bytes(part: Any) -> Array:
    import pyarrow

    table = pyarrow.table({"part": part})
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return np.frombuffer(sink.getvalue(), np.uint8)


def _arrow_from(data: Array) -> Any:
    import pyarrow

    column = pyarrow.ipc.open_stream(pyarrow.py_buffer(data)).read_all()["part"]
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
