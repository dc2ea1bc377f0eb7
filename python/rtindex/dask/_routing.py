"""Which partitions hold a key: the bounds between partitions, and the keys at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._calls import Options
from .._index import Index, build
from .._kinds import Kind
from .._lists import Array
from .._query import Query
from ._columns import Columns, as_keys, concat, keys_for, nulls, size, take
from ._moves import MAX_PARTS, can_group, find_parts, group, group_positions, native

# Keys are compared with every bound up to here, and searched beyond.
_FEW = 16
# Keys that are routed at once stay in the caches.
_STEP = 1 << 16
_NATIVE = "biufmM"
_POSITION = np.int32
# Parts of all partitions.
_PARTS = 128


class Bounds:
    """Partition i holds the rows from bound i - 1 up to bound i, in the order of (key, row)."""

    def __init__(self, keys: Columns, rows: Array):
        self.keys = keys
        self.rows = rows
        self._index: Index | None = None

    def __len__(self) -> int:
        return self.rows.size

    def __getstate__(self) -> Any:
        return self.keys, self.rows

    def __setstate__(self, state: Any) -> None:
        self.keys, self.rows = state
        self._index = None

    def partitions(self, keys: Columns, rows: Array) -> Array:
        """The partition of each row; rows with a null are spread over all of them."""
        if not len(self):
            return np.zeros(size(keys), _POSITION)
        return self._spread(self._searched(keys, rows), keys, rows)

    def parts(self, keys: Columns, start: int) -> Array:
        """As `partitions`, for native keys in adjacent rows from `start` on."""
        found = find_parts(keys[0], self.keys[0], self.rows, start)
        return self._spread(found, keys, None, start)

    def _spread(self, found: Array, keys: Columns, rows: Array | None, start: int = 0) -> Array:
        """Puts nulls anywhere; `rows` of None are adjacent ones from `start` on."""
        missing = nulls(keys)
        if missing is not None:
            own = start + np.flatnonzero(missing) if rows is None else rows[missing]
            found[missing] = (own % (len(self) + 1)).astype(found.dtype)
        return found

    def split(self, at: int, key: Columns, row: int) -> Bounds:
        """With one more bound, which cuts partition `at` in two."""
        before, after = np.arange(at), np.arange(at, len(self))
        keys = concat([take(self.keys, before), key, take(self.keys, after)])
        return Bounds(keys, np.insert(self.rows, at, row))

    def _searched(self, keys: Columns, rows: Array) -> Array:
        ordered = ordinals(keys, self.keys)
        if ordered is not None:
            low = np.searchsorted(ordered[1], ordered[0], "left").astype(_POSITION)
            high = np.searchsorted(ordered[1], ordered[0], "right").astype(_POSITION)
        else:
            if self._index is None:
                self._index = build(as_keys(self.keys), "sorted@cpu")
            low = count_below(self._index, keys, False)
            high = count_below(self._index, keys, True)
        tied = np.flatnonzero(low < high)
        if tied.size:  # bounds within the duplicates of one key
            starts = low[tied]
            for start in np.unique(starts):
                here = tied[starts == start]
                stop = high[here[0]]
                low[here] += np.searchsorted(self.rows[start:stop], rows[here],
                                             "right").astype(_POSITION)
        return low


class Fences:
    """The first and the last key of every partition that is not empty."""

    def __init__(self, partitions: Array, first: Columns, last: Columns):
        self.partitions = partitions
        """Numbers of the partitions that have keys."""
        self._ends = first, last
        self._first, self._last = (None if not partitions.size else
                                   build(as_keys(end), "sorted@cpu") for end in (first, last))
        self.shared = bool(partitions.size > 1 and self._is_shared())
        """Whether the duplicates of a key are in several partitions."""

    def __getstate__(self) -> Any:
        return self.partitions, self._ends

    def __setstate__(self, state: Any) -> None:
        self.__init__(state[0], *state[1])  # type: ignore[misc]

    def spans(self, lower: Any, upper: Any, count: int) -> tuple[Array, Array]:
        """For each range, the first and the last of `partitions` that may hold its keys, as
        positions; the first is greater where there is none. None: no end."""
        first = np.zeros(count, _POSITION)
        last = np.full(count, self.partitions.size - 1, _POSITION)
        if self._first is None or self._last is None:
            return first, last
        if lower is not None:
            first = self._below(self._last, 1, lower, False)
        if upper is not None:
            last = self._below(self._first, 0, upper, True) - 1
        return first, last

    def points(self, keys: Any) -> tuple[Array, Array]:
        """As `spans`, for single keys."""
        if self.shared or self._first is None:
            return self.spans(keys, keys, size(keys))
        position = self._below(self._first, 0, keys, True) - _POSITION(1)
        return position, position

    def prefixes(self, keys: Any) -> tuple[Array, Array]:
        """As `spans`, for the strings that begin with each key."""
        first, last = self.spans(keys, keys, size(keys))
        if self._first is not None:
            inside = _counts(self._first, Query.prefix(as_keys(keys)))
            last = count_below(self._first, keys, False) + inside - 1
        return first, last

    def backward(self, keys: Columns, exact: bool) -> Array:
        """Where the greatest key up to each key is; -1 if there is none."""
        return self._below(self._first, 0, keys, exact) - 1

    def forward(self, keys: Columns, exact: bool) -> Array:
        """Where the smallest key from each key on is; the number of `partitions` for none."""
        return self._below(self._last, 1, keys, not exact)

    def _below(self, index: Index | None, end: int, keys: Columns, equal: bool) -> Array:
        """How many of the ends are below each key, or equal to it."""
        ordered = ordinals(keys, self._ends[end])
        if ordered is None:
            return count_below(index, keys, equal)
        wanted, ends = ordered
        if ends.size > _FEW:
            return np.searchsorted(ends, wanted, "right" if equal else "left").astype(_POSITION)
        found = np.zeros(wanted.size, _POSITION)
        for start in range(0, wanted.size, _STEP):
            piece, into = wanted[start:start + _STEP], found[start:start + _STEP]
            for key in ends:
                into += (piece >= key) if equal else (piece > key)
        missing = nulls(keys)
        if missing is not None:
            found[missing] = 0
        return found

    def _is_shared(self) -> bool:
        first, last = self.spans(self._ends[0], self._ends[0], self.partitions.size)
        return bool((first != last).any())


class Parts:
    """Finer than partitions: ranges of keys, several for each partition. Lookups that are grouped
    by them have their keys near each other, and are answered faster."""

    def __init__(self, bounds: Array, counts: list[int]):
        self.bounds = bounds
        """The smallest key of each part."""
        self.counts = counts
        """How many parts each partition has."""

    @staticmethod
    def of(partitions: Sequence[Columns]) -> Parts | None:
        """From ascending keys of each partition, the smallest one first; None for keys that the
        library does not compare."""
        if not partitions or not all(native(keys, partitions[0]) for keys in partitions):
            return None
        each = max(_PARTS // len(partitions), 1)
        chosen = []
        for (keys,) in partitions:
            order = _ordinal(keys)
            first = np.append(True, order[1:] != order[:-1])  # different keys
            first[np.arange(keys.size) % -(-keys.size // each) != 0] = False
            chosen.append(keys[first])
        if sum(keys.size for keys in chosen) >= MAX_PARTS:
            return None
        return Parts(np.concatenate(chosen), [keys.size for keys in chosen])

    def group(self, keys: Array) -> Grouped:
        parts = find_parts(keys, self.bounds)
        count = self.bounds.size + 1
        held, starts = group(parts, count, keys)
        # The first part holds what is before all partitions.
        return Grouped(parts, held, starts[np.cumsum([0, 1, *self.counts])])


class Grouped(NamedTuple):
    """Lookups in the order of their partitions."""

    parts: Array
    keys: Array
    starts: Array
    """Where the lookups without a partition begin, then those of each partition, and the end."""


def count_below(index: Any, keys: Columns, equal: bool) -> Array:
    """How many keys of the index are less than each key, or equal to it."""
    return _counts(index, Query.range(None, keys_for(index, keys), "[]" if equal else "[)"))


def _counts(index: Index, query: Query) -> Array:
    found: Array = index._answer(query, Kind(), "count", Options())
    return found.astype(_POSITION)


def ordinals(keys: Columns, others: Columns) -> tuple[Array, Array] | None:
    """Both as integers in the order of the keys, where they are plain numbers of one type."""
    if len(keys) != 1 or len(others) != 1:
        return None
    part, other = keys[0], others[0]
    if not (isinstance(part, np.ndarray) and isinstance(other, np.ndarray)):
        return None
    if part.dtype != other.dtype or part.dtype.kind not in _NATIVE:
        return None
    return _ordinal(part), _ordinal(other)


def _ordinal(part: Array) -> Array:
    if part.dtype.kind in "mM":
        return part.view(np.int64)
    if part.dtype.kind == "b":
        return part.view(np.uint8)
    if part.dtype.kind != "f":
        return part
    wide = part.dtype.itemsize == 8
    signed: Any = np.int64 if wide else np.int32
    number = part + part.dtype.type(0)  # -0 becomes +0
    number[np.isnan(number)] = np.nan  # all NaNs are equal
    bits = number.view(signed)
    top = np.iinfo(signed).max
    return np.asarray(np.where(bits < 0, bits ^ top, bits))


def grouped(partitions: Array, count: int) -> tuple[Array, Array]:
    """Positions sorted by partition, and where each partition begins among them."""
    if can_group(partitions.size, count):
        return group_positions(partitions.astype(np.uint16), count)
    order = np.argsort(partitions, kind="stable")
    starts = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(partitions, minlength=count), out=starts[1:])
    return order, starts
