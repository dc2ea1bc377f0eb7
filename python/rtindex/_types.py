"""The type of an indexed column, to which its lookups are converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FLOATS = ("float32", "float64")
# Bytes of elements that NumPy knows by another name.
WIDTHS = {"date32": 4, "timestamp64": 8, "time32": 4, "time64": 8, "duration64": 8,
          "decimal32": 4, "decimal64": 8, "decimal128": 16, "int128": 16, "uint128": 16,
          "binary16": 16}
TIMES = ("date32", "timestamp64", "time32", "time64", "duration64")
DECIMALS = ("decimal32", "decimal64", "decimal128")
WIDE_INTEGERS = ("int128", "uint128")
INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


_WHOLE_PART = ("expected a whole number of 64 bits; only the last part of an end of a composite "
               "range may have a fraction")
_LAST_PART = ("the last part of an end of a composite range cannot hold it: pass the least or the "
              "greatest number that it has, and `ends` without it")
_WHOLE_KEY = ("expected whole numbers of 64 bits, because distances between integers are whole: "
              "round the keys first")
_BETWEEN = "a distance from it is no whole number of ticks: round the keys, or "
_IN_ONE_DIRECTION = "search in one direction without a tolerance"
_IN_FINER_UNIT = "build the intervals in the finer unit"
_BETWEEN_POINTS = "round the ends of the ranges, or " + _IN_FINER_UNIT
_WHOLE_POINT = ("expected whole numbers of 64 bits, as the intervals have: convert their starts and "
                "ends to float64")


class Rounding(NamedTuple):
    """How floats become lookups on a column of integers."""

    direction: int
    """Up (1) for lower ends of ranges, down (-1) for upper ends; 0 for points: whole ones match."""
    open: bool = False
    """The end itself is not part of the range."""
    error: str = ""
    """The error for a float that is not whole; empty: such a float matches nothing."""
    clamps: bool = False
    """A point beyond integers of 128 bits is the least or the greatest of them."""


class ColumnType(NamedTuple):
    """The type of a column, and how lookups are converted to it."""

    type: str
    unit: str
    """Of timestamps, times of day and durations; for a composite, the units of its parts, separated
    by commas."""
    parts: tuple[ColumnType, ...] = ()
    """Of a composite; empty where they are unknown."""
    rounding: Rounding | None = None
    """None: for keys that are stored. Floats are not converted to integers, and a time or a decimal
    that the column cannot hold is an error."""
    scale: int = 0
    """Of decimals: the digits behind the point."""
    zone: str = ""
    """Of timestamps; empty for those without a time zone."""
    nan_as_null: bool | None = None
    """Whether NaN is null; None: as the library has it whose object is passed."""
    names: tuple[str, ...] = ()
    """The names of the columns of a composite; empty where it was built without names."""
    are_keys: bool = False
    """Whether this is the type of indexed keys, with which those that are passed must compare."""

    def for_points(self) -> ColumnType:
        return self._rounded(Rounding(0), Rounding(0), Rounding(0))

    def for_ends(self, direction: int, is_open: bool = False) -> ColumnType:
        """For the lower (1) or upper (-1) ends of ranges."""
        # Tuples compare in lexicographic order: an end may be rounded in its last part alone.
        return self._rounded(Rounding(direction, is_open), Rounding(0, error=_WHOLE_PART),
                             Rounding(direction, is_open, _LAST_PART))

    def for_neighbours(self, direction: str = "nearest", exact: bool = True,
                       has_tolerance: bool = False) -> ColumnType:
        """For the keys of "nearest". A time between two ticks is the tick before it where the
        neighbour is before it, too, and the tick after it for one behind."""
        last = self._neighbour_rounding(_IN_ONE_DIRECTION)
        own = self.parts[-1].type if self.parts else self.type
        if (last.error != _WHOLE_KEY or own in WIDE_INTEGERS) and direction != "nearest" and not has_tolerance:
            last = Rounding(-1 if direction == "backward" else 1, not exact)
        if own in WIDE_INTEGERS and direction == "nearest" and exact and not has_tolerance:
            last = Rounding(0, clamps=True)
        return self._rounded(last, Rounding(0), last)

    def for_interval_neighbours(self) -> ColumnType:
        """For the keys of "nearest" on intervals, whose points this is the type of. An interval
        that ends at the tick before a time contains that tick, but not the time."""
        last = self._neighbour_rounding(_IN_FINER_UNIT)
        return self._rounded(last, Rounding(0), last)

    def _neighbour_rounding(self, advice: str) -> Rounding:
        own = self.parts[-1].type if self.parts else self.type
        has_ticks = own in TIMES or own in DECIMALS
        return Rounding(0, error=_BETWEEN + advice if has_ticks else _WHOLE_KEY)

    def interval_points(self) -> ColumnType:
        """The type of the points of intervals, behind their leading columns."""
        return self.parts[0] if len(self.parts) == 2 else self._replace(parts=self.parts[:-1])

    def for_interval_points(self, direction: int = 0) -> ColumnType:
        """For queries on a column of intervals of this type. direction: to which tick a time
        between two of them is rounded, down (-1) or up (1)."""
        points = self.interval_points()
        own = points.parts[-1].type if points.parts else points.type
        last = Rounding(0, error=_WHOLE_POINT)
        if own in TIMES or own in DECIMALS:
            last = Rounding(direction, error="" if direction else _BETWEEN_POINTS)
        elif own in WIDE_INTEGERS and direction:
            last = Rounding(0)  # the point of "contains"
        return points._rounded(last, Rounding(0), last)

    def for_interval_ends(self, kind: str, direction: int, is_open: bool) -> ColumnType:
        """For the lower (1) or upper (-1) ends of ranges on intervals of 128-bit integers. No
        interval covers an end beyond the type."""
        last = Rounding(0) if kind == "covers" else Rounding(direction, is_open)
        return self.interval_points()._rounded(last, Rounding(0), last)

    def _rounded(self, plain: Rounding, leading: Rounding, last: Rounding) -> ColumnType:
        """`leading` and `last` are for the parts of a composite, `plain` for any other column."""
        parts = [part._replace(rounding=leading) for part in self.parts[:-1]]
        parts += [part._replace(rounding=last) for part in self.parts[-1:]]
        return self._replace(parts=tuple(parts), rounding=plain)

    def rounds(self, found: str) -> bool:
        """Whether lookups of the type `found` become integers."""
        return self.rounding is not None and found in FLOATS and self.type in INTEGERS


def parts_of(target: ColumnType | None, count: int) -> Sequence[ColumnType | None]:
    """The type of each of `count` parts of a lookup; None where it is unknown."""
    parts = () if target is None else target.parts
    # Lookups may have fewer parts than the column, keys that are inserted may not.
    is_prefix = target is not None and target.rounding is not None and count <= len(parts)
    return parts[:count] if is_prefix or len(parts) == count else [None] * count


def known_parts(types: Sequence[str], units: str, scales: Sequence[int] = (), zones: str = "",
                nan_as_null: bool | None = None) -> tuple[ColumnType, ...]:
    """The parts of a composite column; `units` and `zones` are separated by commas."""
    every_unit = units.split(",") if units else [""] * len(types)
    every_zone = zones.split(",") if zones else [""] * len(types)
    return tuple(ColumnType(part, unit, scale=scale, zone=zone, nan_as_null=nan_as_null,
                            are_keys=True)
                 for part, unit, scale, zone in zip(types, every_unit, scales or [0] * len(types),
                                                    every_zone))
