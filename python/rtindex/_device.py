"""Arrays of CuPy and PyTorch in device memory: read there, and answered there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from ._core import Column, Index, Lookups
from ._errors import InvalidArgumentError
from ._results import Answers, Join, Rows
from ._types import ColumnType

_DLPACK_CPU = 1
_DLPACK_PINNED = 3  # host memory that a GPU can read
_TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64"}


def is_device_array(data: Any) -> bool:
    """Whether the CPU cannot read the array, or those of the parts of a composite key."""
    data = first_array(data)
    if hasattr(data, "__cuda_array_interface__"):
        return True
    device = getattr(data, "__dlpack_device__", None)
    return device is not None and device()[0] not in (_DLPACK_CPU, _DLPACK_PINNED)


def first_array(data: Any) -> Any:
    """The array, or that of the first part of a composite key."""
    return data[0] if isinstance(data, tuple) and data else data


class Library:
    """The operations that differ between libraries. Calls are queued on the library's current
    stream; it frees memory in stream order, so that arrays may be dropped while in use."""

    def contiguous(self, data: Any) -> Any:
        raise NotImplementedError

    def dtype(self, data: Any) -> str:
        raise NotImplementedError

    def pointer(self, data: Any) -> int:
        raise NotImplementedError

    def device(self, data: Any) -> int:
        raise NotImplementedError

    def stream(self, data: Any) -> int:
        raise NotImplementedError

    def empty(self, size: int, dtype: str, like: Any) -> Any:
        raise NotImplementedError

    def cast(self, data: Any, dtype: str) -> Any:
        raise NotImplementedError

    def is_hit(self, rows: Any) -> Any:
        """Which of the answers to "any" are not a miss."""
        raise NotImplementedError


class _Cupy(Library):
    def __init__(self, cupy: Any):
        self.cupy = cupy

    def contiguous(self, data: Any) -> Any:
        return self.cupy.ascontiguousarray(data)

    def dtype(self, data: Any) -> str:
        return str(data.dtype.name)

    def pointer(self, data: Any) -> int:
        return int(data.data.ptr)

    def device(self, data: Any) -> int:
        return int(data.device.id)

    def stream(self, data: Any) -> int:
        return int(self.cupy.cuda.get_current_stream().ptr)

    def empty(self, size: int, dtype: str, like: Any) -> Any:
        with self.cupy.cuda.Device(self.device(like)):
            return self.cupy.empty(size, dtype)

    def cast(self, data: Any, dtype: str) -> Any:
        return data.astype(dtype)

    def is_hit(self, rows: Any) -> Any:
        return rows.view("int32") != -1


class _Torch(Library):
    def __init__(self, torch: Any):
        self.torch = torch

    def contiguous(self, data: Any) -> Any:
        return data.detach().contiguous()

    def dtype(self, data: Any) -> str:
        return str(data.dtype).removeprefix("torch.")

    def pointer(self, data: Any) -> int:
        return int(data.data_ptr())

    def device(self, data: Any) -> int:
        return int(data.device.index)

    def stream(self, data: Any) -> int:
        return int(self.torch.cuda.current_stream(data.device).cuda_stream)

    def empty(self, size: int, dtype: str, like: Any) -> Any:
        return self.torch.empty(size, dtype=getattr(self.torch, dtype), device=like.device)

    def cast(self, data: Any, dtype: str) -> Any:
        return data.to(getattr(self.torch, dtype))

    def is_hit(self, rows: Any) -> Any:
        return rows.view(self.torch.int32) != -1


_LIBRARIES = {"cupy": _Cupy, "torch": _Torch}


def library_of(data: Any) -> Library:
    package = type(data).__module__.partition(".")[0]
    if package not in _LIBRARIES:
        raise InvalidArgumentError(
            f"unsupported {package} array in device memory: pass it through cupy.asarray or "
            "torch.from_dlpack, which do not copy"
        )
    return _LIBRARIES[package](sys.modules[package])


def device_column(data: Any, target: ColumnType | None = None) -> Column:
    """A view of an array in device memory. With `target`, lookups on a column of that type."""
    library = library_of(data)
    dtype = library.dtype(data)
    if data.ndim != 1:
        raise InvalidArgumentError(f"expected an array of one dimension, got {data.ndim} "
                                   "dimensions: pass one column of it")
    if dtype not in _TYPES:
        raise InvalidArgumentError(f"unsupported type {dtype} in device memory: convert it to "
                                   "bool, integers, float32 or float64")
    if target is not None and target.rounds(dtype):
        raise InvalidArgumentError(
            f"{dtype} keys in device memory cannot look up a column of {target.type}: convert "
            "them there, such as with keys.astype(\"int64\") in CuPy or keys.long() in PyTorch, "
            "or copy them to the host, where floats are compared by value")
    kept = library.contiguous(data)
    return Column.device(library.dtype(kept), library.pointer(kept), len(kept), kept)


def device_rows(rows: Any, size: int) -> Column:
    """Rows in device memory as uint32; `size` is the number of rows of the column."""
    library = library_of(rows)
    dtype = library.dtype(rows)
    if dtype == "uint32":
        return device_column(rows)  # the index checks them itself
    if not dtype.startswith(("int", "uint")):
        raise InvalidArgumentError(f"invalid rows of type {dtype}: expected integers")
    # Those of 2^63 and above become negative, and so are refused as well.
    numbers = library.cast(rows, "int64")
    if bool(((numbers < 0) | (numbers >= size)).any()):
        raise InvalidArgumentError(wrong_rows(size))
    return device_column(library.cast(numbers, "uint32"))


def wrong_rows(size: int) -> str:
    if size == 0:
        return "invalid rows: the column has none"
    return f"invalid rows: expected rows of a column of {size} rows, 0 to {size - 1}"


def spec_for(data: Any, spec: str) -> str:
    """The spec of a column in device memory: "auto" is the best index on the same GPU."""
    return f"rx@cuda{library_of(data).device(data)}" if spec == "auto" else spec


def answer_on_device(index: Index, keys: Any, lookups: Lookups, names: Sequence[str],
                     dtype_of: Callable[[str], Any], values: Column | None, matched: bool,
                     limit: int, order: str, miss: Any) -> Any:
    """Answers a call whose lookups are in device memory, on the current stream of their library.

    `keys` is one of the arrays that hold them; `dtype_of` gives the type of an answer's array.
    """
    library = library_of(keys)
    size = len(lookups)
    if "rows" in names:
        index = index.snapshot()  # asked twice below, and others may change it in between
    arrays: dict[str, Any] = {
        name: library.empty(size, dtype_of(name).__name__, keys) for name in names if name != "rows"
    }
    if matched and "any" not in arrays:
        arrays["any"] = library.empty(size, "uint32", keys)

    def call(outputs: dict[str, Any], rows_capacity: int = 0) -> None:
        addresses = {name: library.pointer(array) for name, array in outputs.items()}
        index.answer_on_device(lookups, values, miss, addresses, rows_capacity, limit, order,
                               library.stream(keys))

    answers: dict[str, Any] = {}
    if "rows" in names:
        # Two calls: the first computes how many rows there are.
        offsets = library.empty(size + 1, "uint64", keys)
        call({"offsets": offsets})
        total = int(offsets[-1])
        rows = library.empty(total, "uint32", keys)
        call({**arrays, "offsets": offsets, "rows": rows}, total)
        answers["rows"] = Rows(offsets, rows)
    else:
        call(arrays)
    answers.update({name: arrays[name] for name in names if name != "rows"})
    if len(names) == 1 and not matched:
        return answers[names[0]]
    if matched:
        answers["matched"] = library.is_hit(arrays["any"])
    return Answers(size, answers)


def join_on_device(index: Index, keys: Any, lookups: Lookups, how: str, one_row: bool) -> Join:
    """Joins lookups in device memory, on the current stream of their library; `one_row`: a lookup
    makes at most one pair."""
    library = library_of(keys)
    index = index.snapshot()  # asked twice below, and others may change it in between
    count = library.empty(1, "uint64", keys)

    def call(outputs: dict[str, Any], capacity: int) -> None:
        addresses = {name: library.pointer(array) for name, array in outputs.items()}
        index.join_on_device(lookups, how, {**addresses, "count": library.pointer(count)}, capacity,
                             library.stream(keys))

    capacity = len(lookups)
    if not one_row:
        call({}, 0)
        capacity = int(count[0])
    arrays = {"lookups": library.empty(capacity, "int64", keys)}
    if how in ("inner", "left"):
        arrays["rows"] = library.empty(capacity, "uint32", keys)
    call(arrays, capacity)
    pairs = capacity if how == "left" else int(count[0])  # which waits for the stream
    rows = arrays.get("rows")
    return Join(arrays["lookups"][:pairs], None if rows is None else rows[:pairs])
