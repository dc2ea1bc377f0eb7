"""Arrays in the memory of a GPU, and the one place that takes them."""

from __future__ import annotations

from typing import Any, NoReturn

from ._core import Error

_DLPACK_CPU = 1
_DLPACK_PINNED = 3  # host memory that a GPU can read


def is_device_array(data: Any) -> bool:
    """Whether the array lies where the CPU cannot read it."""
    if hasattr(data, "__cuda_array_interface__"):
        return True
    place = getattr(data, "__dlpack_device__", None)
    return place is not None and place()[0] not in (_DLPACK_CPU, _DLPACK_PINNED)


def device_column(data: Any) -> NoReturn:
    """The column behind an array on a GPU."""
    raise Error(
        f"the {type(data).__module__.partition('.')[0]} array lies in the memory of a GPU, which "
        "this build of rtindex does not index: copy it to the host first, with .get() in CuPy or "
        ".cpu() in PyTorch"
    )
