"""Arrays in the memory of a GPU: CuPy's and PyTorch's, read and answered where they lie."""

from __future__ import annotations

import sys
from typing import Any

from ._core import Column, Error

_DLPACK_CPU = 1
_DLPACK_PINNED = 3  # host memory that a GPU can read
_TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
          "float32", "float64"}


def is_device_array(data: Any) -> bool:
    """Whether the array lies where the CPU cannot read it."""
    if hasattr(data, "__cuda_array_interface__"):
        return True
    place = getattr(data, "__dlpack_device__", None)
    return place is not None and place()[0] not in (_DLPACK_CPU, _DLPACK_PINNED)


class Library:
    """What differs between the libraries. Calls are queued on the library's current stream, in
    whose order it also gives memory back, so that arrays may be dropped while they are in use."""

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
        raise Error(
            f"the {package} array lies in the memory of a GPU, where arrays of CuPy and PyTorch are "
            "read: pass it through cupy.asarray or torch.from_dlpack, which do not copy"
        )
    return _LIBRARIES[package](sys.modules[package])


def device_column(data: Any) -> Column:
    """The column behind an array on a GPU, where it lies."""
    library = library_of(data)
    if data.ndim != 1:
        raise Error(f"the array has {data.ndim} dimensions and a column has one: pass one column "
                    "of it")
    if library.dtype(data) not in _TYPES:
        raise Error(f"a column on a GPU cannot have the type {library.dtype(data)}: convert it to "
                    "bool, integers, float32 or float64")
    kept = library.contiguous(data)
    return Column.device(library.dtype(kept), library.pointer(kept), len(kept), kept)


def device_rows(rows: Any, size: int) -> Column:
    """The rows that an update names, as uint32; `size` is how many the column has."""
    if not is_device_array(rows):
        raise Error("the keys lie on a GPU and the rows in host memory: move one of them")
    library = library_of(rows)
    dtype = library.dtype(rows)
    if dtype == "uint32":
        return device_column(rows)  # the index looks at them itself
    if not dtype.startswith(("int", "uint")):
        raise Error(f"the rows are {dtype}: name them by whole numbers")
    # Beyond 2^63 they turn negative here, and so are no rows either.
    numbers = library.cast(rows, "int64")
    if bool(((numbers < 0) | (numbers >= size)).any()):
        raise Error(f"the update names a row that the column of {size} rows does not have")
    return device_column(library.cast(numbers, "uint32"))


def require_one_stream(rows: Any, keys: Any) -> None:
    """An update waits for the stream of its keys; rows must not be on their way on another."""
    if is_device_array(rows) and library_of(rows).stream(rows) != library_of(keys).stream(keys):
        raise Error("the rows and the keys of the update are on different streams: make both with "
                    "one library, or one stream current in both")


def spec_for(data: Any, spec: str) -> str:
    """What "auto" means for a column on a GPU: the tracer that is the best on the same GPU."""
    return f"rx@cuda{library_of(data).device(data)}" if spec == "auto" else spec
