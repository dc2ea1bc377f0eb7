"""Scenes as pictures that notebooks show inline."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from typing import Any

from . import _core
from ._columns import column as column_of


class Picture:
    """A drawn scene. Notebooks show it; `str(picture)` is the SVG document."""

    __slots__ = ("svg",)

    def __init__(self, svg: str):
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG document to a file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<rtindex.Picture: {len(self.svg):,} characters of SVG>"


class _Like:
    """What lookups are compared with, where there is no index yet."""

    def __init__(self, column: _core.Column):
        self.type, self.unit = column.type, column.unit


def draw(column: Any, keys: Iterable[Any] = (), ranges: Iterable[tuple[Any, Any]] = (),
         index: str = "rx", title: str = "", bvh: bool = False) -> Picture:
    """Draws the scene of a small column (at most 200 rows) and the rays of lookups.

    `keys` are point lookups, `ranges` are pairs of ends, both included. `index` chooses key mode,
    primitive and rays, such as "rx,primitive=sphere"; `bvh` adds bounding volumes.
    """
    drawn = column_of(column)
    like = _Like(drawn)
    lookups = [(column_of([key], like), None) for key in keys]
    lookups += [(column_of([lower], like), column_of([upper], like)) for lower, upper in ranges]
    return Picture(_core.draw(drawn, lookups, index, title or "Scene", bvh))
