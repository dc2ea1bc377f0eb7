"""The keys of neighbours as answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InvalidArgumentError
from ._kinds import Kind
from ._lists import Array, not_a_time
from ._types import WIDTHS, ColumnType


def key_dtype(key_type: ColumnType) -> type | None:
    """The type in which an index writes keys; None for strings and composites."""
    if key_type.type in ("string", "composite"):
        return None
    width = WIDTHS.get(key_type.type)
    if width == 16:
        raise InvalidArgumentError(f"the keys of a {key_type.type} column are no elements of "
                                   "NumPy: request 'any', the row of the neighbour")
    return np.dtype(key_type.type if width is None else f"int{8 * width}").type


def key_answer(array: Array | None, parts: Any, key_type: ColumnType, validity: Array,
               kind: Kind) -> Any:
    """The keys in objects of this kind, which are in `array`, or in one object for each part."""
    if array is not None:
        return _native(array, key_type, validity, kind)
    if key_type.type == "string":
        return kind.strings(_texts(parts[0]))
    return kind.parts(tuple(
        kind.strings(_texts(part)) if isinstance(part, list) else
        _native(np.frombuffer(part, key_dtype(part_type)).copy(), part_type, validity, kind)
        for part, part_type in zip(parts, key_type.parts)))


def _texts(items: list[Any]) -> list[Any]:
    """Strings of one type: bytes where one of them is not UTF-8."""
    if not any(isinstance(item, bytes) for item in items):
        return items
    return [item.encode() if isinstance(item, str) else item for item in items]


def _native(keys: Array, key_type: ColumnType, validity: Array, kind: Kind) -> Any:
    missing = np.unpackbits(validity, count=keys.size, bitorder="little") == 0
    if key_type.type == "date32":
        keys = keys.astype("M8[D]")
    elif key_type.type == "timestamp64" and key_type.unit:
        keys = keys.view(f"M8[{key_type.unit}]")
    keys[missing] = _reserved(keys.dtype)
    return kind.array(keys, validity if kind.has_nulls else None, zone=key_type.zone)


def _reserved(dtype: Any) -> Any:
    """The key of a miss, as for aggregates."""
    if dtype.kind == "M":
        return not_a_time(dtype)
    if dtype.kind == "f":
        return np.nan
    if dtype.kind == "b":
        return False
    return np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
