"""What the client holds of an index: futures of its partitions, and facts about them."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import distributed
import numpy as np

from .._index import Index as LocalIndex
from .._lists import Array
from ._build import empty_index, meta_of, released, token
from ._columns import Columns, concat, cut, take
from ._direct import Answering
from ._moves import can_group, native
from ._partition import Meta, Partition
from ._questions import Lookups, Question
from ._routing import Bounds, Fences, Parts, grouped

_calls = itertools.count()


class Held(NamedTuple):
    """A partition: futures of it and of its copies on other workers, and facts about it."""

    copies: tuple[Any, ...]
    meta: Meta

    def one(self) -> Any:
        """The copy whose turn it is."""
        return self.copies[next(_calls) % len(self.copies)]


class Routing(NamedTuple):
    """What it takes to send lookups to partitions; it travels to workers."""

    fences: Fences
    template: LocalIndex
    """An empty index of the same type."""
    parts: Parts | None
    """None where a key may be in several partitions, or the library does not compare keys."""

    def groups(self, question: Question, lookups: Lookups, miss: Any = None) -> bool:
        """Whether lookups are grouped by partition, each going to one at most."""
        return (self.parts is not None and question.kind == "point" and miss is None
                and "rows" not in question.names
                and native(lookups.lower, (self.parts.bounds,))
                and can_group(lookups.count(), self.parts.bounds.size + 1))

    def pieces(self, question: Question, lookups: Lookups
               ) -> list[tuple[int, Question, Array | None]]:
        """The partitions to ask, in their order: each with the question for it, and with the
        positions of its lookups; None: all of them."""
        fences = self.fences
        count = lookups.count()
        if not fences.partitions.size or not count:
            return []
        if question.kind == "nearest":
            return self._neighbours(question, lookups, count)
        if fences.partitions.size == 1:
            return [(int(fences.partitions[0]), question, None)]
        return self._sent(question, *self._spans(question, lookups, count))

    def _spans(self, question: Question, lookups: Lookups, count: int) -> tuple[Array, Array]:
        fences = self.fences
        if question.kind == "range":
            return fences.spans(lookups.lower, lookups.upper, count)
        keys = lookups.lower
        if question.kind == "prefix":
            return fences.prefixes(keys)
        if len(keys or ()) < len(self.template._type.parts):  # the first parts of composite keys
            return fences.spans(keys, keys, count)
        return fences.points(keys)

    def _sent(self, question: Question, first: Array, last: Array
              ) -> list[tuple[int, Question, Array | None]]:
        """Every lookup goes to the partitions from its first to its last one."""
        partitions = self.fences.partitions
        if first is last and first.min() < 0:
            last = np.maximum(first, -1)
            first = np.maximum(first, 0)  # none for a key before the first one
        if first is last or (first == last).all():
            if (first == first[0]).all():
                return [(int(partitions[first[0]]), question, None)]
            order, starts = grouped(first, partitions.size)
        else:
            lengths = np.maximum(last - first + 1, 0)
            positions = np.repeat(np.arange(first.size), lengths)
            before = np.cumsum(lengths) - lengths
            places = np.arange(positions.size) + np.repeat(first - before, lengths)
            order, starts = grouped(places, partitions.size)
            order = positions[order]
        return [(int(partitions[i]), question, order[starts[i]:starts[i + 1]])
                for i in range(partitions.size) if starts[i] < starts[i + 1]]

    def _neighbours(self, question: Question, lookups: Lookups, count: int
                    ) -> list[tuple[int, Question, Array | None]]:
        """Only the partition with the key before, or after, in the order of all keys can hold the
        neighbour. In the direction "nearest" these may be two: then both are asked, and
        `nearer` chooses."""
        keys: Any = lookups.lower
        fences = self.fences
        most = fences.partitions.size
        before = fences.backward(keys, question.exact)
        after = fences.forward(keys, question.exact)
        if question.direction != "nearest":
            place = before if question.direction == "backward" else after
            inside = (place >= 0) & (place < most)
            return self._sent(question, place, np.where(inside, place, place - 1))
        pieces = []
        one = (before == after) | (before < 0) | (after >= most)
        place = np.where(before < 0, after, before)
        inside = one & (place >= 0) & (place < most)
        pieces += self._sent(question, place, np.where(inside, place, place - 1))
        for direction, towards in (("backward", before), ("forward", after)):
            names = tuple(dict.fromkeys((*question.names, "key")))
            pieces += self._sent(question._replace(direction=direction, names=names), towards,
                                 np.where(one, towards - 1, towards))
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
    model: tuple[Columns, Columns | None]
    """Keys and included values without rows, for their types."""
    routing: Routing
    name: str
    """Differs between versions."""

    workers: dict[str, str]
    """Addresses that are newer than those of `held`, by the key of a future."""

    def where(self, held: Held) -> str:
        """The address of a worker that holds the partition."""
        return self.workers.get(held.copies[0].key, held.meta.worker)

    def look_again(self, held: Held) -> None:
        """Asks the scheduler where the partition is."""
        key = held.copies[0].key
        found = self.client.who_has([held.copies[0]]).get(key) or [""]
        self.workers[key] = next(iter(found))

    @property
    def live(self) -> int:
        return sum(held.meta.live for held in self.held)


def state_of(client: Any, spec: str, parts: list[Any], bounds: Bounds, rows: int,
             replicate: int, progress: bool = False) -> State:
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
        template = empty_index(plain_spec(spec), *model)
        held = tuple(Held(copies(client, part, replicate, name, number), meta)
                     for number, (part, meta) in enumerate(zip(parts, metas)))
    return State(client, spec, held, bounds, rows, replicate, model,
                 routing_of(metas, template), name, {})


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


def model_of(partition: Partition) -> tuple[Columns, Columns | None]:
    none = np.empty(0, np.int64)
    return (take(partition.keys, none),
            None if partition.values is None else take(partition.values, none))


def routing_of(metas: list[Meta], template: LocalIndex) -> Routing:
    partitions = np.array([i for i, meta in enumerate(metas) if meta.live], np.int64)
    chosen = [metas[i] for i in partitions] or metas[:1]
    fences = Fences(partitions, concat([meta.first for meta in chosen]),
                    concat([meta.last for meta in chosen]))
    apart = partitions.size > 1 and not fences.shared
    return Routing(fences, template,
                   Parts.of([meta.inner for meta in chosen]) if apart else None)


def plain_spec(spec: str) -> str:
    """The same kind of index on a CPU, for the client."""
    kind = spec.partition(",")[0].partition("@")[0]
    return kind if "embree" in kind else f"{kind.replace('optix', 'native')}@cpu"


def piece_of(lookups: Lookups, positions: Any) -> Lookups:
    """The lookups at positions, or of a slice."""
    if positions is None:
        return lookups
    if isinstance(positions, slice):
        return Lookups(*(None if end is None else cut(end, positions.start, positions.stop)
                         for end in lookups))
    return Lookups(*(None if end is None else take(end, positions) for end in lookups))
