"""The type of an indexed column, to which its lookups are converted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

FLOATS = ("float32", "float64")
INTEGERS = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


class Rounding(NamedTuple):
    """How floats become lookups on a column of integers."""

    direction: int
    """Up (1) for lower ends of ranges, down (-1) for upper ends; 0 for points: whole ones match."""
    strict: bool
    """A float without an integer is an error; otherwise it matches nothing."""


class ColumnType(NamedTuple):
    """The type of a column, and how lookups are converted to it."""

    type: str
    unit: str
    """Of timestamps; for a composite, the units of its parts, separated by commas."""
    parts: tuple[ColumnType, ...] = ()
    """Of a composite; empty where they are unknown."""
    rounding: Rounding | None = None
    """None: floats are not converted to integers."""

    def for_lookups(self, direction: int = 0) -> ColumnType:
        """For points, or for one end of ranges."""
        # Tuples compare in lexicographic order: an end may be rounded in its last part alone.
        leading = [part._replace(rounding=Rounding(0, direction != 0)) for part in self.parts[:-1]]
        last = [part._replace(rounding=Rounding(direction, direction != 0))
                for part in self.parts[-1:]]
        return self._replace(parts=(*leading, *last), rounding=Rounding(direction, False))

    def rounds(self, found: str) -> bool:
        """Whether lookups of the type `found` become integers."""
        return self.rounding is not None and found in FLOATS and self.type in INTEGERS


def parts_of(target: ColumnType | None, count: int) -> Sequence[ColumnType | None]:
    """The type of each of `count` parts of a lookup; None where it is unknown."""
    parts = () if target is None else target.parts
    return parts if len(parts) == count else [None] * count


def known_parts(types: Sequence[str], units: str) -> tuple[ColumnType, ...]:
    """The parts of a composite column; `units` are separated by commas."""
    every_unit = units.split(",") if units else [""] * len(types)
    return tuple(ColumnType(*part) for part in zip(types, every_unit))
