"""The type of an indexed column, to which its lookups are converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FLOATS = ("float32", "float64")
# Bytes of elements that NumPy knows by another name.
WIDTHS = {"date32": 4, "timestamp64": 8, "time32": 4, "time64": 8, "duration64": 8,
          "decimal32": 4, "decimal64": 8, "decimal128": 16, "int128": 16, "uint128": 16,
          "binary16": 16}
INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


_WHOLE_PART = ("expected a whole number of 64 bits; only the last part of an end of a composite "
               "range may have a fraction")
_WHOLE_KEY = ("expected whole numbers of 64 bits, because distances between integers are whole: "
              "round the keys first")


_WHOLE_POINT = "expected whole numbers of 64 bits, as the intervals have: round the points first"


class Rounding(NamedTuple):
    """How floats become lookups on a column of integers."""

    direction: int
    """Up (1) for lower ends of ranges, down (-1) for upper ends; 0 for points: whole ones match."""
    open: bool = False
    """The end itself is not part of the range."""
    error: str = ""
    """The error for a float that is not whole; empty: such a float matches nothing."""


class ColumnType(NamedTuple):
    """The type of a column, and how lookups are converted to it."""

    type: str
    unit: str
    """Of timestamps, times of day and durations; for a composite, the units of its parts, separated
    by commas."""
    parts: tuple[ColumnType, ...] = ()
    """Of a composite; empty where they are unknown."""
    rounding: Rounding | None = None
    """None: floats are not converted to integers."""

    def for_points(self) -> ColumnType:
        return self._rounded(Rounding(0), Rounding(0), Rounding(0))

    def for_ends(self, direction: int, is_open: bool = False) -> ColumnType:
        """For the lower (1) or upper (-1) ends of ranges."""
        # Tuples compare in lexicographic order: an end may be rounded in its last part alone.
        return self._rounded(Rounding(direction, is_open), Rounding(0, error=_WHOLE_PART),
                             Rounding(direction, is_open, _WHOLE_PART))

    def for_neighbours(self) -> ColumnType:
        last = Rounding(0, error=_WHOLE_KEY)
        return self._rounded(last, Rounding(0), last)

    def for_interval_points(self) -> ColumnType:
        """For queries on a column of intervals of this type."""
        points = self.parts[0] if len(self.parts) == 2 else self._replace(parts=self.parts[:-1])
        last = Rounding(0, error=_WHOLE_POINT)
        return points._rounded(last, Rounding(0), last)

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


def known_parts(types: Sequence[str], units: str) -> tuple[ColumnType, ...]:
    """The parts of a composite column; `units` are separated by commas."""
    every_unit = units.split(",") if units else [""] * len(types)
    return tuple(ColumnType(*part) for part in zip(types, every_unit))
