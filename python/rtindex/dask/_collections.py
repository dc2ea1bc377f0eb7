"""Queries in Dask collections: the same calls as a graph, block by block."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import dask
import numpy as np

from .._calls import AGGREGATES, unpacked
from .._errors import InvalidArgumentError
from .._kinds import kind_of
from .._names import is_one
from .._query import Query
from .._results import Answers, Join
from ._bitmaps import with_mask
from ._build import pick, token
from ._engine import (
    Answered,
    Values,
    answer_pieces,
    both_steps,
    found_keys,
    is_complete,
    is_two_steps,
    merge,
    require_values,
    route,
    two_steps,
    ungrouped,
)
from ._queries import Partial, Request, blank, widened
from ._read import lookups
from ._results import finish, join_of, miss_in_units, with_means
from ._sources import Source, is_collection, source_of
from ._state import Routing, State, filtered, filtered_ends


class LazyRows:
    """The rows of queries in a Dask collection: a `Rows` for each block, computed on demand."""

    def __init__(self, blocks: list[Any]):
        self._blocks = blocks

    def to_delayed(self) -> list[Any]:
        """A delayed `Rows` for each block."""
        return self._blocks

    def compute(self, **options: Any) -> Any:
        """All of them as one `Rows` in memory."""
        from ._results import Rows

        found = dask.compute(*self._blocks, **options)
        starts = np.cumsum([0, *(len(rows.rows) for rows in found)]).astype(np.uint64)
        offsets = [rows.offsets[1:] + start for rows, start in zip(found, starts)]
        return Rows(np.concatenate([np.zeros(1, np.uint64), *offsets]),
                    np.concatenate([rows.rows for rows in found]))


class Form(NamedTuple):
    """The form of the answers to a block."""

    composite: bool
    names: tuple[str, ...]
    several: bool
    """As `Answers`."""
    miss: Any
    values: Any


class _Call:
    """A call whose query is in Dask collections."""

    def __init__(self, state: State, query: Query):
        self.state = state
        template = state.routing.template
        self.composite = template.type == "composite"
        both = (query.lower, query.upper)
        lazy = [is_collection(end) for end in both]
        if not all(is_lazy or is_one(end) for is_lazy, end in zip(lazy, both)):
            raise InvalidArgumentError("one end of the ranges is a Dask collection and the other "
                                       "is a batch in memory: pass both as Dask collections, one "
                                       "key, or None")
        ends = [end for is_lazy, end in zip(lazy, both) if is_lazy]
        sources = [source_of(end) for end in ends]
        if len({len(source.blocks) for source in sources}) > 1:
            raise InvalidArgumentError("the ends of the ranges have different blocks: pass them "
                                       "with the same chunks or partitions")
        self.source: Source = sources[0]
        self.data = ends[0]
        self.ends = lazy
        query = with_mask(query, state.size)
        self.settings = replace(query, filter=None, lower=None if lazy[0] else query.lower,
                                upper=None if lazy[1] else query.upper)
        self.blocks = [tuple(tuple(source.blocks[i]) for source in sources)
                       for i in range(len(self.source.blocks))]
        self.routing = dask.delayed(state.routing, name=f"rtindex-routing-{state.name}", pure=True)
        self.name = token()
        # One task, whose result each worker gets once.
        self.mask = None if query.filter is None else dask.delayed(unpacked)(
            np.packbits(query.filter, bitorder="little"), state.size,
            dask_key_name=f"rtindex-mask-{self.name}")
        if query.kind == "nearest" and self.mask is not None:
            self.routing = dask.delayed(filtered)(self.routing, [
                dask.delayed(filtered_ends)(held.one(), self.mask,
                                            dask_key_name=f"rtindex-ends-{self.name}-{number}")
                for number, held in enumerate(state.held)])

    def partial(self, request: Request, number: int, values: Values | None, miss: Any,
                form: Form | None) -> Any:
        """The answers to a block of the query, in the form that the caller gets."""
        state, routing = self.state, self.routing
        model = None if values is None else values.model
        source = [self.settings, self.ends, self.blocks[number]]
        if is_two_steps(state.routing, self.settings, request):
            query = dask.delayed(_query)(routing, *source)
            near, rest = two_steps(request)
            first = self._answered([None, None, query], near, None, None, None, number, "-near")
            keys = dask.delayed(found_keys)(routing, first)
            second = self._answered([None, None, dask.delayed(pick)(keys, 1)], rest, values, None,
                                    None, number, "-rest")
            return dask.delayed(_stepped)(routing, query, self.blocks[number], request, model, miss,
                                          first, keys, second, form)
        return self._answered(source, request, values, miss, form, number)

    def _answered(self, source: list[Any], request: Request, values: Values | None, miss: Any,
                  form: Form | None, number: int, step: str = "") -> Any:
        """`source` holds the arguments of `_query`."""
        state, routing = self.state, self.routing
        model = None if values is None else values.model
        key = f"{self.name}{step}-{number}"
        if len(state.held) == 1:
            return dask.delayed(_alone)(
                state.held[0].one(), routing, *source, request,
                None if values is None else values.futures[0], self.mask, model, miss, form,
                dask_key_name=f"rtindex-answer-{key}")
        split = dask.delayed(_split)(routing, *source, request, miss, len(state.held),
                                     dask_key_name=f"rtindex-split-{key}")
        answers = [
            dask.delayed(answer_pieces)(
                held.one(), dask.delayed(pick)(split, 1 + i,
                                               dask_key_name=f"rtindex-piece-{key}-{i}"),
                None if values is None else values.futures[i], self.mask,
                dask_key_name=f"rtindex-answer-{key}-{i}")
            for i, held in enumerate(state.held)]
        return dask.delayed(_merged)(
            routing, *source, request, model, miss, split, answers, form,
            dask_key_name=f"rtindex-merge-{key}")

    def collection(self, blocks: list[Any], model: Any, is_decimal: bool = False) -> Any:
        """A Dask collection of answers, which are like `model`."""
        if self.source.like == "series":
            import dask.dataframe

            if not is_decimal:
                return dask.dataframe.from_delayed(blocks, meta=model, verify_meta=False)
            with dask.config.set({"dataframe.convert-string": False}):  # of all objects
                return dask.dataframe.from_delayed(blocks, meta=model, verify_meta=False)
        return _array(blocks, self.source.lengths, model.dtype)

    def empty(self) -> Any:
        """Lookups of the same kind without any."""
        def one(part: Any) -> Any:
            return part._meta if self.source.like == "series" else np.empty(0, part.dtype)

        if isinstance(self.data, tuple):
            return tuple(one(part) for part in self.data)
        return one(self.data)


def answer(state: State, query: Query, request: Request, values: Values | None, matched: bool,
           miss: Any) -> Any:
    """The answers as Dask collections."""
    call = _Call(state, query)
    template, model = state.routing.template, None if values is None else values.model
    named = request.included or None if model is None else model
    none = call.empty()
    kind = kind_of(none, call.composite)
    units = miss_in_units(template, kind, request.answers, named, miss)
    asked = with_means(template, kind, request, named)
    empty = _with_ends(call.settings, call.ends, [none, none])
    nothing = blank(template, lookups(template, empty), asked, model, units)
    require_values(state, asked, model)
    shape = finish(template, kind, request.answers, nothing, True, miss, named)
    alone = len(request.answers) == 1 and not matched
    form = Form(call.composite, request.answers, not alone, miss, named)
    blocks = [call.partial(asked, number, values, units, form)
              for number in range(len(call.blocks))]

    def collected(name: str) -> Any:
        parts = blocks if alone else [dask.delayed(_named)(block, name) for block in blocks]
        if name == "rows":
            return LazyRows(parts)
        if isinstance(shape[name], tuple):
            return tuple(call.collection([dask.delayed(pick)(part, i) for part in parts], one)
                         for i, one in enumerate(shape[name]))
        return call.collection(parts, shape[name],
                               name in AGGREGATES and shape[name].dtype == object)

    if alone:
        return collected(request.answers[0])
    names = (*request.answers, "matched") if matched else request.answers
    count = sum(call.source.lengths) if call.source.lengths else 0
    return Answers(count, {name: collected(name) for name in names})


def join(state: State, query: Query, request: Request, how: str) -> Join:
    """Pairs as Dask arrays of unknown chunk sizes; queries are numbered over all blocks."""
    call = _Call(state, query)
    start: Any = 0
    joins = []
    for number in range(len(call.blocks)):
        partial = call.partial(request, number, None, None, None)
        joins.append(dask.delayed(_joined)(how, partial, start))
        start = dask.delayed(_after)(start, partial)

    def side(i: int, dtype: Any) -> Any:
        return _array([dask.delayed(pick)(pair, i) for pair in joins], None, dtype)

    return Join(side(0, np.int64), None if how in ("semi", "anti") else side(1, np.uint64))


def _array(blocks: list[Any], lengths: list[int] | None, dtype: Any) -> Any:
    """A Dask array of delayed blocks. `concatenate` would add a task for each of them."""
    import dask.array
    from dask.highlevelgraph import HighLevelGraph

    name = f"rtindex-array-{token()}"
    layer: Any = {(name, i): block.key for i, block in enumerate(blocks)}
    array: Any = dask.array.Array
    return array(HighLevelGraph.from_collections(name, layer, blocks), name,
                 (tuple(lengths or [np.nan] * len(blocks)),), dtype)


# On workers. A block is what the caller's collection holds, or, without `ends`, a query.

def _query(routing: Routing, settings: Query | None, ends: list[bool] | None,
           block: Any) -> Query:
    """The query with the columns of a block; `ends`: which of the two it holds."""
    if settings is None or ends is None:
        return block  # type: ignore[no-any-return]
    held = [data[0] if len(data) == 1 else tuple(data) for data in block]
    return lookups(routing.template, _with_ends(settings, ends, held))


def _with_ends(query: Query, ends: list[bool], held: list[Any]) -> Query:
    """The query with these objects; `ends`: which of its two ends they are."""
    left = iter(held)
    lower, upper = (next(left) if is_held else end
                    for is_held, end in zip(ends, (query.lower, query.upper)))
    return replace(query, lower=lower, upper=upper)


def _split(routing: Routing, settings: Any, ends: Any, block: Any, request: Request, miss: Any,
           partitions: int) -> list[Any]:
    """Directions and positions of all pieces, then the pieces of each partition."""
    query = _query(routing, settings, ends, block)
    if routing.groups(query, request, miss):
        return _groups(routing, query, request, partitions)
    pieces = route(routing, query, request)
    sent = [(piece.partition, piece.query.direction, piece.positions) for piece in pieces]
    return [sent, *([(piece.query, piece.request) for piece in pieces if piece.partition == i]
                    for i in range(partitions))]


def _groups(routing: Routing, query: Query, request: Request, partitions: int) -> list[Any]:
    """As `_split`, with keys grouped by partition."""
    assert routing.parts is not None
    group = routing.parts.group(query.lower[0])
    pieces: list[Any] = [[] for _ in range(partitions)]
    for number, low, high in zip(routing.fences.partitions, group.starts[1:], group.starts[2:]):
        pieces[number] = [(Query.equal((group.keys[low:high],)), request)]
    return [(group.parts, np.diff(group.starts).tolist()), *pieces]


def _merged(routing: Routing, settings: Any, ends: Any, block: Any, request: Request, model: Any,
            miss: Any, split: list[Any], answers: list[list[Partial]], form: Form | None) -> Any:
    sent = split[0]
    if isinstance(sent, tuple):
        partials = [partial for some in answers for partial in some]
        parts, sizes = sent
        return _formed(routing, block, ungrouped(routing, request, parts, sizes, partials, model),
                       form)
    left = [iter(partials) for partials in answers]
    pieces = [Answered(direction, positions, next(left[partition]))
              for partition, direction, positions in sent]
    query = _query(routing, settings, ends, block)
    filled = blank(routing.template, query, request, model, miss)
    return _formed(routing, block, merge(routing, query, request, filled, pieces, miss), form)


def _alone(partition: Any, routing: Routing, settings: Any, ends: Any, block: Any,
           request: Request, values: Any, mask: Any, model: Any, miss: Any,
           form: Form | None) -> Any:
    query = _query(routing, settings, ends, block)
    partial: Partial = widened(answer_pieces(partition, [(query, request)], values, mask)[0])
    if miss is not None and not is_complete(partial):
        filled = blank(routing.template, query, request, model, miss)
        partial = merge(routing, query, request, filled,
                        [Answered(query.direction, None, partial)], miss)
    return _formed(routing, block, partial, form)


def _stepped(routing: Routing, query: Query, block: Any, request: Request, model: Any, miss: Any,
             first: Partial, keys: Any, second: Partial, form: Form | None) -> Any:
    filled = blank(routing.template, query, request, model, miss)
    return _formed(routing, block, both_steps(request, filled, first, keys[0], second), form)


def _formed(routing: Routing, block: Any, partial: Partial, form: Form | None) -> Any:
    if form is None:
        return partial
    parts = block[0]
    data = parts[0] if len(parts) == 1 else parts
    return finish(routing.template, kind_of(data, form.composite), form.names, partial,
                  form.several, form.miss, form.values)


def _named(answers: Any, name: str) -> Any:
    return answers[name]


def _joined(how: str, partial: Partial, start: int) -> Join:
    return join_of(kind_of(np.empty(0)), how, partial, start)


def _after(start: int, partial: Partial) -> int:
    return start + int(partial["matched"].size)
