"""Scenes as pictures that notebooks show inline."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from typing import Any

from . import _core
from ._columns import column as column_of
from ._core import Error
from ._likes import Like
from ._paths import Path, path_text


class Picture:
    """A drawn scene, which notebooks show. `picture.svg` is the SVG document."""

    __slots__ = ("_keys", "svg")

    def __init__(self, svg: str, keys: int):
        self.svg = svg
        self._keys = keys

    def save(self, path: Path) -> None:
        """Writes the SVG document to a file."""
        try:
            pathlib.Path(path_text(path)).write_text(self.svg, encoding="utf-8")
        except OSError as error:
            raise Error(f"the picture cannot be written: {error}") from error

    def _repr_svg_(self) -> str:
        return self.svg[self.svg.index("<svg"):]  # a page takes no XML declaration in its middle

    def __repr__(self) -> str:
        return f"<rtindex.Picture: a scene of {self._keys} keys>"


def draw(column: Any, keys: Iterable[Any] = (), ranges: Iterable[tuple[Any, Any]] = (),
         index: str = "rx", title: str = "", bvh: bool = False) -> Picture:
    """Draws the scene of a small column (at most 200 rows) and the rays of lookups.

    `keys` are point lookups, `ranges` are pairs of ends, both included. `index` chooses key mode,
    primitive and rays, such as "rx,primitive=sphere"; `bvh` adds bounding volumes.
    """
    if not isinstance(index, str):
        raise Error(f"the spec is {index!r}: pass a string such as \"rx\", or leave it away")
    drawn = column_of(column)
    like = Like(drawn.type, drawn.unit)  # there is no index yet
    lookups: list[Any] = [(column_of([key], like), None) for key in keys]
    lookups += [(column_of([lower], like), column_of([upper], like)) for lower, upper in ranges]
    return Picture(_core.draw(drawn, lookups, index, str(title or "Scene"), bool(bvh)),
                   len(drawn))
