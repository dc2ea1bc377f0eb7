"""What lookups are compared with: the type of a column, and of its parts where it has any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Like(NamedTuple):
    """As much of a column as its lookups must know; an `Index` is one, too."""

    type: str
    unit: str
    parts: tuple[Like, ...] = ()
    """Those of a composite; empty where they are not known."""


def parts_of(like: Any, count: int) -> list[Any]:
    """What each of so many parts of a lookup is compared with; None where that is not known."""
    parts = getattr(like, "parts", ())
    return [*parts] if len(parts) == count else [None] * count


def known_parts(types: Sequence[str], units: str) -> tuple[Like, ...]:
    """The parts of a composite column; `units` are those of all, a comma between them."""
    every_unit = units.split(",") if units else [""] * len(types)
    return tuple(Like(*part) for part in zip(types, every_unit))
