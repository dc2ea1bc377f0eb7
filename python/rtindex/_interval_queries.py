"""Queries of intervals, in the type of the starts and ends."""

from __future__ import annotations

from . import _core
from ._columns import column
from ._fractions import whole_query
from ._query import Query, broadcast
from ._types import INTEGERS, WIDE_INTEGERS, ColumnType


def bound_interval_query(query: Query, own: ColumnType, interval_ends: str) -> _core.Query:
    """The query with its columns in the type of the intervals, `own`: contains, overlaps, within
    or covers."""
    whole = None
    if own.parts[-1].type in INTEGERS:
        whole = whole_query(query, interval_ends, len(own.parts) - 2)
    kind, low, high, ends = whole or (query.kind, query.lower, query.upper, query.ends)
    if kind == "contains":
        return _bound_contains(query, own, interval_ends)
    of_lower = of_upper = own.for_interval_points()
    if own.parts[-1].type in WIDE_INTEGERS:
        of_lower = own.for_interval_ends(kind, 1, ends[0] == "(")
        of_upper = own.for_interval_ends(kind, -1, ends[1] == ")")
    lower = None if low is None else column(low, of_lower)
    upper = None if high is None else column(high, of_upper)
    lower, upper = broadcast(query, lower, upper)
    return _core.Query(kind, lower, upper, ends)


def _bound_contains(query: Query, own: ColumnType, interval_ends: str) -> _core.Query:
    """Starts and ends are whole ticks: [start, end) contains a time between two ticks where it
    contains the one before it, and (start, end] where it contains the one behind it. [start, end]
    must cover both, and (start, end) overlap the range of both."""
    floor = column(query.lower, own.for_interval_points(-1))
    if not floor.rounded or interval_ends == "[)":
        return _core.Query("contains", floor)
    ceiling = column(query.lower, own.for_interval_points(1))
    if interval_ends == "(]":
        return _core.Query("contains", ceiling)
    kind = "covers" if interval_ends == "[]" else "overlaps"
    return _core.Query(kind, floor, ceiling, "[]")
