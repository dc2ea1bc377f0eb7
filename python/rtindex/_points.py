"""Columns of points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import _core
from ._columns import column
from ._errors import InvalidArgumentError
from ._names import as_table, columns_of, texts_of_names
from ._types import ColumnType


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """A column of points, as `rtindex.points` makes it. It holds the caller's objects."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"<rtindex.Points {', '.join(self.names)}>"


def points(frame: Any = None, /, **columns: Any) -> Points:
    """Columns to build one index over, for filters on several of them.

        >>> sales = rtindex.build(rtindex.points(price=[10, 20, 30], store=[7, 7, 8]))
        >>> sales.filter({"price": (10, 20), "store": 7}, "count")
        2

    frame: a data frame of pandas or polars, a table of Arrow, or a dict of columns. Its columns,
        2 to 8, keep their names; those that are no strings, such as integers, are their texts.
    columns: or the columns by name.

    Rows with a null in a column match no condition on that column.
    """
    if (frame is None) == (not columns):
        raise InvalidArgumentError("rtindex.points expects a frame or columns by name: pass one of "
                                   "them")
    held = columns if frame is None else _named_columns(frame)
    if not 2 <= len(held) <= 8:
        raise InvalidArgumentError(f"points have 2 to 8 columns, got {len(held)}: choose those that "
                                   "filters use")
    return _points_named(held)


def _points_named(columns: Mapping[str, Any]) -> Points:
    return Points(tuple(columns), tuple(columns.values()))


def _named_columns(frame: Any) -> Mapping[str, Any]:
    if hasattr(frame, "__dask_graph__"):
        raise InvalidArgumentError(f"rtindex.points expects data in memory, got a {type(frame).__name__} "
                                   "of Dask: pass frame.compute()")
    if isinstance(frame, Mapping):
        names, held = [*frame], [*frame.values()]
    else:
        frame = as_table(frame)
        held = columns_of(frame)
        found = getattr(frame, "column_names", None)
        names = [*(getattr(frame, "columns", ()) if found is None else found)]
    if not held or len(names) != len(held):
        raise InvalidArgumentError("rtindex.points expects a data frame, a table or a dict of "
                                   f"columns, got {type(frame).__name__}")
    return dict(zip(texts_of_names(names), held))


def point_column(data: Points, types: tuple[ColumnType, ...] = (),
                 nan_as_null: bool | None = None) -> _core.Column:
    """A view of the columns, with `types` in those of an indexed column."""
    wanted = types or (None,) * len(data.columns)
    held = [column(one, of, nan_as_null) for one, of in zip(data.columns, wanted)]
    for name, one in zip(data.names, held):
        if len(one) != len(held[0]):
            raise InvalidArgumentError(f"the columns {data.names[0]!r} and {name!r} differ in "
                                       f"length ({len(held[0])} and {len(one)} rows)")
    return _core.Column.points(held)


def new_points(data: Any, names: tuple[str, ...], types: tuple[ColumnType, ...]) -> _core.Column:
    """The rows of a change: points, or what `points` makes them of, with these columns."""
    held = data if isinstance(data, Points) else _points_named(_named_columns(data))
    missing = [repr(name) for name in names if name not in held.names]
    if missing and set(held.names) < set(names):
        raise InvalidArgumentError(f"the index holds points of {', '.join(names)}, and the new rows "
                                   f"have no {', '.join(missing)}: pass the same columns")
    if sorted(held.names) != sorted(names):
        raise InvalidArgumentError(f"the index holds points of {', '.join(names)}, got "
                                   f"{', '.join(held.names)}: pass the same columns")
    by_name = dict(zip(held.names, held.columns))
    return point_column(Points(names, tuple(by_name[name] for name in names)), types)
