"""Masks of rows as filters and as answers, over the rows of all partitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .._columns import mask_column
from .._errors import InvalidArgumentError
from .._kinds import Kind
from .._lists import Array
from .._query import Query
from .._results import Answers, as_arrow
from ._queries import Partial, Request
from ._sources import is_collection

BITMAPS = ("bitmap", "bitmaps")


def with_mask(query: Query, rows: int) -> Query:
    """The query with its filter as a NumPy array, of which nulls are false."""
    if query.filter is None:
        return query
    held = query.filter.compute() if is_collection(query.filter) else query.filter
    if len(mask_column(held)) != rows:
        raise InvalidArgumentError(f"invalid filter: expected one boolean for each of {rows:,} rows, "
                                   f"got {len(held):,}")
    if not isinstance(held, np.ndarray):
        held = as_arrow(held).fill_null(False).to_numpy(zero_copy_only=False)
    return replace(query, filter=np.asarray(held, bool))


def requested(request: Request) -> Request:
    """What partitions answer: rows in place of bitmaps."""
    if request.limit is not None:
        raise InvalidArgumentError("a bitmap has all rows that match: omit `limit`")
    others = tuple(name for name in request.answers if name not in BITMAPS)
    return request._replace(answers=others if "rows" in others else (*others, "rows"))


def with_bitmaps(others: Answers, names: tuple[str, ...], partial: Partial, rows: int, kind: Kind,
                 matched: bool) -> Any:
    """The answers to a request, of which `others` has those that are no bitmaps."""
    answers = dict(others)
    answers |= {name: _bitmap(name, partial, rows, kind) for name in names if name in BITMAPS}
    if len(names) == 1 and not matched:
        return answers[names[0]]
    kept = (*names, "matched") if matched else names
    return Answers(partial["matched"].size, {name: answers[name] for name in kept})


def _bitmap(name: str, partial: Partial, rows: int, kind: Kind) -> Any:
    """The rows that match any query, or those of each."""
    offsets, found = partial["rows"]
    if name == "bitmap":
        mask = np.zeros(rows, bool)
        mask[found] = True
        return kind.mask(mask)
    count = len(offsets) - 1
    masks: Array = np.zeros((count, rows), bool)
    masks[np.repeat(np.arange(count), np.diff(offsets).astype(np.int64)), found] = True
    return masks
