"""A query as partitions answer it, and how their answers become one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._calls import VALUE_ANSWERS, Options
from .._index import Index
from .._kinds import Kind
from .._lists import Array
from .._query import Query
from ._columns import cut, keys_for, size, take
from ._moves import global_rows, widened_rows

MISS = 2**64 - 1
"""The row of a lookup without a match, in NumPy arrays."""
ROW_ANSWERS = ("any", "first", "last")
MATCH_ANSWERS = (*ROW_ANSWERS, "count")
"""Answers that imply whether there is a match."""


class Partial(dict[str, Any]):
    """The answers of one partition by name, as NumPy arrays; `rows` is a pair of offsets and rows.
    `matched` is always among them; where another answer implies it, it is made when it is read.
    Rows and counts may have 32 bits on their way."""

    def __missing__(self, name: str) -> Any:
        if name != "matched":
            raise KeyError(name)
        source = next(other for other in MATCH_ANSWERS if other in self)
        found = self[source]
        matched = found != (0 if source == "count" else np.iinfo(found.dtype).max)
        self[name] = matched
        return matched


class _RawKeys(Kind):
    """Answers of partitions: NumPy arrays, keys as an index stores them."""

    is_raw = True


class Request(NamedTuple):
    """What is requested for every query of a batch."""

    answers: tuple[str, ...]
    limit: int | None = None
    order: str | None = None
    included: str = ""
    """The name of an included column."""


# The ends of a query are `Columns` here.

def query_size(query: Query) -> int:
    """The number of queries."""
    end = query.lower if query.lower is not None else query.upper
    return 1 if end is None else size(end)


def query_slice(query: Query, start: int, stop: int) -> Query:
    """The queries [start, stop)."""
    return replace(query, lower=None if query.lower is None else cut(query.lower, start, stop),
                   upper=None if query.upper is None else cut(query.upper, start, stop))


def query_at(query: Query, positions: Array | None) -> Query:
    """The queries at positions; None: all of them."""
    if positions is None:
        return query
    return replace(query, lower=None if query.lower is None else take(query.lower, positions),
                   upper=None if query.upper is None else take(query.upper, positions))


def query_for(index: Index, query: Query) -> Query:
    """The query for the calls of an index."""
    return replace(query, lower=None if query.lower is None else keys_for(index, query.lower),
                   upper=None if query.upper is None else keys_for(index, query.upper))


def answer(index: Index, query: Query, request: Request, values: Any = None,
           miss: Any = None) -> Partial:
    """The answers of one index, with its own rows."""
    names = tuple(name for name in request.answers if name != "matched") or ("count",)
    implied = not set(names).isdisjoint(MATCH_ANSWERS)
    named = request.included or None
    options = Options(named if values is None else values, not implied, request.limit,
                      request.order, miss)
    found = index._answer(query_for(index, query), _RawKeys(), names, options)
    if implied and len(names) == 1:
        return Partial({names[0]: found})
    partial = Partial({name: found[name] for name in (names if implied else (*names, "matched"))})
    if "rows" in partial:
        partial["rows"] = partial["rows"].offsets, partial["rows"].rows
    return partial


def valued(index: Index, query: Query, missing: Array | None) -> Array:
    """How many values of each query are not null; `missing` are the rows whose value is."""
    own = query_for(index, query)
    if missing is None:
        found: Array = index._answer(own, Kind(), "count", Options())
    else:
        found = index._answer(own, Kind(), "sum", Options((~missing).astype(np.uint8), miss=0))
    return found.astype(np.uint64)


def blank(template: Index, query: Query, request: Request, values: Any = None,
          miss: Any = None) -> Partial:
    """The answers without any match. `template` is an empty index of the same type, so that wrong
    arguments raise here, before anything is sent."""
    query = replace(query, filter=None)  # of the rows of all partitions
    count = query_size(query)
    if count <= 1:
        return widened(answer(template, query, request, values, miss))
    template._bound(query_for(template, query))  # raises where a key is wrong
    found = widened(answer(template, query_slice(query, 0, 1), request, values, miss))
    found["matched"]  # noqa: B018: it is implied by answers that are written over
    return Partial({name: _repeated(name, answers, count) for name, answers in found.items()})


def _repeated(name: str, answers: Any, count: int) -> Any:
    if name == "rows":
        return np.zeros(count + 1, np.uint64), np.empty(0, np.uint64)
    if isinstance(answers, tuple):
        return tuple(_repeated(name, part, count) for part in answers)
    return np.full(count, answers[0], answers.dtype)


def with_global_rows(partial: Partial, rows: Array | None) -> Partial:
    """The answers with global rows; `rows` holds that of each local one, None if they are the
    same."""
    if rows is not None:
        for name in ROW_ANSWERS:
            if name in partial:
                partial[name] = global_rows(partial[name], rows)
        if "rows" in partial:
            offsets, local = partial["rows"]
            partial["rows"] = offsets, rows[local]
    return partial


def widened(partial: Partial) -> Partial:
    """The answers with rows and counts of 64 bits."""
    for name in ROW_ANSWERS:
        if name in partial:
            partial[name] = widened_rows(partial[name])
    if "count" in partial:
        partial["count"] = partial["count"].astype(np.uint64, copy=False)
    if "rows" in partial:
        offsets, rows = partial["rows"]
        partial["rows"] = offsets, rows.astype(np.uint64, copy=False)
    return partial


def combined(request: Request, filled: Partial, pieces: list[tuple[Array, Partial]]) -> Partial:
    """One answer from those of partitions.

    filled: the answers without any match, which are written over.
    pieces: the positions that a partition answered, and its answers, in the order of partitions.
    """
    matched = filled["matched"]
    counted = any("valued" in partial for _, partial in pieces)
    if counted:
        filled["valued"] = np.zeros(matched.size, np.uint64)
    for positions, partial in pieces:
        if counted:
            _merge_values(filled, positions, partial)
        hits = partial["matched"]
        if hits.all():
            here, source = positions, slice(None)
        else:
            chosen: Any = np.flatnonzero(hits)
            here, source = positions[chosen], chosen
        again = matched[here]
        for name in filled:
            if name not in ("rows", "matched", "valued") and not (
                    counted and name in VALUE_ANSWERS):
                _merge(name, filled[name], here, partial[name], source, again)
        matched[here] = True
    if "rows" in filled:
        filled["rows"] = _lists(matched.size, request, pieces)
    return filled


def _merge_values(filled: Partial, positions: Array, partial: Partial) -> None:
    """Writes answers of values, which a query without values that are not null does not have."""
    counts = partial["valued"] if "valued" in partial else partial["matched"].astype(np.uint64)
    chosen = np.flatnonzero(counts)
    here, new_counts = positions[chosen], counts[chosen]
    old_counts = filled["valued"][here]
    for name in filled:
        if name == "mean":
            total = (old_counts + new_counts).astype(np.float64)
            new = partial[name][chosen]
            old = np.where(old_counts == 0, 0.0, filled[name][here])
            filled[name][here] = old * (old_counts / total) + new * (new_counts / total)
        elif name in VALUE_ANSWERS:
            _merge(name, filled[name], here, partial[name], chosen, old_counts != 0)
    filled["valued"][here] = old_counts + new_counts


def _merge(name: str, into: Any, here: Array, answers: Any, source: Any, again: Array) -> None:
    """Writes answers at positions; `again`: which positions have an answer already."""
    if isinstance(into, tuple):  # the parts of composite keys
        for part, answer in zip(into, answers):
            _merge(name, part, here, answer, source, again)
        return
    new = answers[source]
    if not again.any():
        into[here] = new
        return
    old = into[here]
    into[here] = np.where(again, _joined(name, old, new), new)


def _joined(name: str, old: Array, new: Array) -> Any:
    if old.dtype.kind in "mM":  # as ticks, in which NaT is a number
        ticks: Any = _joined(name, old.view(np.int64), new.view(np.int64))
        return ticks.view(old.dtype)
    if name == "first":
        return np.minimum(old, new)
    if name == "last":
        return np.maximum(old, new)
    if name in ("count", "sum"):
        return old + new
    if name in ("min", "max"):
        if old.dtype.kind != "f":
            return (np.minimum if name == "min" else np.maximum)(old, new)
        # NaN is greater than every number.
        return (np.fmin if name == "min" else np.maximum)(old, new)
    return old  # any match is one, and a neighbour has one key


def _lists(count: int, request: Request, pieces: list[tuple[Array, Partial]]) -> Any:
    """The rows of every lookup, in the order of partitions, or from the last one on."""
    ordered = pieces[::-1] if request.order == "-key" else pieces
    sizes = np.zeros(count, np.int64)
    for positions, partial in ordered:
        sizes[positions] += np.diff(partial["rows"][0]).astype(np.int64)
    if request.limit is not None:
        np.minimum(sizes, request.limit, out=sizes)
    offsets = np.zeros(count + 1, np.uint64)
    np.cumsum(sizes, out=offsets[1:])
    rows = np.empty(int(offsets[-1]), np.uint64)
    begin, room = offsets[:-1].astype(np.int64), sizes
    for positions, partial in ordered:
        own_offsets, own_rows = partial["rows"]
        own = np.diff(own_offsets).astype(np.int64)
        taken = np.minimum(own, room[positions])
        rows[_runs(begin[positions], taken)] = own_rows[
            _runs(own_offsets[:-1].astype(np.int64), taken)]
        begin[positions] += taken
        room[positions] -= taken
    return offsets, rows


def _runs(starts: Array, lengths: Array) -> Array:
    """start, start + 1, ... for every run, one after the other."""
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths))
