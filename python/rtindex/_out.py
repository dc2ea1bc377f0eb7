"""The array that a caller brings for an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._columns import column as column_of
from ._columns import columns_of
from ._core import Column, Error
from ._lists import Array

_WIDTHS = {"date32": 4, "timestamp64": 8}  # the others are NumPy's types


def require_fit(out: Any, lookups: int, dtype: Any) -> None:
    if type(out) is not np.ndarray or out.dtype != dtype or out.shape != (lookups,):
        raise Error(f"`out` must be a NumPy array of {lookups} {np.dtype(dtype)}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise Error("`out` must be contiguous and writeable")


def require_apart(out: Array, column: Column, data: Any) -> None:
    """Answers must not be written over what the lookups still read; `data` became `column`."""
    if column.type == "composite" or column.chunks > 1:
        for piece in columns_of(data) if column.type == "composite" else _chunks_of(data):
            require_apart(out, column_of(piece), piece)
        return
    if column.type == "string":
        shared = isinstance(data, np.ndarray) and np.may_share_memory(out, data)
    else:
        width = _WIDTHS.get(column.type) or np.dtype(column.type).itemsize
        start = out.__array_interface__["data"][0]
        end = column.address + len(column) * width
        shared = column.address < start + out.nbytes and start < end
    if shared:
        raise Error("`out` shares memory with the lookups or the values, which are read while it is "
                    "written: pass an array of its own")


def _chunks_of(data: Any) -> Any:
    return data.get_chunks() if hasattr(data, "get_chunks") else getattr(data, "chunks", [])
