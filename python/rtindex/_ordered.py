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
from ._keys import key_answer, key_dtype, key_object
from ._kinds import Kind, kind_of
from ._lists import Array
from ._query import EndsName, Query
from ._types import DECIMALS, WIDTHS

_BATCH = 1 << 12
_SCALAR = kind_of(0)
_NUMBERED = (*DECIMALS, "binary16", "int128", "uint128")


class OrderedCalls(JoinCalls):
    """Calls that read the keys of an index in their order. Null and erased keys have no part in
    them; NaN is the greatest key of a column of floats. Columns of keys other than composites."""

    __slots__ = ()

    def min(self) -> Any:
        """The least key; None without one."""
        return self._end(backward=False)

    def max(self) -> Any:
        """The greatest key; None without one."""
        return self._end(backward=True)

    @property
    def is_unique(self) -> bool:
        """Whether no two rows hold the same key. Reads the keys, up to the first duplicate."""
        return all((counts == 1).all() for _, counts in self._walk(in_order=False))

    def __iter__(self) -> Iterator[Any]:
        """The key of each row that has one, in the order of keys."""
        for parts, counts in self._walk():
            for i, count in enumerate(counts.tolist()):
                key = self._key(parts, i)
                for _ in range(count):
                    yield key

    def quantile(self, q: float) -> Any:
        """The key at a quantile from 0 to 1, of numbers and times: that of `np.quantile` with
        method="lower". None for an index without keys."""
        if isinstance(q, bool) or not isinstance(q, (int, float, np.number)) or not 0 <= q <= 1:
            raise InvalidArgumentError(f"invalid q={q!r}: expected a number from 0 to 1")
        rows = self._core.valid
        if not rows:
            return None
        return self._key_at(math.floor((rows - 1) * float(q)))

    def isin(self, values: Any) -> Array:
        """A mask of the rows whose key is one of `values`, as `pandas.Index.isin` returns it."""
        keys = [*values] if isinstance(values, (set, frozenset)) else values
        mask: Array = self._answer(Query.equal(keys), Kind(), "bitmap", Options())
        return mask

    def rank(self, keys: Any, side: Literal["left", "right"] = "left") -> Any:
        """How many rows hold a key less than `keys[i]`, or with side="right" one that is not
        greater, as `np.searchsorted` has it; 0 for a null."""
        if side not in ("left", "right"):
            raise InvalidArgumentError(f"invalid side={side!r}: expected left or right")
        return super().rank(keys) if side == "left" else self.range(None, keys, "count")

    def _matching(self, lower: Any, upper: Any, ends: EndsName) -> Array:
        """The rows whose key is in one of the ranges."""
        return np.flatnonzero(self._answer(Query.range(lower, upper, ends), Kind(), "bitmap",
                                           Options()))

    def _end(self, backward: bool) -> Any:
        self._require_keys()
        start = self._first(backward)
        parts, counts = self._core.walk_keys(start, False, backward, 1)
        return self._key(parts, 0) if len(counts) else None

    def _walk(self, in_order: bool = True) -> Iterator[tuple[Any, Array]]:
        """Batches of distinct keys and how many rows hold each, of the index as it is now."""
        self._require_keys(in_order)
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
        return self._one_column(self._elements(parts[0])[position:position + 1])

    def _key(self, parts: Any, position: int) -> Any:
        """One key as a Python object."""
        if self.type == "string":
            return parts[0][position]
        return self._as_object(self._elements(parts[0])[position:position + 1])

    def _first(self, backward: bool) -> _core.Column:
        """A key at one end of the order of all keys of the type."""
        if self.type not in _NUMBERED:
            return open_end(self._type, 1, backward)
        dtype = self._dtype()
        return self._one_column(_at_position(_positions(dtype)[backward], dtype, self.type))

    def _elements(self, data: bytes) -> Array:
        return np.frombuffer(data, self._dtype())

    def _dtype(self) -> Any:
        """Of NumPy; keys of 128 bits are plain bytes there."""
        return np.dtype("V16" if WIDTHS.get(self.type) == 16 else key_dtype(self._type))

    def _as_object(self, element: Array) -> Any:
        if self.type in _NUMBERED:
            return key_object(element.tobytes(), self._type)
        return key_answer(element.copy(), None, self._type, np.array([1], np.uint8), _SCALAR)

    def _one_column(self, element: Array) -> _core.Column:
        if element.dtype.kind == "V":  # elements of 128 bits need an alignment of 8 bytes
            element = element.view(np.uint64)
        return _core.Column.elements(self.type, element.copy(), self._type.unit, None,
                                     self._type.scale)

    def _require_keys(self, in_order: bool = True) -> None:
        if self.interval_ends or self._points is not None:
            held = "intervals" if self.interval_ends else "points"
            raise UnsupportedError(f"expected an index over keys, got {held}, which have no order: "
                                   "ask the column itself")
        if in_order and self._reordered:
            reject("the call")
        if self.type == "composite":
            held = "composite keys"
            raise UnsupportedError(f"expected an index over keys of one part, got {held}: read them "
                                   "in the table, in the order of range(answer=\"rows\", "
                                   "order=\"key\")")

    def _key_at(self, rank: int) -> Any:
        """The key of this rank, by bisection over all keys of the type."""
        self._require_keys()
        if self.type == "string":
            raise UnsupportedError("expected a column of numbers or times for quantiles, got strings")
        dtype = self._dtype()
        low, high = _positions(dtype)
        while low < high:
            middle = (low + high) // 2
            column = self._one_column(_at_position(middle, dtype, self.type))
            outputs = {"count": np.empty(1, np.uint32)}
            query = _core.Query("range", None, column)
            self._core.answer(query, None, "", None, outputs, None)
            if outputs["count"][0] > rank:
                high = middle
            else:
                low = middle + 1
        return self._as_object(_at_position(low, dtype, self.type))


def _positions(dtype: Any) -> tuple[int, int]:
    """The first and the last position of a type's elements in their order."""
    if dtype.kind == "b":
        return 0, 1
    # Floats from -inf on: what is before it are NaNs.
    first = (1 << np.finfo(dtype).nmant) - 1 if dtype.kind == "f" else 0
    return first, 2**(8 * dtype.itemsize) - 1


def _at_position(position: int, dtype: Any, key_type: str) -> Array:
    """The element at a position in the order of all elements of the type."""
    sign = 1 << (8 * dtype.itemsize - 1)
    if dtype.kind == "V":
        is_signed = key_type in ("decimal128", "int128")
        data = (position ^ sign if is_signed else position).to_bytes(
            16, "big" if key_type == "binary16" else "little")
        return np.frombuffer(data, dtype)
    if dtype.kind == "f":
        position = position - sign if position >= sign else ~position & (2 * sign - 1)
    elif dtype.kind == "i":
        position ^= sign
    return np.array([position], f"u{dtype.itemsize}").view(dtype)
