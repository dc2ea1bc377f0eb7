"""Times in the unit of a column, and decimals with its scale: exactly, or not at all."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._type_names import type_name
from ._types import DECIMALS, INTEGERS, ColumnType, Rounding

# Attoseconds in the units of NumPy that have one length.
LENGTHS = {"as": 1, "fs": 10**3, "ps": 10**6, "ns": 10**9, "us": 10**12, "ms": 10**15,
           "s": 10**18, "m": 60 * 10**18, "h": 3600 * 10**18, "D": 86_400 * 10**18,
           "W": 7 * 86_400 * 10**18}
# Types that compare with each other.
_FAMILIES = {"date32": "instant", "timestamp64": "instant", "time32": "time of day",
             "time64": "time of day", "duration64": "duration"}
_LARGEST_FACTOR = 2**63 - 1


def length_of(unit: str) -> int | None:
    """The length of a unit such as "us" or "10ms", in attoseconds; None if it has none."""
    digits = unit.rstrip("DWYMabcdefghijklmnopqrstuvwxyz")
    length = LENGTHS.get(unit[len(digits):])
    return None if length is None else length * int(digits or 1)


def in_unit(found: Column, target: ColumnType) -> Column:
    """Times in the unit of the column, and decimals with its scale; anything else as it is.

    Lookups between two ticks are rounded to the next one inside a range, and match nothing
    otherwise; keys that are stored there are an error.
    """
    if target.type in DECIMALS and (found.type in DECIMALS or found.type in INTEGERS):
        if found.type in DECIMALS and found.scale == target.scale:
            return found
        return _rescaled(found, target, "decimal128", 10**(target.scale + 40),
                         10**(found.scale + 40))
    if found.type in DECIMALS and target.type in INTEGERS:
        return _rescaled(found, target, "int128", 1, 10**found.scale)
    family = _FAMILIES.get(found.type)
    if family is None or family != _FAMILIES.get(target.type):
        return found
    own, wanted = _unit(found.type, found.unit), _unit(target.type, target.unit)
    if not own or not wanted or own == wanted and found.type == target.type:
        return found
    length, wanted_length = length_of(own), length_of(wanted)
    if length is None or wanted_length is None:
        if own == wanted:
            return found
        if found.type == "duration64":
            raise InvalidArgumentError(f"expected durations in {wanted}, as in the index, got {own}, "
                                       "which has no such length: pass days or a finer unit")
        raise InvalidArgumentError(f"expected times in {wanted}, as in the index, got {own}: "
                                   f'convert them with .astype("datetime64[{wanted}]")')
    return _rescaled(found, target, "time64" if target.type == "time32" else target.type, length,
                     wanted_length)


def _rescaled(found: Column, target: ColumnType, wanted: str, length: int,
              wanted_length: int) -> Column:
    shared = math.gcd(length, wanted_length)
    multiplier, divisor = length // shared, wanted_length // shared
    if max(multiplier, divisor) > _LARGEST_FACTOR:
        own, held = (type_name(one.type, one.unit, one.scale) for one in (found, target))
        raise InvalidArgumentError(f"{own} and {held} are too far apart to be converted: convert the "
                                   "keys first")
    rounding = target.rounding or Rounding(0, error="round it to that unit")
    converted, rejected = found.rescaled(wanted, target.unit, target.scale, multiplier, divisor,
                                        rounding.direction, rounding.open)
    if rejected is not None and rounding.error:
        raise InvalidArgumentError(_rejection(found, target, rejected, multiplier, divisor,
                                              rounding))
    return converted


def _rejection(found: Column, target: ColumnType, rejected: tuple[int, int], multiplier: int,
               divisor: int, rounding: Rounding) -> str:
    position, value = rejected
    if target.type in DECIMALS or found.type in DECIMALS:
        kind = f"decimal with {target.scale} digits" if target.type in DECIMALS else target.type
        number = value / 10**found.scale
        return f"the number {number} (element {position}) is no {kind}: {rounding.error}"
    own = _unit(found.type, found.unit)
    name = "timedelta64" if found.type == "duration64" else "datetime64"
    text = np.array(value, np.int64).view(f"{name}[{own}]")
    unit = f"{name}[{_unit(target.type, target.unit)}]"
    if value * multiplier % divisor:
        return (f"the time {text} (element {position}) falls between two ticks of the column's "
                f"{unit}: {rounding.error}")
    if found.type == "duration64":
        return f"the duration {text} (element {position}) is too long for {unit}: remove it"
    return (f"the time {text} (element {position}) is too far from 1970 for {unit}: remove it, or "
            "choose an open end that the unit has, such as 2262-01-01 in nanoseconds")


def _unit(time_type: str, unit: str) -> str:
    return "D" if time_type == "date32" else unit


def require_zone(zone: str, target: ColumnType, what: Any) -> None:
    """Rejects times with a zone on a column without one, and the reverse."""
    if _FAMILIES.get(target.type) != "instant" or bool(zone) == bool(target.zone):
        return
    differ = (f"has the time zone {zone}, and the column has none: build the index over times with "
              "a zone" if zone else
              f"has no time zone, and the column has {target.zone}: pass times with a zone")
    # One advice for both: removing the zone would be another instant in pandas than in polars.
    raise InvalidArgumentError(
        f"{what} {differ}, by naming the ZONE of the wall times, in pandas with "
        ".dt.tz_localize(ZONE), in polars with .dt.replace_time_zone(ZONE), or with "
        "datetime.replace(tzinfo=ZONE)")
