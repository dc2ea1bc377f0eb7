"""Calls about the keys of an index in their order: the least, the greatest, quantiles, all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from . import _core
from ._calls import Options
from ._categories import reject
from ._columns import open_end
from ._errors import InvalidArgumentError, UnsupportedError
from ._join_calls import JoinCalls
from ._keys import OBJECTS, key_answer, key_dtype
from ._kinds import Kind, kind_of
from ._lists import Array
from ._names import is_scalar
from ._nulls import null_count
from ._query import EndsName, Query
from ._ranked_keys import at_positions, elements_column, keys_at, part_column, positions
from ._types import ColumnType

_BATCH = 1 << 12
_SCALAR = kind_of(0)


class OrderedCalls(JoinCalls):
    """Calls that read the keys of an index in their order. Null and erased keys have no part in
    them; NaN is the greatest key of a column of floats, and composite keys are tuples."""

    __slots__ = ()

    def min(self) -> Any:
        """The least key; None without one."""
        return self._end(backward=False) if self._is_plain() else self._key_at(0)

    def max(self) -> Any:
        """The greatest key; None without one."""
        return self._end(backward=True) if self._is_plain() else self._key_at(1)

    @property
    def is_unique(self) -> bool:
        """Whether no two rows hold the same key. Reads the keys, up to the first duplicate."""
        if self._is_plain(in_order=False):
            return all((counts == 1).all() for _, counts in self._walk())
        index = self._core.snapshot()
        return all((self._counts(index, keys) == 1).all() for keys in self._ranked(index))

    def __iter__(self) -> Iterator[Any]:
        """The key of each row that has one, in the order of keys."""
        if not self._is_plain():
            for keys in self._ranked(self._core.snapshot()):
                for i in range(len(keys[0])):
                    yield self._tuple(keys, i)
            return
        for parts, counts in self._walk():
            for i, count in enumerate(counts.tolist()):
                key = self._key(parts, i)
                for _ in range(count):
                    yield key

    def quantile(self, q: Any) -> Any:
        """The key at a quantile from 0 to 1: that of `np.quantile` with method="lower". None for an
        index without keys. A list of keys for several quantiles."""
        is_list = isinstance(q, (list, tuple)) or isinstance(q, np.ndarray) and q.ndim == 1
        quantiles: list[Any] = [*q] if is_list else [q]
        for one in quantiles:
            if isinstance(one, bool) or not isinstance(one, (int, float, np.number)) or not (
                    0 <= one <= 1):
                raise InvalidArgumentError(f"invalid q={one!r}: expected a number from 0 to 1")
        self._require_keys()
        index = self._core.snapshot()
        keys = [self._key_at(float(one), index) for one in quantiles]
        return keys if is_list else keys[0]

    def isin(self, values: Any) -> Array:
        """A mask of the rows whose key is one of `values`, as `pandas.Index.isin` returns it: a null
        is equal to a null. Values that no key could equal are an error."""
        if is_scalar(values) or values is None:
            raise InvalidArgumentError(f"isin expects several keys, got {values!r}: pass a list, or "
                                       "write `key in index`")
        keys = [*values] if isinstance(values, (set, frozenset)) else values
        mask: Array = self._answer(Query.equal(keys), Kind(), "bitmap", Options())
        nulls = self.nulls()
        if len(nulls) and self.type != "composite" and null_count(
                keys, self._type.nan_as_null is not False):
            mask[nulls] = True
        return mask

    def rank(self, keys: Any, side: Literal["left", "right"] = "left") -> Any:
        """How many rows hold a key less than `keys[i]`, or with side="right" one that is not
        greater, as `np.searchsorted` has it; 0 for a null."""
        if side not in ("left", "right"):
            raise InvalidArgumentError(f"invalid side={side!r}: expected left or right")
        self._require_order()
        return super().rank(keys) if side == "left" else self.range(None, keys, "count")

    def _matching(self, lower: Any, upper: Any, ends: EndsName) -> Array:
        """The rows whose key is in one of the ranges."""
        return np.flatnonzero(self._answer(Query.range(lower, upper, ends), Kind(), "bitmap",
                                           Options()))

    def _end(self, backward: bool) -> Any:
        start = self._first(backward)
        parts, counts = self._core.walk_keys(start, False, backward, 1)
        return self._key(parts, 0) if len(counts) else None

    def _walk(self) -> Iterator[tuple[Any, Array]]:
        """Batches of distinct keys and how many rows hold each, of the index as it is now."""
        index = self._core.snapshot()
        start, is_after = self._first(False), False
        while True:
            parts, counts = index.walk_keys(start, is_after, False, _BATCH)
            if not len(counts):
                return
            yield parts, np.asarray(counts)
            start, is_after = self._column_of(parts, len(counts) - 1), True

    def _column_of(self, parts: Any, position: int) -> _core.Column:
        if self.type == "string":
            return _core.Column.strings([parts[0][position]])
        return elements_column(self._elements(parts[0])[position:position + 1], self._type)

    def _key(self, parts: Any, position: int) -> Any:
        """One key as a Python object."""
        if self.type == "string":
            return parts[0][position]
        return _as_object(self._elements(parts[0])[position:position + 1], self._type)

    def _first(self, backward: bool) -> _core.Column:
        """A key at one end of the order of all keys of the type."""
        if self.type not in OBJECTS:
            return open_end(self._type, 1, backward)
        dtype = self._dtype()
        return elements_column(at_positions([positions(dtype)[backward]], self._type), self._type)

    def _elements(self, data: bytes) -> Array:
        return np.frombuffer(data, self._dtype())

    def _dtype(self) -> Any:
        return np.dtype(key_dtype(self._type))

    def _require_order(self) -> None:
        if self.interval_ends or self._points is not None:
            held = "intervals" if self.interval_ends else "points"
            raise UnsupportedError(f"expected an index over keys, got {held}, which have no order: "
                                   "ask the column itself")
        if not self._core.supports("any", "nearest"):
            kind = self._core.spec.partition(",")[0]
            raise UnsupportedError(f"{kind} does not keep keys in order: build the index with rx, "
                                   "sorted or btree")

    def _require_keys(self, in_order: bool = True) -> None:
        self._require_order()
        if in_order and self._reordered:
            reject("the call")

    def _is_plain(self, in_order: bool = True) -> bool:
        """Whether keys have one part."""
        self._require_keys(in_order)
        return self.type != "composite"

    def _key_at(self, q: float, index: _core.Index | None = None) -> Any:
        """The key at a quantile; None without keys. index: a snapshot of this one."""
        index = self._core.snapshot() if index is None else index
        if not index.valid:
            return None
        rank = math.floor((index.valid - 1) * q)
        keys = keys_at(index, self._type, np.array([rank]))
        return self._tuple(keys, 0) if self._type.parts else _part(keys[0], 0, self._type)

    def _ranked(self, index: _core.Index) -> Iterator[list[Any]]:
        """The parts of all keys, in batches."""
        for start in range(0, index.valid, _BATCH):
            yield keys_at(index, self._type, np.arange(start, min(start + _BATCH, index.valid)))

    def _counts(self, index: _core.Index, keys: list[Any]) -> Array:
        """How many rows hold each key."""
        columns = [part_column(part, of) for part, of in zip(keys, self._type.parts)]
        counts = np.empty(len(keys[0]), np.uint32)
        query = _core.Query("equal", _core.Column.composite(columns))
        index.answer(query, None, "", None, {"count": counts}, None)
        return counts

    def _tuple(self, keys: list[Any], position: int) -> Any:
        return tuple(_part(part, position, of) for part, of in zip(keys, self._type.parts))


def _part(part: Any, position: int, key_type: ColumnType) -> Any:
    """One key as a Python object; bytes where a string is not UTF-8."""
    if key_type.type != "string":
        return _as_object(part[position:position + 1], key_type)
    try:
        return part[position].decode()
    except UnicodeDecodeError:
        return part[position]


def _as_object(element: Array, key_type: ColumnType) -> Any:
    return key_answer(element.copy(), None, key_type, np.array([1], np.uint8), _SCALAR)
