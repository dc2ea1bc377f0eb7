"""What the overlap joins of data frames share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._core import MISS
from ._errors import InvalidArgumentError
from ._index import build
from ._intervals import Intervals
from ._lists import Array
from ._pairs import completed, require_frame_how
from ._query import Query, require_ends


def names_of(on: Any, side: str) -> list[Any]:
    """The columns of a side: start and end, or on the left one column of points."""
    names = [on] if isinstance(on, str) or not isinstance(on, (list, tuple)) else [*on]
    if on is None or len(names) != 2 and (side == "right" or len(names) != 1):
        points = ', or one column of points ("at")' if side == "left" else ""
        raise InvalidArgumentError(f"invalid {side}_on={on!r}: expected the columns of the start "
                                   f'and the end, such as ("start", "end"){points}')
    return names


def pairs(left_by: Sequence[Any], left_on: Sequence[Any], right_by: Sequence[Any],
          right_on: Sequence[Any], ends: Any, how: Any) -> tuple[Array, Array | None]:
    """The rows of both sides that overlap; -1 where a side has none.

    `left_on` has one column of points or two of ranges, whose ends belong to them as those of the
    right side do.
    """
    require_frame_how(how)
    require_ends(ends)
    size = len(left_on[0])
    if not size or not len(right_on[0]):  # whose types may be unknown
        nothing = np.empty(0, np.intp)
        lookups, rows = completed(nothing, nothing, how, size, len(right_on[0]))
        return lookups, None if how in ("semi", "anti") else rows
    column = Intervals(right_on[0], right_on[1], ends, tuple(right_by),
                       tuple(left_on) if len(left_on) == 2 else ())
    index = build(column, "rx:native@cpu")
    sides = [(*left_by, column) if left_by else column for column in left_on]
    query = Query.contains(sides[0]) if len(sides) == 1 else (
        Query.overlaps(sides[0], sides[1], ends))
    # In NumPy, whichever library the columns are of.
    own = "inner" if how == "right" else "left" if how == "outer" else how
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
