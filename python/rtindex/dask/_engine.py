"""Queries on their way to partitions and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._calls import VALUE_ANSWERS
from .._errors import InvalidArgumentError
from .._index import build as build_local
from .._lists import Array
from .._query import Query
from ._build import released, token
from ._columns import Columns, concat, take
from ._direct import MAX_BATCH, answer_on_workers
from ._moves import ungroup, widened_rows
from ._partition import Partition
from ._queries import (
    ROW_ANSWERS,
    Partial,
    Request,
    answer,
    blank,
    combined,
    query_at,
    query_size,
    query_slice,
    widened,
)
from ._read import found_columns
from ._state import Piece, Routing, State, filtered, filtered_ends

# Queries that travel in one piece, and the pieces of each worker that are under way at once.
PIECE = 1 << 19
_PIECES_A_WORKER = 3


class Sent(NamedTuple):
    """A query on its way to a partition."""

    partition: int
    query: Query
    request: Request


class Answered(NamedTuple):
    """The answers to a piece of a query."""

    direction: str
    """Of neighbours."""
    positions: Array | None
    """In the batch; None: all of them."""
    partial: Partial


class Values(NamedTuple):
    """The value column of a call, split by partition."""

    futures: tuple[Any, ...]
    model: Any
    """A column of the same type without rows."""


def route(routing: Routing, query: Query, request: Request) -> list[Piece]:
    return [piece._replace(query=query_at(piece.query, piece.positions))
            for piece in routing.pieces(query, request)]


def answer_pieces(partition: Partition, pieces: list[tuple[Query, Request]],
                  values: Any = None, mask: Array | None = None) -> list[Partial]:
    """On a worker: the answers of a partition; `mask` is the filter of all pieces."""
    return [partition.answer(query if mask is None else replace(query, filter=mask), request,
                             values) for query, request in pieces]


def merge(routing: Routing, query: Query, request: Request, filled: Partial,
          pieces: list[Answered], miss: Any = None) -> Partial:
    """One answer from the pieces, which come in the order of partitions."""
    everything = np.arange(query_size(query))
    own: list[tuple[Array, Partial]] = []
    before: list[tuple[Array, Partial]] = []
    after: list[tuple[Array, Partial]] = []
    for direction, positions, partial in pieces:
        widened(partial)
        chosen = own if direction == query.direction else (
            before if direction == "backward" else after)
        chosen.append((everything if positions is None else positions, partial))
    if len(own) == 1 and own[0][0] is everything and is_complete(own[0][1]):
        return own[0][1]
    if before or after:
        own += nearer(routing, query, request, filled, before, after)
    return combined(request, filled, own)


def is_complete(partial: Partial) -> bool:
    """Whether every query has a match, and a value that is not null."""
    return bool(partial["matched"].all() and ("valued" not in partial or partial["valued"].all()))


def ungrouped(routing: Routing, request: Request, parts: Array, sizes: list[int],
              answers: list[Partial], values: Any = None) -> Partial:
    """One answer from those to grouped keys: `sizes` of the groups, and the answers of each
    partition that has keys."""
    assert routing.parts is not None
    nothing: Partial | None = None
    if sizes[0]:  # before the first key
        one = Query.equal((np.zeros(1, routing.parts.bounds.dtype),))
        nothing = answer(routing.template, one, request, values)
    if any("valued" in partial for partial in answers):
        for partial in (*answers, *([] if nothing is None else [nothing])):
            if "valued" not in partial:
                partial["valued"] = partial["matched"].astype(np.uint64)
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


def nearer(routing: Routing, query: Query, request: Request, misses: Partial,
           before: list[tuple[Array, Partial]], after: list[tuple[Array, Partial]]
           ) -> list[tuple[Array, Partial]]:
    """The closer ones of two neighbours that are in different partitions."""
    positions = np.unique(np.concatenate([piece[0] for piece in (*before, *after)]))
    chosen_query = query_at(query, positions)
    sides = []
    for answered in (before, after):
        filled = blank(routing.template, chosen_query, request._replace(answers=("key",)))
        filled.update({name: _at(name, misses[name], positions) for name in request.answers})
        local = [(np.searchsorted(positions, at), partial) for at, partial in answered]
        sides.append(combined(request, filled, local))
    earlier, later = sides
    nearer_is_later = later["matched"] & ~earlier["matched"]
    both = np.flatnonzero(earlier["matched"] & later["matched"])
    if both.size:
        keys = [found_columns(routing.template, _at("key", side["key"], both)) for side in sides]
        numbers = np.arange(both.size)
        # Of equal keys, the last row counts: the one before.
        index = build_local((np.tile(numbers, 2), *concat(keys[::-1])), "sorted@cpu")
        found = index._rows(Query.nearest((numbers, *take(chosen_query.lower, both)), "nearest",
                                          query.exact))
        nearer_is_later[both] = found < both.size
    pieces = []
    for side, chosen in ((earlier, earlier["matched"] & ~nearer_is_later),
                         (later, nearer_is_later)):
        picked = np.flatnonzero(chosen)
        partial = Partial({name: _at(name, side[name], picked)
                           for name in (*request.answers, "matched")})
        pieces.append((positions[picked], partial))
    return pieces


def is_two_steps(routing: Routing, query: Query, request: Request) -> bool:
    """Whether the rows of a neighbour's key may be in several partitions."""
    return (query.kind == "nearest" and routing.fences.shared
            and not {"any", "key"}.issuperset(request.answers))


def two_steps(request: Request) -> tuple[Request, Request]:
    """The neighbours first, then the rows that hold their keys."""
    others = tuple(name for name in request.answers if name not in ("any", "key"))
    return request._replace(answers=("any", "key")), request._replace(answers=others)


def found_keys(routing: Routing, first: Partial) -> tuple[Array, Query]:
    """The positions of the second step, and its query."""
    positions = np.flatnonzero(first["matched"])
    return positions, Query.equal(
        found_columns(routing.template, _at("key", first["key"], positions)))


def both_steps(request: Request, filled: Partial, first: Partial, positions: Array,
               second: Partial) -> Partial:
    both = Partial({**second})
    for name in ("any", "key"):
        if name in request.answers:
            both[name] = _at(name, first[name], positions)
    return combined(request, filled, [(positions, both)])


def run(state: State, query: Query, request: Request, values: Values | None = None,
        miss: Any = None) -> Partial:
    """Answers a query that is in the memory of the client."""
    model = None if values is None else values.model
    filled = blank(state.routing.template, query, request, model, miss)
    require_values(state, request, model)
    if query.kind == "nearest" and query.filter is not None:
        state = state._replace(routing=_filtered(state, query.filter))
    return _run(state, query, request, values, miss, filled)


def require_values(state: State, request: Request, values: Any) -> None:
    """Rejects aggregates without values, as partitions do: queries without a match reach none of
    them, and an index without rows needs none."""
    if values is None and state.size and state.model[1] is None and not request.included and (
            not VALUE_ANSWERS.isdisjoint(request.answers)):
        raise InvalidArgumentError(
            "sum, mean, min and max need a value column: pass one value per row of the column, or "
            "build the index with included values")


def _run(state: State, query: Query, request: Request, values: Values | None, miss: Any,
         filled: Partial) -> Partial:
    if is_two_steps(state.routing, query, request):
        near, rest = two_steps(request)
        first = _run(state, query, near, None, None, blank(state.routing.template, query, near))
        positions, keys = found_keys(state.routing, first)
        second = run(state, replace(keys, filter=query.filter), rest, values)
        return both_steps(request, filled, first, positions, second)
    pieces = None
    if query_size(query) <= MAX_BATCH and values is None and "rows" not in request.answers:
        pieces = _at_once(state, query, request)
    if pieces is None and state.routing.groups(query, request, miss):
        return _answered_in_groups(state, query, request, values)
    if pieces is None:
        pieces = [*_answered(state, query, request, values)]
    return merge(state.routing, query, request, filled, pieces, miss)


def _filtered(state: State, mask: Array) -> Routing:
    """The routing of the rows of a mask."""
    client, name = state.client, token()
    with released(client) as futures:
        futures += [client.submit(filtered_ends, held.one(), mask, pure=False,
                                  key=f"rtindex-ends-{name}-{number}")
                    for number, held in enumerate(state.held)]
        return filtered(state.routing, client.gather(futures))


def _at_once(state: State, query: Query, request: Request) -> list[Answered] | None:
    """The answers to a small batch; None where not all workers could answer."""
    routed = route(state.routing, query, request)
    held = [state.held[piece.partition] for piece in routed]
    found = answer_on_workers(state.client, [
        (state.where(one), one.copies[0].key, piece.query, piece.request)
        for one, piece in zip(held, routed)])
    for one, partial in zip(held, found):
        if partial is None:
            state.look_again(one)
    answered = [Answered(piece.query.direction, piece.positions, partial)
                for piece, partial in zip(routed, found) if partial is not None]
    return answered if len(answered) == len(routed) else None


def _answered_in_groups(state: State, query: Query, request: Request,
                        values: Values | None) -> Partial:
    routing = state.routing
    assert routing.parts is not None
    partitions = routing.fences.partitions.tolist()
    found: list[Partial] = []
    grouped: list[Any] = []

    def sent() -> Iterator[list[Sent]]:
        for _, piece in _cuts(query):
            group = routing.parts.group(piece.lower[0])  # type: ignore[union-attr]
            ends = group.starts
            grouped.append((group.parts, np.diff(ends).tolist()))
            yield [Sent(number, Query.equal((group.keys[low:high],)), request)
                   for number, low, high in zip(partitions, ends[1:], ends[2:])]

    for partials, (parts, sizes) in zip(_under_way(state, sent(), values), grouped):
        found.append(ungrouped(routing, request, parts, sizes, partials,
                               None if values is None else values.model))
    if len(found) == 1:
        return found[0]
    return Partial({name: np.concatenate([partial[name] for partial in found])
                    for name in found[0]})


def _answered(state: State, query: Query, request: Request,
              values: Values | None) -> Iterator[Answered]:
    """The answers to all pieces, in order."""
    pieces: list[list[Piece]] = []

    def sent() -> Iterator[list[Sent]]:
        for start, cut in _cuts(query):
            routed = route(state.routing, cut, request)
            if start is not None:
                routed = [piece._replace(positions=start + (
                    np.arange(query_size(cut)) if piece.positions is None else piece.positions))
                    for piece in routed]
            pieces.append(routed)
            yield [Sent(piece.partition, piece.query, piece.request) for piece in routed]

    for partials, routed in zip(_under_way(state, sent(), values), pieces):
        for piece, partial in zip(routed, partials):
            yield Answered(piece.query.direction, piece.positions, partial)


def _under_way(state: State, groups: Iterator[list[Sent]],
               values: Values | None) -> Iterator[list[Partial]]:
    """The answers to groups of queries, in order; a few of them are under way at a time."""
    waiting: list[list[Any]] = []
    under_way = 0
    client, name = state.client, token()
    with released(client) as futures:
        for number, group in enumerate(groups):
            sent = [client.submit(answer_pieces, state.held[one.partition].one(),
                                  [(one.query, one.request)],
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


def _cuts(query: Query) -> Iterator[tuple[int | None, Query]]:
    count = query_size(query)
    if count <= PIECE:
        yield None, query
        return
    for start in range(0, count, PIECE):
        yield start, query_slice(query, start, min(start + PIECE, count))


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
    at = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
    return ends, rows[at]


