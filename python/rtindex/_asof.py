"""What the ASOF joins of data frames share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ._core import MISS
from ._errors import InvalidArgumentError
from ._index import Index, build
from ._lists import Array
from ._query import DirectionName, Query

# Groups of a `by` column that span more than this are numbered, so that they leave most of the 64
# bits of an index's keys to the `on` column.
_MAX_GROUPS = 1 << 24


def key_of(by: Sequence[Any], on: Any) -> Any:
    """The composite key of `by` columns and the `on` column, or this column alone."""
    return (*by, on) if by else on


def index_over(by: Sequence[Any], on: Any, ready: Index | None, rows: int) -> Index:
    """The index that was passed, or a new one; `rows` is the size of the right side."""
    if ready is None:
        return build(key_of(by, on))
    if not isinstance(ready, Index):
        raise InvalidArgumentError(f"invalid index: expected an rtindex.Index over the keys of the "
                                   f"right side, got {type(ready).__name__}")
    if len(ready) != rows:
        raise InvalidArgumentError(f"invalid index: it has {len(ready)} rows, and the right side "
                                   f"has {rows}; build it over the keys of the right side")
    parts = len(ready._type.parts) or 1
    if parts != len(by) + 1:
        raise InvalidArgumentError(f"invalid index: its keys have {parts} parts, expected "
                                   f"{len(by) + 1}: the `by` columns, then the `on` column")
    return ready


def neighbour_rows(index: Index, keys: Any, direction: DirectionName, exact: bool,
                   tolerance: Any) -> Array:
    """The row of each neighbour, whatever kind of object holds the keys; MISS without one."""
    return index._rows(Query.nearest(keys, direction, exact, tolerance))


def grouped(left: Any, right: Any, number: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any]:
    """Integers of a `by` column as they are, or numbered where they are far apart."""
    ends = [end for side in (left, right) if len(side) for end in (side.min(), side.max())
            if end is not None]
    return (left, right) if not ends or int(max(ends)) - int(min(ends)) < _MAX_GROUPS else number()


def last_nearest(index: Index, by: Sequence[Any], left: Any, right: Any, exact: bool,
                 tolerance: Any, numbers: Callable[[Any], Array],
                 take: Callable[[Any, Array], Any]) -> Array:
    """The nearest row of each key. Of several, the last one in the order of keys and rows.

    `left` and `right` are the `on` columns, `numbers` converts them to arrays that have
    distances, and `take` returns some rows of a column.
    """
    lookups = key_of(by, left)
    rows = neighbour_rows(index, lookups, "backward", exact, tolerance)
    after = neighbour_rows(index, lookups, "forward", exact, tolerance)
    hit, hit_after = rows != MISS, after != MISS
    closer = hit_after & ~hit
    both = np.flatnonzero(hit & hit_after & (rows != after))
    here, there = numbers(left)[both], numbers(right)
    closer[both] = (_distance(there[after[both]], here) <= _distance(here, there[rows[both]]))
    chosen = np.flatnonzero(closer)
    if chosen.size:  # replaces the first row of the key by the last
        found = key_of([take(column, chosen) for column in by], take(right, after[chosen]))
        rows[chosen] = neighbour_rows(index, found, "backward", True, None)
    return rows


def _distance(later: Array, earlier: Array) -> Any:
    """The distance; of integers without overflow."""
    if later.dtype.kind == "f":
        return later - earlier
    return later.astype(np.int64).view(np.uint64) - earlier.astype(np.int64).view(np.uint64)
