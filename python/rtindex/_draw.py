"""Scenes as pictures that notebooks show inline."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

from . import _core
from ._columns import column as column_of
from ._columns import open_end
from ._errors import FileError
from ._index import Path, path_text, spec_text
from ._types import ColumnType, known_parts


class Picture:
    """A picture of a scene, which notebooks show; `picture.svg` is the SVG document."""

    __slots__ = ("_keys", "svg")

    def __init__(self, svg: str, keys: int):
        self.svg = svg
        self._keys = keys

    def save(self, path: Path) -> None:
        """Writes the SVG document to a file."""
        try:
            pathlib.Path(path_text(path)).write_text(self.svg, encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot write the picture: {error}") from error

    def _repr_svg_(self) -> str:
        return self.svg[self.svg.index("<svg"):]  # without the XML declaration

    def __repr__(self) -> str:
        return f"<rtindex.Picture: a scene of {self._keys} keys>"


def draw(column: Any, keys: Iterable[Any] = (), ranges: Iterable[tuple[Any, Any]] = (),
         spec: str = "rx", title: str = "", bvh: bool = False) -> Picture:
    """Draws the scene of a small column (at most 200 rows) and the rays of queries.

    keys: one query for each, as in `Query.equal`.
    ranges: pairs of ends, both inclusive; None is an open end.
    spec: key mode, primitive and rays, such as "rx,primitive=sphere".
    bvh: add the bounding volumes.
    """
    drawn = column_of(column)
    target = ColumnType(drawn.type, drawn.unit, known_parts(drawn.part_types, drawn.unit))
    queries = [_core.Query("equal", column_of([key], target.for_points())) for key in keys]
    queries += [_core.Query("range", _end(lower, target, 1), _end(upper, target, -1))
                for lower, upper in ranges]
    return Picture(_core.draw(drawn, queries, spec_text(spec), str(title or "Scene"), bool(bvh)),
                   len(drawn))


def _end(end: Any, target: ColumnType, direction: int) -> _core.Column:
    if end is None:
        return open_end(target, 1, upper=direction < 0)
    return column_of([end], target.for_ends(direction))
