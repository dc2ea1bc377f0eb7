"""What the client holds of an index: futures of its partitions, and facts about them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any, NamedTuple

import distributed
import numpy as np

from .._index import Index as LocalIndex
from .._lists import Array
from .._query import Query
from ._build import empty_index, meta_of, released, token
from ._columns import Columns, concat, take
from ._direct import Answering
from ._moves import can_group, native
from ._partition import Meta, Partition
from ._queries import Request, query_size
from ._routing import Bounds, Fences, Parts, grouped

_calls = itertools.count()


class Held(NamedTuple):
    """A partition: futures of it and of its copies on other workers, and facts about it."""

    copies: tuple[Any, ...]
    meta: Meta

    def one(self) -> Any:
        """The copy whose turn it is."""
        return self.copies[next(_calls) % len(self.copies)]


class Piece(NamedTuple):
    """The part of a query that one partition answers."""

    partition: int
    query: Query
    request: Request
    positions: Array | None
    """Those of the batch that are in the piece; None: all of them."""


class Routing(NamedTuple):
    """What is needed to send queries to partitions; it is sent to workers."""

    fences: Fences
    template: LocalIndex
    """An empty index of the same type."""
    parts: Parts | None
    """None where a key may be in several partitions, or the library does not compare keys."""

    def groups(self, query: Query, request: Request, miss: Any = None) -> bool:
        """Whether keys are grouped by partition, each going to one at most."""
        return (self.parts is not None and query.kind == "equal" and miss is None
                and query.filter is None
                and "rows" not in request.answers
                and native(query.lower, (self.parts.bounds,))
                and can_group(query_size(query), self.parts.bounds.size + 1))

    def pieces(self, query: Query, request: Request) -> list[Piece]:
        """The pieces in the order of their partitions. The query of each is still that of the whole
        batch."""
        fences = self.fences
        count = query_size(query)
        if not fences.partitions.size or not count:
            return []
        if query.kind == "nearest":
            return self._neighbours(query, request)
        if fences.partitions.size == 1:
            return [Piece(int(fences.partitions[0]), query, request, None)]
        return self._sent(query, request, *self._spans(query, count))

    def _spans(self, query: Query, count: int) -> tuple[Array, Array]:
        fences = self.fences
        if query.kind == "range":
            return fences.spans(query.lower, query.upper, count)
        keys = query.lower
        if query.kind == "prefix":
            return fences.prefixes(keys)
        if len(keys) < len(self.template._type.parts):  # the first parts of composite keys
            return fences.spans(keys, keys, count)
        return fences.points(keys)

    def _sent(self, query: Query, request: Request, first: Array, last: Array) -> list[Piece]:
        """Every key goes to the partitions from its first to its last one."""
        partitions = self.fences.partitions
        if first is last and first.min() < 0:
            last = np.maximum(first, -1)
            first = np.maximum(first, 0)  # none for a key before the first one
        if first is last or (first == last).all():
            if (first == first[0]).all():
                return [Piece(int(partitions[first[0]]), query, request, None)]
            order, starts = grouped(first, partitions.size)
        else:
            lengths = np.maximum(last - first + 1, 0)
            positions = np.repeat(np.arange(first.size), lengths)
            before = np.cumsum(lengths) - lengths
            at = np.arange(positions.size) + np.repeat(first - before, lengths)
            order, starts = grouped(at, partitions.size)
            order = positions[order]
        return [Piece(int(partitions[i]), query, request, order[starts[i]:starts[i + 1]])
                for i in range(partitions.size) if starts[i] < starts[i + 1]]

    def _neighbours(self, query: Query, request: Request) -> list[Piece]:
        """Only the partition with the key before, or after, in the order of all keys can hold the
        neighbour. In the direction "nearest" these may be two: then both answer, and `nearer`
        chooses."""
        keys: Any = query.lower
        fences = self.fences
        count = fences.partitions.size
        before = fences.backward(keys, query.exact)
        after = fences.forward(keys, query.exact)
        if query.direction != "nearest":
            position = before if query.direction == "backward" else after
            inside = (position >= 0) & (position < count)
            return self._sent(query, request, position, np.where(inside, position, position - 1))
        pieces = []
        one = (before == after) | (before < 0) | (after >= count)
        position = np.where(before < 0, after, before)
        inside = one & (position >= 0) & (position < count)
        pieces += self._sent(query, request, position, np.where(inside, position, position - 1))
        with_key = request._replace(answers=tuple(dict.fromkeys((*request.answers, "key"))))
        pieces += self._sent(replace(query, direction="backward"), with_key, before,
                             np.where(one, before - 1, before))
        pieces += self._sent(replace(query, direction="forward"), with_key, after,
                             np.where(one, after - 1, after))
        return pieces


class State(NamedTuple):
    """One version of an index. A change makes a new one."""

    client: Any
    spec: str
    held: tuple[Held, ...]
    bounds: Bounds
    size: int
    """Rows, null and erased ones included: the next row that is inserted."""
    replicate: int
    model: tuple[Columns, Columns | None, tuple[str, ...]]
    """Keys and included values without rows, for their types."""
    routing: Routing
    name: str
    """Differs between versions."""
    texts: dict[str, str]
    """What the column means: the names of its parts, and which NaNs are null."""

    workers: dict[str, str]
    """Addresses that are newer than those of `held`, by the key of a future."""

    def where(self, held: Held) -> str:
        """The address of a worker that holds the partition."""
        return self.workers.get(held.copies[0].key, held.meta.worker)

    def look_again(self, held: Held) -> None:
        """Reads from the scheduler where the partition is."""
        key = held.copies[0].key
        found = self.client.who_has([held.copies[0]]).get(key) or [""]
        self.workers[key] = next(iter(found))

    @property
    def valid(self) -> int:
        return sum(held.meta.valid for held in self.held)


def state_of(client: Any, spec: str, parts: list[Any], bounds: Bounds, rows: int,
             replicate: int, texts: dict[str, str], progress: bool = False) -> State:
    """Waits for partitions and reads the facts about them; `progress` draws a bar."""
    name = token()
    client.register_plugin(Answering())
    with released(client) as futures:
        futures += parts
        facts = [client.submit(model_of, parts[0], key=f"rtindex-model-{name}", pure=False),
                 *(client.submit(meta_of, part, key=f"rtindex-meta-{name}-{number}", pure=False)
                   for number, part in enumerate(parts))]
        futures += facts
        if progress:
            distributed.progress(parts, notebook=False)
        model, *metas = client.gather(facts)
        keys, include, names = model
        template = empty_index(plain_spec(spec), keys, include, names, texts)
        held = tuple(Held(copies(client, part, replicate, name, number), meta)
                     for number, (part, meta) in enumerate(zip(parts, metas)))
    return State(client, spec, held, bounds, rows, replicate, model,
                 routing_of(metas, template), name, texts, {})


def copies(client: Any, part: Any, replicate: int, name: str, number: int) -> tuple[Any, ...]:
    """The partition and its copies on other workers."""
    if replicate == 1:
        return (part,)
    workers = sorted(client.nthreads())
    home = next(iter(client.who_has([part]).get(part.key, ())), None)
    others = [worker for worker in workers if worker != home]
    others = others[number % len(others):] + others[:number % len(others)] if others else []
    return (part, *(client.submit(copied, part, pure=False, workers=[worker],
                                  allow_other_workers=True,
                                  key=f"rtindex-copy-{name}-{number}-{i}")
                    for i, worker in enumerate(others[:replicate - 1])))


def copied(partition: Partition) -> Partition:
    return Partition(partition.index, partition.rows, partition.keys, partition.values,
                     partition.erased)


def model_of(partition: Partition) -> tuple[Columns, Columns | None, tuple[str, ...]]:
    none = np.empty(0, np.int64)
    return (take(partition.keys, none),
            None if partition.values is None else take(partition.values, none), partition.names)


def routing_of(metas: list[Meta], template: LocalIndex) -> Routing:
    partitions = np.array([i for i, meta in enumerate(metas) if meta.valid], np.int64)
    chosen = [metas[i] for i in partitions] or metas[:1]
    fences = Fences(partitions, concat([meta.first for meta in chosen]),
                    concat([meta.last for meta in chosen]))
    apart = partitions.size > 1 and not fences.shared
    return Routing(fences, template,
                   Parts.of([meta.inner for meta in chosen]) if apart else None)


def filtered_ends(partition: Partition, mask: Array) -> tuple[Columns, Columns]:
    """On a worker: the smallest and the largest key of the rows of a mask, if there are any."""
    return partition.ends(mask)


def filtered(routing: Routing, ends: list[tuple[Columns, Columns]]) -> Routing:
    """As if partitions had no other keys than those between their ends."""
    partitions = np.array([i for i, (first, _) in enumerate(ends) if len(first[0])], np.int64)
    first, last = zip(*([ends[i] for i in partitions] or ends[:1]))
    return routing._replace(fences=Fences(partitions, concat(first), concat(last)), parts=None)


def plain_spec(spec: str) -> str:
    """The same kind of index on a CPU, for the client."""
    kind = spec.partition(",")[0].partition("@")[0]
    return kind if "embree" in kind else f"{kind.replace('optix', 'native')}@cpu"
