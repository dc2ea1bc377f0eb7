"""The keys at ranks, found by counting the keys before others: an index returns rows, not keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._keys import key_dtype
from ._lists import Array
from ._types import ColumnType


def elements_column(elements: Array, key_type: ColumnType) -> _core.Column:
    if elements.dtype.kind == "V":  # elements of 128 bits need an alignment of 8 bytes
        elements = elements.view(np.uint64)
    return _core.Column.elements(key_type.type, elements.copy(), key_type.unit, None,
                                 key_type.scale)


def part_column(part: Any, key_type: ColumnType) -> _core.Column:
    """A part of keys as `keys_at` returns it."""
    if key_type.type == "string":
        return _core.Column.strings(part)
    return elements_column(part, key_type)


def keys_at(index: _core.Index, key_type: ColumnType, ranks: Array) -> list[Any]:
    """The keys of these ranks, all of which exist, part by part: elements, or a list of bytes."""
    search = _Search(index, bool(key_type.parts), ranks)
    for part in key_type.parts or (key_type,):
        search.add(part)
    return search.parts


class _Search:
    """Keys whose first parts are known."""

    def __init__(self, index: _core.Index, is_composite: bool, ranks: Array):
        self.parts: list[Any] = []
        self._index, self._is_composite, self._ranks = index, is_composite, ranks
        self._columns: list[_core.Column] = []

    def add(self, part_type: ColumnType) -> None:
        """Finds the next part."""
        part = self._strings() if part_type.type == "string" else self._elements(part_type)
        self.parts.append(part)
        self._columns.append(part_column(part, part_type))

    def _is_at_most(self, bound: _core.Column, ends: str = "[]") -> Array:
        """Whether each key is not after a bound of its next part, or with "[)" before it."""
        column = _core.Column.composite([*self._columns, bound]) if self._is_composite else bound
        counts = np.empty(len(column), np.uint32)
        self._index.answer(_core.Query("range", None, column, ends), None, "", None,
                           {"count": counts}, None)
        return counts > self._ranks

    def _elements(self, part_type: ColumnType) -> Array:
        """By bisection over all elements of the type."""
        dtype = np.dtype(key_dtype(part_type))
        ends = positions(dtype)
        low, high = (np.full(len(self._ranks), end, object if dtype.kind == "V" else np.uint64)
                     for end in ends)
        while (low < high).any():
            middle = low + (high - low) // 2
            is_before = self._is_at_most(elements_column(at_positions(middle, part_type), part_type))
            low, high = np.where(is_before, low, np.minimum(middle + 1, high)), np.where(
                is_before, middle, high)
        return at_positions(low, part_type)

    def _strings(self) -> list[bytes]:
        """Byte by byte: the first one that is not too small."""
        found = [b""] * len(self._ranks)
        while True:
            is_done = self._is_at_most(_core.Column.strings(found))
            if is_done.all():
                return found
            low, high = np.zeros(len(found), int), np.full(len(found), 255)
            while (low < high).any():
                middle = (low + high) // 2
                is_before = self._is_at_most(_core.Column.strings(
                    [_appended(text, byte + 1) for text, byte in zip(found, middle)]), "[)")
                low, high = np.where(is_before, low, np.minimum(middle + 1, high)), np.where(
                    is_before, middle, high)
            found = [text if done else _appended(text, byte)
                     for text, byte, done in zip(found, low, is_done)]


def _appended(text: bytes, byte: int) -> bytes:
    return text + bytes([min(byte, 255)])


def positions(dtype: Any) -> tuple[int, int]:
    """The first and the last position of a type's elements in their order."""
    if dtype.kind == "b":
        return 0, 1
    # Floats from -inf on: what is before it are NaNs.
    first = (1 << np.finfo(dtype).nmant) - 1 if dtype.kind == "f" else 0
    return first, 2**(8 * dtype.itemsize) - 1


def at_positions(held: Sequence[Any] | Array, key_type: ColumnType) -> Array:
    """The elements at positions in the order of all elements of the type."""
    dtype = np.dtype(key_dtype(key_type))
    sign = 1 << (8 * dtype.itemsize - 1)
    if dtype.kind == "V":
        flipped = sign if key_type.type in ("decimal128", "int128") else 0
        order: Any = "big" if key_type.type == "binary16" else "little"
        return np.frombuffer(b"".join((int(one) ^ flipped).to_bytes(16, order) for one in held),
                             dtype)
    numbers = np.asarray(held, np.uint64)
    if dtype.kind == "f":
        numbers = np.where(numbers >= sign, numbers - np.uint64(sign),
                           ~numbers & np.uint64(2 * sign - 1))
    elif dtype.kind == "i":
        numbers = numbers ^ np.uint64(sign)
    return numbers.astype(f"u{dtype.itemsize}").view(dtype)
