"""Errors about types, in the words of the caller's library."""

from __future__ import annotations

from typing import Any

from ._core import Column
from ._errors import InvalidArgumentError
from ._names import library_of
from ._types import DECIMALS, FLOATS, INTEGERS, ColumnType

_DIGITS = {"decimal32": 9, "decimal64": 18, "decimal128": 38}
_NAMES = {"date32": "date", "time32": "time of day", "time64": "time of day", "binary16": "UUID"}
# Types that compare with each other; all others compare with their own only.
_FAMILIES = {**dict.fromkeys((*INTEGERS, "int128", "uint128"), "integer"),
             **dict.fromkeys((*FLOATS, "float16"), "float"), **dict.fromkeys(DECIMALS, "decimal"),
             **dict.fromkeys(("time32", "time64"), "time of day")}
_TO_INSTANTS = {"pandas": "pass pd.to_datetime(keys)", "polars": "pass keys.str.to_datetime()",
                "pyarrow": 'pass keys.cast(pa.timestamp("us"))'}


def type_name(name: str, unit: str = "", scale: int = 0, zone: str = "") -> str:
    """A type of the library as NumPy, pandas and Arrow write it."""
    if name == "timestamp64":
        return f"datetime64[{unit or 'ns'}{', ' if zone else ''}{zone}]"
    if name == "duration64":
        return f"timedelta64[{unit or 'ns'}]"
    return f"decimal128({_DIGITS[name]}, {scale})" if name in DECIMALS else _NAMES.get(name, name)


def require_comparable(found: Column, target: ColumnType, data: Any) -> None:
    """Rejects keys that were read from `data`, if none of them could equal one of the column."""
    if "composite" in (found.type, target.type) or (
            _FAMILIES.get(found.type, found.type) == _FAMILIES.get(target.type, target.type)):
        return
    held = type_name(target.type, target.unit, target.scale, target.zone)
    problem = f"keys cannot be compared with {'an' if held.startswith('i') else 'a'} {held} column"
    if len(target.names) == 1:
        problem = f"values cannot be compared with column {target.names[0]!r}, which is {held}"
    raise InvalidArgumentError(f"{_name_of(found, data)} {problem}: "
                               f"{_advice(found, target, data, held)}")


def _name_of(found: Column, data: Any) -> str:
    """The type of keys, as their library names it if it has types."""
    own = getattr(data, "dtype", None)
    if own is None and library_of(data) == "pyarrow":
        own = getattr(data, "type", None)
    if own is None or getattr(own, "kind", "") in ("O", "S", "T", "U"):
        return type_name(found.type, found.unit, found.scale)
    return str(own)


def _advice(found: Column, target: ColumnType, data: Any, held: str) -> str:
    library = library_of(data)
    if target.type == "string":
        return "pass strings"
    if target.type in DECIMALS and library not in ("pandas", "polars", "pyarrow"):
        return 'pass Decimal objects, such as Decimal("1.5")'
    if found.type == "string" and target.type in ("date32", "timestamp64"):
        return _TO_INSTANTS.get(library, "pass times")
    if found.type == "string" and target.type == "duration64" and library == "pandas":
        return "pass pd.to_timedelta(keys)"
    return f"convert them to {held} first"
