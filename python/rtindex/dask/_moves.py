"""Arrays grouped by partition and ungrouped again, by functions of the library."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import _core
from .._lists import Array
from ._columns import Columns

MAX_PARTS = 2**16 - 1
_TYPES = {np.dtype(name) for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
                                      "uint32", "uint64", "float32", "float64")}


def native(column: Columns | None, like: Columns) -> bool:
    """Whether both are plain numbers or times of one type, which the library can compare."""
    if column is None or len(column) != 1 or len(like) != 1:
        return False
    part, other = column[0], like[0]
    return (isinstance(part, np.ndarray) and isinstance(other, np.ndarray)
            and part.dtype == other.dtype and (part.dtype in _TYPES or part.dtype.kind in "mM"))


def can_group(size: int, count: int) -> bool:
    """Whether so many elements can be grouped by so many parts."""
    return count <= MAX_PARTS and size < 2**32


def find_parts(keys: Array, bounds: Array, rows: Array | None = None, first_row: int = 0) -> Array:
    """How many bounds are not after each key. Where a key is equal to bounds, those with `rows` up
    to its own row count; rows are numbered from `first_row` on."""
    parts = np.empty(keys.size, np.uint16)
    if not bounds.size:
        parts[:] = 0
        return parts
    _core.find_parts(_column(keys), _column(bounds),
                     None if rows is None else np.ascontiguousarray(rows, np.uint64), first_row,
                     parts, threads())
    return parts


def group(parts: Array, count: int, keys: Array) -> tuple[Array, Array]:
    """The keys in the order of their parts, and where each part begins."""
    out, starts = np.empty_like(keys), np.empty(count + 1, np.uint64)
    _core.group(parts, _plain(keys), keys.size, _plain(out), None, starts, count, threads())
    return out, starts.astype(np.int64)


def group_positions(parts: Array, count: int) -> tuple[Array, Array]:
    """Positions (uint32) in the order of their parts, and where each part begins."""
    out, starts = np.empty(parts.size, np.uint32), np.empty(count + 1, np.uint64)
    _core.group(parts, None, parts.size, None, out, starts, count, threads())
    return out, starts.astype(np.int64)


def group_rows(parts: Array, count: int, keys: Array) -> tuple[Array, Array, Array]:
    """Keys and their positions (uint32) in the order of parts, and where each part begins."""
    out, positions = np.empty_like(keys), np.empty(keys.size, np.uint32)
    starts = np.empty(count + 1, np.uint64)
    _core.group(parts, _plain(keys), keys.size, _plain(out), positions, starts, count, threads())
    return out, positions, starts.astype(np.int64)


def ungroup(parts: Array, pieces: list[tuple[Array, int]], out: Array, rows: bool = False) -> None:
    """Writes elements that are in the order of parts. A piece holds the elements of so many parts;
    with `rows`, they may be rows of 32 bits for an array of 64 bits, and misses stay misses."""
    held = [(_plain(piece), piece.size, count) for piece, count in pieces]
    _core.ungroup(parts, parts.size, held, _plain(out), rows, threads())


def widened_rows(rows: Array) -> Array:
    """Rows of 64 bits; misses stay misses."""
    if rows.dtype == np.uint64:
        return rows
    out = np.empty(rows.size, np.uint64)
    _core.widen_rows(rows, rows.size, out, threads())
    return out


def global_rows(local: Array, rows: Array) -> Array:
    """The row of each local one; misses stay misses."""
    if not rows.size:
        return np.full(local.size, np.iinfo(rows.dtype).max, rows.dtype)
    out = np.empty(local.size, rows.dtype)
    _core.global_rows(local, local.size, rows, rows.size, out, threads())
    return out


def threads() -> int:
    """Threads of this worker; 0 where it has the whole machine, or outside a worker."""
    from distributed import get_worker

    try:
        found = int(get_worker().state.nthreads)
    except ValueError:
        return 0
    return found if found < (os.cpu_count() or 1) else 0


def _column(array: Array) -> _core.Column:
    plain = _plain(array)
    return _core.Column.elements(str(plain.dtype), plain)


def _plain(array: Array) -> Any:
    """The same memory without times, whose arrays have no buffers."""
    return array.view(np.int64) if array.dtype.kind in "mM" else array
