"""Keys and values between processes: NumPy and Arrow arrays, split and joined.

A column is a tuple of parts, one for a plain column and several for a composite key. A part is a
NumPy array of numbers, bools or times without a zone, or a pyarrow array of anything else and of
numbers with nulls. Strings are bytes with offsets of 64 bits, so that no concatenation overflows.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._lists import Array

Columns = tuple[Any, ...]


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


def typed_nulls(column: Columns, model: Columns) -> Columns:
    """The column, whose parts of nulls alone have the types of `model`: a block of objects without
    any has no type of its own."""
    return tuple(_nulls_like(part, other) for part, other in zip(column, model))


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
    return pyarrow.concat_arrays([_as_type(array, model.type) for array in arrays])


def _as_type(array: Any, wanted: Any) -> Any:
    import pyarrow

    if array.type == wanted:
        return array
    is_null = array.null_count == len(array)  # such as a block of objects, whose type is unknown
    return pyarrow.nulls(len(array), wanted) if is_null else array.cast(wanted)


def _nulls_like(part: Any, model: Any) -> Any:
    if isinstance(part, np.ndarray) or not len(part) or part.null_count < len(part):
        return part
    if not isinstance(model, np.ndarray):
        return _as_type(part, model.type)
    if model.dtype.kind in "mM":
        return np.full(len(part), "NaT", model.dtype)
    return _as_type(part, _as_arrow(model[:0]).type)


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
    return _as_type(_as_arrow(part), model.type)


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
