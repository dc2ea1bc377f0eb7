"""The keys of neighbours as answers."""

from __future__ import annotations

import datetime
import decimal
import uuid
from typing import Any

import numpy as np

from ._kinds import Kind
from ._lists import Array, not_a_time
from ._times import time_of_day
from ._types import DECIMALS, WIDTHS, ColumnType

# Types whose keys are objects of Python, in arrays of NumPy too.
OBJECTS = (*DECIMALS, "binary16", "int128", "uint128")
# Types whose single keys are objects that NumPy has no scalars for.
_ONE_OBJECT = (*OBJECTS, "duration64", "time32", "time64")


def key_dtype(key_type: ColumnType) -> Any:
    """The type in which an index writes keys; None for strings and composites. Keys of 128 bits are
    plain bytes."""
    if key_type.type in ("string", "composite"):
        return None
    width = WIDTHS.get(key_type.type)
    if width == 16:
        return np.dtype("V16")
    return np.dtype(key_type.type if width is None else f"int{8 * width}").type


def key_answer(array: Array | None, parts: Any, key_type: ColumnType, validity: Array,
               kind: Kind) -> Any:
    """The keys in objects of this kind, which are in `array`, or in one object for each part."""
    found: Any = array
    if array is None:
        found = tuple(
            Kind().strings(part) if isinstance(part, list) else
            np.frombuffer(part, key_dtype(part_type)).copy()
            for part, part_type in zip(parts, key_type.parts or (key_type,)))
        if key_type.type == "string":
            found = found[0]
    return found if kind.is_raw else raw_keys_as(found, key_type, validity, kind)


def raw_keys_as(keys: Any, key_type: ColumnType, validity: Array, kind: Kind) -> Any:
    """Elements that an index stores, or strings, as keys in objects of this kind; several parts are
    a tuple. Misses are written over."""
    if isinstance(keys, tuple):
        return kind.parts(tuple(raw_keys_as(part, part_type, validity, kind)
                                for part, part_type in zip(keys, key_type.parts)))
    if key_type.type == "string":
        return kind.strings(_texts([*keys]))
    return _native(keys, key_type, validity, kind)


def _texts(items: list[Any]) -> list[Any]:
    """Strings of one type: bytes where one of them is not UTF-8."""
    if not any(isinstance(item, bytes) for item in items):
        return items
    return [item.encode() if isinstance(item, str) else item for item in items]


def key_object(data: bytes, key_type: ColumnType) -> Any:
    """One key as an object of Python, from its bytes; None for types that NumPy's objects stand for."""
    if key_type.type == "binary16":
        return uuid.UUID(bytes=data)
    number = int.from_bytes(data, "little", signed=key_type.type != "uint128")
    if key_type.type in DECIMALS:
        digits = tuple(map(int, str(abs(number))))
        return decimal.Decimal((int(number < 0), digits, -key_type.scale))
    if key_type.type in ("int128", "uint128"):
        return number
    if key_type.type == "duration64":
        duration = np.array(number, np.int64).view(f"m8[{key_type.unit}]")[()]
        own = duration.item()
        return own if isinstance(own, datetime.timedelta) else duration  # finer than Python's
    if key_type.type in ("time32", "time64"):
        return time_of_day(number, key_type.unit)
    return None


def _native(keys: Array, key_type: ColumnType, validity: Array, kind: Kind) -> Any:
    if kind.is_one and key_type.type in _ONE_OBJECT:
        return key_object(keys.tobytes(), key_type) if validity[0] & 1 else None
    missing = np.unpackbits(validity, count=keys.size, bitorder="little") == 0
    if key_type.type in OBJECTS:
        return kind.objects([None if lost else key_object(key.tobytes(), key_type)
                             for key, lost in zip(keys, missing)], key_type)
    if key_type.type == "date32":
        keys = keys.astype("M8[D]")
    elif key_type.type == "timestamp64" and key_type.unit:
        keys = keys.view(f"M8[{key_type.unit}]")
    elif key_type.type == "duration64" and key_type.unit:
        keys = keys.view(f"m8[{key_type.unit}]")
    elif key_type.type in ("time32", "time64"):
        return kind.times_of_day(keys, validity, key_type)
    keys[missing] = _reserved(keys.dtype)
    return kind.array(keys, validity if kind.has_nulls else None, zone=key_type.zone)


def _reserved(dtype: Any) -> Any:
    """The key of a miss, as for aggregates."""
    if dtype.kind in "mM":
        return not_a_time(dtype)
    if dtype.kind == "f":
        return np.nan
    if dtype.kind == "b":
        return False
    return np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
