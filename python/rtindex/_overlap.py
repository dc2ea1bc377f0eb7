"""What the overlap joins of data frames share."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ._columns import column
from ._core import MISS
from ._errors import InvalidArgumentError
from ._index import build
from ._interval_sides import has_nulls_alone, texts
from ._intervals import Intervals
from ._lists import Array
from ._pairs import completed, require_frame_how
from ._query import Query, require_ends
from ._types import ColumnType

_OTHER_ZONE = "build the index over times with a zone"


def names_of(on: Any, side: str) -> list[Any]:
    """The columns of a side: start and end, or on the left one column of points."""
    names = [on] if isinstance(on, str) or not isinstance(on, (list, tuple)) else [*on]
    if on is None or len(names) != 2 and (side == "right" or len(names) != 1):
        points = ', or one column of points ("at")' if side == "left" else ""
        raise InvalidArgumentError(f"invalid {side}_on={on!r}: expected the columns of the start "
                                   f'and the end, such as ("start", "end"){points}')
    return names


def pairs(left_by: Sequence[Any], left_on: Sequence[Any], right_by: Sequence[Any],
          right_on: Sequence[Any], ends: Any, how: Any,
          names: tuple[Any, Any]) -> tuple[Array, Array | None]:
    """The rows of both sides that overlap; -1 where a side has none.

    `left_on` has one column of points or two of ranges, whose ends belong to them as those of the
    right side do. `names`: those of the columns of both sides, for errors.
    """
    require_frame_how(how)
    require_ends(ends)
    size = len(left_on[0])
    if not size or not len(right_on[0]):  # whose types may be unknown
        nothing = np.empty(0, np.intp)
        lookups, rows = completed(nothing, nothing, how, size, len(right_on[0]))
        return lookups, None if how in ("semi", "anti") else rows
    own = "inner" if how == "right" else "left" if how == "outer" else how
    with _errors_about(names[1], "right"):
        intervals = Intervals(right_on[0], right_on[1], ends, tuple(right_by),
                              tuple(left_on) if len(left_on) == 2 else ())
        index = build(intervals, "rx:native@cpu")
    with _errors_about(names[0], "left"):
        if len(left_on) == 2:
            _require_order(left_on[0], left_on[1], ends)
        points = [_points(data, index._type.parts[-1]) for data in left_on]
        sides = [(*left_by, data) if left_by else data for data in points]
        query = Query.contains(sides[0]) if len(sides) == 1 else (
            Query.overlaps(sides[0], sides[1], ends))
        # In NumPy, whichever library the columns are of.
        probe, found = index._core.join(index._bound(query), own, "lookups")
    lookups = probe.astype(np.intp)
    if found is None:
        return lookups, None
    rows = found.astype(np.intp)
    rows[found == MISS] = -1
    if how not in ("right", "outer"):
        return lookups, rows
    hit = rows >= 0
    return completed(lookups[hit], rows[hit], how, size, len(right_on[0]))


@contextlib.contextmanager
def _errors_about(on: Any, side: str) -> Iterator[None]:
    """Errors about the columns of a frame: their callers have built no index."""
    try:
        yield
    except InvalidArgumentError as error:
        names = [on] if isinstance(on, str) or not isinstance(on, (list, tuple)) else on
        text = str(error).replace(_OTHER_ZONE, "convert them")
        raise InvalidArgumentError(f"the {side} frame's {' and '.join(map(repr, names))}: "
                                   f"{text}") from None


def _require_order(start: Any, end: Any, ends: Any) -> None:
    """Rejects intervals that end before they start, as an index over them does."""
    try:
        numbers = np.asarray(end)
        has_nan = numbers.dtype.kind == "f" and np.isnan(numbers).any()
        has_none = not (start > end).any() and not has_nan
    except Exception:  # of columns of two types
        has_none = False
    if not has_none:
        build(Intervals(start, end, ends), "rx:native@cpu")


def _points(data: Any, wanted: ColumnType) -> Any:
    """A column of the left frame. Nulls alone have the type of the intervals; texts beside times are
    times."""
    if has_nulls_alone(data):
        return [None] * len(data)
    if wanted.type in ("date32", "timestamp64") and column(data).type == "string":
        return texts(data)
    return data
