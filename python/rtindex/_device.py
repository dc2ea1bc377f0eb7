"""Arrays of CuPy and PyTorch in device memory, and Arrow arrays there: read there, and answered
there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._core import Column, Index, Query
from ._errors import InvalidArgumentError, UnavailableError
from ._results import Answers, Join, Rows
from ._types import ColumnType

_MAX_PAIRS = 1 << 24  # of a batch of a join: 192 MiB
_DLPACK_CPU = 1
_DLPACK_PINNED = 3  # host memory that a GPU can read
_TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64"}


class DeviceStrings:
    """Strings in device memory in Arrow's layout: string i is `data[offsets[i]:offsets[i + 1]]`.

    `offsets` are int32 or int64, one more than there are strings; `data` are bytes (uint8); and
    `validity` is Arrow's bitmap of the strings that are not null (uint8, lowest bit first). All of
    them are arrays of CuPy or tensors of PyTorch, which stay where they are.

        >>> names = rtindex.DeviceStrings(offsets, data)
        >>> index = rtindex.build(names)
        >>> index.lookup(rtindex.DeviceStrings(other_offsets, other_data), "any")
    """

    def __init__(self, offsets: Any, data: Any, validity: Any = None):
        library = library_of(offsets)
        if library.dtype(offsets) not in ("int32", "int64") or offsets.ndim != 1:
            raise InvalidArgumentError(
                f"invalid offsets of type {library.dtype(offsets)}: expected int32 or int64 in one "
                "dimension")
        for name, array in (("data", data), ("validity", validity)):
            if array is not None and library.dtype(array) != "uint8":
                raise InvalidArgumentError(
                    f"invalid {name} of type {library.dtype(array)}: expected uint8")
        self.offsets = library.contiguous(offsets)
        self.data = library.contiguous(data)
        self.validity = None if validity is None else library.contiguous(validity)
        if self.validity is not None and 8 * len(self.validity) < len(self):
            raise InvalidArgumentError("the validity bitmap is shorter than the column")

    def __len__(self) -> int:
        return max(len(self.offsets) - 1, 0)

    def column(self) -> Column:
        library = library_of(self.offsets)
        width = 8 if library.dtype(self.offsets) == "int64" else 4
        return Column.device_strings(
            width, library.pointer(self.offsets) if len(self.offsets) else 0, len(self),
            library.pointer(self.data),
            0 if self.validity is None else library.pointer(self.validity),
            (self.offsets, self.data, self.validity))


def is_device_array(data: Any) -> bool:
    """Whether the CPU cannot read the array, or those of the parts of a composite key."""
    if type(data) is np.ndarray:  # the common case
        return False
    if isinstance(data, tuple):
        return bool(data) and is_device_array(data[0])
    if isinstance(data, DeviceStrings) or hasattr(data, "__cuda_array_interface__"):
        return True
    if hasattr(data, "__arrow_c_device_array__") or hasattr(data, "__arrow_c_array__"):
        return _exports_from_device(data)
    device = getattr(data, "__dlpack_device__", None)
    return device is not None and device()[0] not in (_DLPACK_CPU, _DLPACK_PINNED)


def _exports_from_device(data: Any) -> bool:
    """Whether an object exports an Arrow array that lies in device memory. pyarrow's arrays say so
    themselves; Arrow numbers devices like DLPack."""
    export = getattr(data, "__arrow_c_device_array__", None)
    if export is None or getattr(data, "is_cpu", False):
        return False
    return Column.arrow_device_type(export()[1]) not in (_DLPACK_CPU, _DLPACK_PINNED)


def first_array(data: Any) -> Any:
    """The array, or that of the first part of a composite key. For Arrow arrays: one on the same
    GPU."""
    if isinstance(data, tuple) and data:
        return first_array(data[0])
    if isinstance(data, DeviceStrings):
        return data.offsets
    if hasattr(data, "__cuda_array_interface__") or not _exports_from_device(data):
        return data
    exported: Any = data
    _, device, _ = Column.arrow_device(*exported.__arrow_c_device_array__())
    return _empty_on(device)


def _empty_on(device: int) -> Any:
    """An empty array on a GPU, of a library that can allocate the answers."""
    try:
        import cupy
    except ImportError:
        try:
            import torch
        except ImportError as error:
            raise UnavailableError(
                "Arrow arrays in device memory are answered there in arrays of CuPy or PyTorch: "
                "install one of them, or copy the array to the host") from error
        return torch.empty(0, dtype=torch.uint8, device=f"cuda:{device}")
    with cupy.cuda.Device(device):
        return cupy.empty(0, "uint8")


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

    def unpacked(self, bits: Any, rows: int) -> Any:
        """The bits of bytes, least significant bit first, as booleans."""
        raise NotImplementedError

    def wait_for(self, event: int, like: Any) -> None:
        """Lets the current stream wait for an event of CUDA."""
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

    def unpacked(self, bits: Any, rows: int) -> Any:
        return self.cupy.unpackbits(bits, bitorder="little")[:rows].view(bool)

    def wait_for(self, event: int, like: Any) -> None:
        self.cupy.cuda.runtime.streamWaitEvent(self.stream(like), event, 0)


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

    def unpacked(self, bits: Any, rows: int) -> Any:
        places = self.torch.arange(8, dtype=self.torch.uint8, device=bits.device)
        return ((bits.unsqueeze(1) >> places) & 1).flatten()[:rows].bool()

    def wait_for(self, event: int, like: Any) -> None:
        self.torch.cuda.synchronize(like.device)  # torch waits only for its own events


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
    if isinstance(data, DeviceStrings):
        return data.column()
    if not hasattr(data, "__cuda_array_interface__") and _exports_from_device(data):
        found, device, event = Column.arrow_device(*data.__arrow_c_device_array__())
        if event:
            like = _empty_on(device)
            library_of(like).wait_for(event, like)
        return found
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
    # Rows from 2^63 on become negative, and are rejected as well.
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


def answer_on_device(index: Index, keys: Any, query: Query, names: Sequence[str],
                     dtype_of: Callable[[str], Any], values: Column | None, included: str,
                     matched: bool, limit: int, order: str, miss: Any,
                     row_miss: int | None = None) -> Any:
    """Answers a query in device memory, on the current stream of the library that holds it.

    `keys` is one of its arrays; `dtype_of` returns the type of an answer's array.
    """
    library = library_of(keys)
    size = len(query)
    if "rows" in names:
        index = index.snapshot()  # called twice below, and others may change it in between
    arrays: dict[str, Any] = {
        name: library.empty(size, dtype_of(name).__name__, keys) for name in names if name != "rows"
    }
    if matched and "any" not in arrays:
        arrays["any"] = library.empty(size, "uint32", keys)

    def call(outputs: dict[str, Any], rows_capacity: int = 0) -> None:
        addresses = {name: library.pointer(array) for name, array in outputs.items()}
        index.answer_on_device(query, values, included, miss, addresses, rows_capacity, limit,
                               order, library.stream(keys))

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
    if row_miss is not None:
        for name in {"any", "first", "last"} & answers.keys():
            is_hit = library.is_hit(answers[name])
            answers[name] = library.cast(answers[name], "int64")
            answers[name][~is_hit] = row_miss
    if len(names) == 1 and not matched:
        return answers[names[0]]
    if matched:
        answers["matched"] = library.is_hit(arrays["any"])
    return Answers(size, answers)


def bitmaps_on_device(index: Index, keys: Any, query: Query, name: str) -> Any:
    """The rows that match any query, or each of them, as booleans in device memory."""
    library = library_of(keys)
    rows, count = len(index), len(query) if name == "bitmaps" else 1
    size = (rows + 7) // 8
    bits = library.empty(count * size, "uint8", keys)
    index.answer_on_device(query, None, "", None, {name: library.pointer(bits)}, rows, 0, "",
                           library.stream(keys))
    if name == "bitmap":
        return library.unpacked(bits, rows)
    return library.unpacked(bits, 8 * count * size).reshape(count, 8 * size)[:, :rows]


def join_on_device(index: Index, keys: Any, query: Query, how: str, order: str,
                   one_pair: bool) -> Join:
    """Joins a query in device memory, on the current stream of the library that holds it.

    `keys` is one of its arrays; `one_pair`: each key makes at most one pair.
    """
    library = library_of(keys)
    index = index.snapshot()  # called twice below, and others may change it in between
    count = library.empty(1, "uint64", keys)

    def call(outputs: dict[str, Any], capacity: int) -> None:
        addresses = {name: library.pointer(array) for name, array in outputs.items()}
        index.join_on_device(query, how, order, {**addresses, "count": library.pointer(count)},
                             capacity, library.stream(keys))

    capacity = len(query)
    if not one_pair:
        call({}, 0)
        capacity = int(count[0])
    arrays = {"lookups": library.empty(capacity, "int64", keys)}
    if how in ("inner", "left"):
        arrays["rows"] = library.empty(capacity, "uint32", keys)
    call(arrays, capacity)
    pairs = capacity if how == "left" else int(count[0])  # which waits for the stream
    rows = arrays.get("rows")
    return Join(arrays["lookups"][:pairs], None if rows is None else rows[:pairs])


def join_batches_on_device(index: Index, keys: Any, query: Query, how: str, order: str,
                           max_pairs: int) -> Iterator[Join]:
    """As `join_on_device`, in batches. The buffers of a batch are allocated before its number of
    pairs is known, so that large batches are bounded."""
    library = library_of(keys)
    max_pairs = min(max_pairs, _MAX_PAIRS)
    batches = index.join_batches(query, how, order, max_pairs, library.stream(keys))
    return _batches_on_device(batches, library, keys, max_pairs, how in ("inner", "left"))


def _batches_on_device(batches: Any, library: Library, keys: Any, max_pairs: int,
                       has_rows: bool) -> Iterator[Join]:
    def cut(array: Any, dtype: str) -> Any:
        if 2 * pairs >= max_pairs:
            return array[:pairs]
        fitting = library.empty(pairs, dtype, keys)  # does not keep the whole buffer
        fitting[:] = array[:pairs]
        return fitting

    while True:
        probe = library.empty(max_pairs, "int64", keys)
        rows = library.empty(max_pairs, "uint32", keys) if has_rows else None
        pairs = batches.next_on_device(library.pointer(probe),
                                       0 if rows is None else library.pointer(rows))
        if pairs is None:
            return
        yield Join(cut(probe, "int64"), None if rows is None else cut(rows, "uint32"))
