"""A batch of lookups as partitions answer it, and how their answers become one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._calls import Batch, Options
from .._calls import answer as answer_call
from .._columns import column as column_of
from .._index import Index
from .._kinds import Kind
from .._lists import Array
from ._columns import Columns, cut, keys_for, size
from ._moves import global_rows, widened_rows

MISS = 2**64 - 1
"""The row of a lookup without a match, in NumPy arrays."""
ROW_ANSWERS = ("any", "first")
TELLERS = (*ROW_ANSWERS, "count")
"""Answers that tell whether there is a match."""


class Partial(dict[str, Any]):
    """The answers of one partition by name, as NumPy arrays; `rows` is a pair of offsets and rows.
    `matched` is always among them; where another answer tells it, it is made when it is read. Rows
    and counts may have 32 bits on their way."""

    def __missing__(self, name: str) -> Any:
        if name != "matched":
            raise KeyError(name)
        teller = next(other for other in TELLERS if other in self)
        found = self[teller]
        matched = found != (0 if teller == "count" else np.iinfo(found.dtype).max)
        self[name] = matched
        return matched


class Question(NamedTuple):
    """What is asked about every lookup of a batch."""

    kind: str
    """point, range, prefix or nearest."""
    names: tuple[str, ...]
    limit: int | None = None
    order: str | None = None
    ends: str = "[]"
    direction: str = "backward"
    exact: bool = True
    tolerance: int | float | None = None
    """In the unit of the column."""


class Lookups(NamedTuple):
    """Keys, or the ends of ranges; None is an end that is left out."""

    lower: Columns | None
    upper: Columns | None = None

    def count(self) -> int:  # type: ignore[override]
        given = self.lower if self.lower is not None else self.upper
        return 1 if given is None else size(given)


def lookups_of(index: Index, question: Question, lookups: Lookups) -> _core.Lookups:
    """The lookups as the library takes them."""
    lower, upper = (None if end is None else keys_for(index, end) for end in lookups)
    if question.kind == "range":
        return index._ranges(lower, upper, question.ends)[0]
    if question.kind == "nearest":
        return _core.Lookups.neighbours(column_of(lower, index._neighbour), question.direction,
                                        question.exact, question.tolerance)
    found = column_of(lower, index._point)
    return (_core.Lookups.prefixes if question.kind == "prefix" else _core.Lookups.points)(found)


def ask(index: Index, question: Question, lookups: Lookups, values: Any = None,
        miss: Any = None) -> Partial:
    """The answers of one index, with its own rows."""
    batch = Batch(lookups_of(index, question, lookups), ((None, ()),),  # type: ignore[arg-type]
                  index._type if question.kind == "nearest" else None)
    names = tuple(name for name in question.names if name != "matched") or ("count",)
    told = not set(names).isdisjoint(TELLERS)
    options = Options(values, not told, question.limit, question.order, miss, None, False)
    found = answer_call(index._core, batch, Kind(), names, options)
    if told and len(names) == 1:
        return Partial({names[0]: found})
    partial = Partial({name: found[name] for name in (names if told else (*names, "matched"))})
    if "rows" in partial:
        partial["rows"] = partial["rows"].offsets, partial["rows"].rows
    return partial


def blank(template: Index, question: Question, lookups: Lookups, values: Any = None,
          miss: Any = None) -> Partial:
    """The answers without any match. `template` is an empty index of the same type, so that wrong
    arguments raise here, before anything is sent."""
    count = lookups.count()
    if count <= 1:
        return widened(ask(template, question, lookups, values, miss))
    lookups_of(template, question, lookups)  # raises where one of them is wrong
    one = Lookups(*(None if end is None else cut(end, 0, 1) for end in lookups))
    found = widened(ask(template, question, one, values, miss))
    found["matched"]  # noqa: B018: it is told by answers that are written over
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


def combined(question: Question, filled: Partial, pieces: list[tuple[Array, Partial]]) -> Partial:
    """One answer from those of partitions.

    filled: the answers without any match, which are written over.
    pieces: the positions that a partition answered, and its answers, in the order of partitions.
    """
    matched = filled["matched"]
    for positions, partial in pieces:
        hits = partial["matched"]
        if hits.all():
            here, source = positions, slice(None)
        else:
            chosen: Any = np.flatnonzero(hits)
            here, source = positions[chosen], chosen
        again = matched[here]
        for name in filled:
            if name not in ("rows", "matched"):
                _merge(name, filled[name], here, partial[name], source, again)
        matched[here] = True
    if "rows" in filled:
        filled["rows"] = _lists(matched.size, question, pieces)
    return filled


def _merge(name: str, into: Any, here: Array, answers: Any, source: Any, again: Array) -> None:
    """Writes answers at positions; `again` tells which positions have an answer already."""
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
    if name == "first":
        return np.minimum(old, new)
    if name in ("count", "sum"):
        return old + new
    if name in ("min", "max"):
        if old.dtype.kind == "M":  # as ticks, in which NaT is a number
            ticks: Any = _joined(name, old.view(np.int64), new.view(np.int64))
            return ticks.view(old.dtype)
        if old.dtype.kind != "f":
            return (np.minimum if name == "min" else np.maximum)(old, new)
        # NaN is greater than every number.
        return (np.fmin if name == "min" else np.maximum)(old, new)
    return old  # any match is one, and a neighbour has one key


def _lists(count: int, question: Question, pieces: list[tuple[Array, Partial]]) -> Any:
    """The rows of every lookup, in the order of partitions, or from the last one on."""
    ordered = pieces[::-1] if question.order == "-key" else pieces
    sizes = np.zeros(count, np.int64)
    for positions, partial in ordered:
        sizes[positions] += np.diff(partial["rows"][0]).astype(np.int64)
    if question.limit is not None:
        np.minimum(sizes, question.limit, out=sizes)
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
    return np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
