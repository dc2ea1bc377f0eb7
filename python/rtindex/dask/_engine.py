"""Lookups on their way to partitions and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._index import build as build_local
from .._lists import Array
from ._build import released, token
from ._columns import Columns, columns, concat, take
from ._direct import MOST, ask_workers
from ._moves import ungroup, widened_rows
from ._partition import Partition
from ._questions import (
    ROW_ANSWERS,
    Lookups,
    Partial,
    Question,
    ask,
    blank,
    combined,
    widened,
)
from ._state import Routing, State, piece_of

# Lookups that travel in one piece, and the pieces of each worker that are under way at once.
PIECE = 1 << 19
_PIECES_A_WORKER = 3


class Asked(NamedTuple):
    """The lookups that go to one partition."""

    partition: int
    question: Question
    positions: Array | None
    """In the batch; None: all of them."""
    lookups: Lookups


class Sent(NamedTuple):
    """Lookups on their way to a partition."""

    partition: int
    question: Question
    lookups: Lookups


class Values(NamedTuple):
    """The value column of a call, taken apart by partition."""

    futures: tuple[Any, ...]
    model: Any
    """A column of the same type without rows."""


def route(routing: Routing, question: Question, lookups: Lookups) -> list[Asked]:
    return [Asked(partition, sub, positions, piece_of(lookups, positions))
            for partition, sub, positions in routing.pieces(question, lookups)]


def answer(partition: Partition, asked: list[tuple[Question, Lookups]],
           values: Any = None) -> list[Partial]:
    """On a worker: the answers of a partition."""
    return [partition.answer(question, lookups, values) for question, lookups in asked]


def merge(routing: Routing, question: Question, lookups: Lookups, filled: Partial,
          pieces: list[tuple[Question, Array | None, Partial]], miss: Any = None) -> Partial:
    """One answer from the pieces, which come in the order of partitions."""
    everything = np.arange(lookups.count())
    own, before, after = [], [], []
    for sub, positions, partial in pieces:
        widened(partial)
        chosen = own if sub.direction == question.direction else (
            before if sub.direction == "backward" else after)
        chosen.append((everything if positions is None else positions, partial))
    if len(own) == 1 and own[0][0].size == everything.size and own[0][0] is everything and (
            own[0][1]["matched"].all()):
        return own[0][1]
    if before or after:
        own += nearer(routing, question, lookups, filled, before, after)
    return combined(question, filled, own)


def ungrouped(routing: Routing, question: Question, parts: Array, sizes: list[int],
              answers: list[Partial], values: Any = None) -> Partial:
    """One answer from those to grouped lookups: `sizes` of the groups, and the answers of each
    partition that has keys."""
    assert routing.parts is not None
    nothing: Partial | None = None
    if sizes[0]:  # before the first key
        template = routing.template
        one = Lookups((np.zeros(1, routing.parts.bounds.dtype),))
        nothing = ask(template, question, one, values)
    filled = Partial()
    for name in answers[0]:
        found = [partial[name] for partial in answers]
        rows = name in ROW_ANSWERS
        if rows and len({array.dtype for array in found}) > 1:
            found = [widened_rows(array) for array in found]
        misses = np.empty(0, found[0].dtype)
        if nothing is not None:
            misses = np.full(sizes[0], widened_rows(nothing[name]) if rows and (
                found[0].dtype == np.uint64) else nothing[name], found[0].dtype)
        out = filled[name] = np.empty(parts.size, np.uint64 if rows or name == "count" else
                                      found[0].dtype)
        ungroup(parts, [(misses, 1), *zip(found, routing.parts.counts)], out, rows)
    return filled


def nearer(routing: Routing, question: Question, lookups: Lookups, misses: Partial,
           before: list[tuple[Array, Partial]], after: list[tuple[Array, Partial]]
           ) -> list[tuple[Array, Partial]]:
    """The closer ones of two neighbours that are in different partitions."""
    positions = np.unique(np.concatenate([piece[0] for piece in (*before, *after)]))
    asked = piece_of(lookups, positions)
    sides = []
    for answered in (before, after):
        filled = blank(routing.template, question._replace(names=("key",)), asked)
        filled.update({name: _at(name, misses[name], positions) for name in question.names})
        local = [(np.searchsorted(positions, places), partial) for places, partial in answered]
        sides.append(combined(question, filled, local))
    earlier, later = sides
    nearer_is_later = later["matched"] & ~earlier["matched"]
    both = np.flatnonzero(earlier["matched"] & later["matched"])
    if both.size:
        keys = [take(key_columns(side["key"]), both) for side in sides]
        numbers = np.arange(both.size)
        # Of equal keys, the last row counts: the one before.
        index = build_local((np.tile(numbers, 2), *concat(keys[::-1])), "sorted@cpu")
        rows = index._neighbours((numbers, *take(asked.lower, both)),  # type: ignore[arg-type]
                                 "nearest", question.exact, None)[0]
        found = np.empty(both.size, np.uint32)
        index._core.answer(rows, None, None, {"any": found}, None)
        nearer_is_later[both] = found < both.size
    pieces = []
    for side, chosen in ((earlier, earlier["matched"] & ~nearer_is_later),
                         (later, nearer_is_later)):
        picked = np.flatnonzero(chosen)
        partial = {name: _at(name, side[name], picked)
                   for name in (*question.names, "matched")}
        pieces.append((positions[picked], partial))
    return pieces


def key_columns(keys: Any) -> Columns:
    """The keys of neighbours as columns."""
    return columns(keys) if isinstance(keys, tuple) else columns((keys,))


def is_two_steps(routing: Routing, question: Question) -> bool:
    """Whether the rows of a neighbour's key may be in several partitions."""
    return (question.kind == "nearest" and routing.fences.shared
            and not {"any", "key"}.issuperset(question.names))


def two_steps(routing: Routing, question: Question) -> tuple[Question, Question]:
    """The neighbours first, then the rows that hold their keys."""
    others = tuple(name for name in question.names if name not in ("any", "key"))
    return (question._replace(names=("any", "key")),
            Question("point", others, question.limit, question.order))


def found_keys(first: Partial) -> tuple[Array, Lookups]:
    """The lookups of the second step, and their positions."""
    positions = np.flatnonzero(first["matched"])
    return positions, Lookups(take(key_columns(first["key"]), positions))


def both_steps(question: Question, filled: Partial, first: Partial, positions: Array,
               second: Partial) -> Partial:
    merged = combined(question._replace(kind="point"), filled, [(positions, {
        **second, **{name: _at(name, first[name], positions) for name in ("any", "key")
                     if name in question.names}})])
    return merged


def run(state: State, question: Question, lookups: Lookups, values: Values | None = None,
        miss: Any = None) -> Partial:
    """Answers lookups that are in the memory of the client."""
    model = None if values is None else values.model
    filled = blank(state.routing.template, question, lookups, model, miss)
    if is_two_steps(state.routing, question):
        near, rest = two_steps(state.routing, question)
        first = run(state, near, lookups)
        positions, keys = found_keys(first)
        return both_steps(question, filled, first, positions, run(state, rest, keys, values))
    pieces = None
    if lookups.count() <= MOST and values is None and "rows" not in question.names:
        pieces = _at_once(state, question, lookups)
    if pieces is None and state.routing.groups(question, lookups, miss):
        return _answered_in_groups(state, question, lookups, values)
    if pieces is None:
        pieces = [*_answered(state, question, lookups, values)]
    return merge(state.routing, question, lookups, filled, pieces, miss)


def _at_once(state: State, question: Question, lookups: Lookups
             ) -> list[tuple[Question, Array | None, Partial]] | None:
    """The answers to a small batch; None where not all workers could be asked."""
    asked = route(state.routing, question, lookups)
    held = [state.held[one.partition] for one in asked]
    found = ask_workers(state.client, [
        (state.where(one), one.copies[0].key, sub.question, sub.lookups)
        for one, sub in zip(held, asked)])
    for one, partial in zip(held, found):
        if partial is None:
            state.look_again(one)
    pieces = [(one.question, one.positions, partial)
              for one, partial in zip(asked, found) if partial is not None]
    return pieces if len(pieces) == len(asked) else None


def _answered_in_groups(state: State, question: Question, lookups: Lookups,
                        values: Values | None) -> Partial:
    routing = state.routing
    assert routing.parts is not None
    partitions = routing.fences.partitions.tolist()
    found: list[Partial] = []
    grouped: list[Any] = []

    def sent() -> Iterator[list[Sent]]:
        for _, piece in _cuts(lookups):
            group = routing.parts.group(piece.lower[0])  # type: ignore[union-attr, index]
            ends = group.starts
            grouped.append((group.parts, np.diff(ends).tolist()))
            yield [Sent(number, question, Lookups((group.keys[low:high],)))
                   for number, low, high in zip(partitions, ends[1:], ends[2:])]

    for partials, (parts, sizes) in zip(_under_way(state, sent(), values), grouped):
        found.append(ungrouped(routing, question, parts, sizes, partials,
                               None if values is None else values.model))
    if len(found) == 1:
        return found[0]
    return Partial({name: np.concatenate([partial[name] for partial in found])
                    for name in found[0]})


def _answered(state: State, question: Question, lookups: Lookups,
              values: Values | None) -> Iterator[tuple[Question, Array | None, Partial]]:
    """The answers to all pieces, in order."""
    asked: list[list[Asked]] = []

    def sent() -> Iterator[list[Sent]]:
        for start, piece in _cuts(lookups):
            routed = route(state.routing, question, piece)
            if start is not None:
                routed = [one._replace(positions=start + (
                    np.arange(piece.count()) if one.positions is None else one.positions))
                    for one in routed]
            asked.append(routed)
            yield [Sent(one.partition, one.question, one.lookups) for one in routed]

    for partials, routed in zip(_under_way(state, sent(), values), asked):
        for one, partial in zip(routed, partials):
            yield one.question, one.positions, partial


def _under_way(state: State, groups: Iterator[list[Sent]],
               values: Values | None) -> Iterator[list[Partial]]:
    """The answers to groups of lookups, in order; a few of them are under way at a time."""
    waiting: list[list[Any]] = []
    under_way = 0
    client, name = state.client, token()
    with released(client) as futures:
        for number, group in enumerate(groups):
            sent = [client.submit(answer, state.held[one.partition].one(),
                                  [(one.question, one.lookups)],
                                  None if values is None else values.futures[one.partition],
                                  key=f"rtindex-answer-{name}-{number}-{i}", pure=False)
                    for i, one in enumerate(group)]
            futures += sent
            waiting.append(sent)
            under_way += len(sent)
            while under_way > _PIECES_A_WORKER * max(len(state.held), 4) and len(waiting) > 1:
                under_way -= len(waiting[0])
                yield _gathered(client, waiting.pop(0))
        for sent in waiting:
            yield _gathered(client, sent)


def _gathered(client: Any, sent: list[Any]) -> list[Partial]:
    return [partials[0] for partials in client.gather(sent)]


def _cuts(lookups: Lookups) -> Iterator[tuple[int | None, Lookups]]:
    count = lookups.count()
    if count <= PIECE:
        yield None, lookups
        return
    for start in range(0, count, PIECE):
        yield start, piece_of(lookups, slice(start, min(start + PIECE, count)))


def _at(name: str, answers: Any, positions: Array) -> Any:
    if name == "rows":
        return _lists_at(answers, positions)
    if isinstance(answers, tuple):  # the parts of composite keys
        return tuple(part[positions] for part in answers)
    return answers[positions]


def _lists_at(lists: Any, positions: Array) -> Any:
    offsets, rows = lists
    starts = offsets[:-1][positions].astype(np.int64)
    lengths = np.diff(offsets)[positions].astype(np.int64)
    ends = np.zeros(positions.size + 1, np.uint64)
    np.cumsum(lengths, out=ends[1:])
    before = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return ends, rows[places]


