"""What the joins of data frames on equal keys and on ranges share: pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ._errors import InvalidArgumentError
from ._index import build
from ._lists import Array
from ._query import Query

FrameJoinName = Literal["inner", "left", "right", "outer", "semi", "anti"]
HOW = ("inner", "left", "right", "outer", "semi", "anti")


def require_frame_how(how: Any) -> str:
    if not isinstance(how, str) or how not in HOW:
        raise InvalidArgumentError(f"invalid how={how!r}: expected {', '.join(HOW[:-1])} or anti")
    return how


def column_of(columns: Sequence[Any]) -> Any:
    return tuple(columns) if len(columns) > 1 else columns[0]


def equal_pairs(left: Sequence[Any], right: Sequence[Any], how: str) -> tuple[Array, Array]:
    """The rows of both sides with equal keys, in the order of the left side (of the right one for
    how="right"); -1 where a side has none."""
    if not len(left[0]) or not len(right[0]):
        return completed(np.empty(0, np.intp), np.empty(0, np.intp), how, len(left[0]),
                         len(right[0]))
    return joined(column_of(right), Query.equal(column_of(left)), how, len(left[0]), len(right[0]))


def joined(column: Any, query: Query, how: str, left_size: int,
           right_size: int) -> tuple[Array, Array]:
    """The pairs of queries, one for each row on the left, and rows of a column on the right."""
    index = build(column, "rx:native@cpu")
    # In NumPy, whichever library the columns are of.
    probe, rows = index._core.join(index._bound(query), "inner", "lookups")
    return completed(probe.astype(np.intp), rows.astype(np.intp), how, left_size, right_size)


def completed(left: Array, right: Array, how: str, left_size: int,
              right_size: int) -> tuple[Array, Array]:
    """Adds the rows without a partner that `how` keeps, and sorts the pairs."""
    if how in ("semi", "anti"):
        has_partner = np.zeros(left_size, bool)
        has_partner[left] = True
        left = np.flatnonzero(has_partner if how == "semi" else ~has_partner)
        return left, np.full(len(left), -1, np.intp)
    alone = [np.setdiff1d(np.arange(size), rows) if kept else np.empty(0, np.intp)
             for size, rows, kept in ((left_size, left, how in ("left", "outer")),
                                      (right_size, right, how in ("right", "outer")))]
    none = [np.full(len(rows), -1, np.intp) for rows in alone]
    left, right = np.concatenate([left, alone[0], none[1]]), np.concatenate([right, none[0], alone[1]])
    # Rows of the other side alone come last.
    by_left, by_right = (np.where(rows < 0, np.iinfo(np.intp).max, rows) for rows in (left, right))
    order = np.lexsort((by_left, by_right) if how == "right" else (by_right, by_left))
    return left[order], right[order]

