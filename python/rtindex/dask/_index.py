"""The index as the client sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._calls import MAX_BITMAP_BYTES, _names, require_bitmap_bytes, row_miss
from .._categories import reject
from .._errors import InvalidArgumentError, UnsupportedError
from .._filter import data_of
from .._index import _human_bytes
from .._join_calls import JoinName, JoinOrderName
from .._joins import require_how, require_max_pairs, require_order
from .._kinds import Kind, kind_of
from .._lists import Array, is_missing
from .._names import is_scalar
from .._overloads import AnswerName, NearestName, OrderName
from .._query import (
    DirectionName,
    EndsName,
    Query,
    QueryName,
    query_of,
    require_query,
)
from .._results import Answers, Join, MemoryUsage
from .._results import Rows as LocalRows
from . import _changes, _collections, _files
from ._bitmaps import BITMAPS, requested, with_bitmaps, with_mask
from ._engine import Values, run
from ._order import describe, end, join_batches, null_rows, select
from ._queries import Request, query_size
from ._read import lookups
from ._results import finish, join_of, miss_in_units, with_means, written
from ._sources import is_collection
from ._state import State
from ._values import values_by_partition


class Index:
    """An index over one column of a Dask collection, in partitions on the workers of a cluster.

    The calls, their arguments and their answers are those of `rtindex.Index`. Rows and counts have
    64 bits, and a miss is `rtindex.dask.MISS`.

    Queries in memory are answered in memory. Queries in a Dask collection return a Dask collection,
    which is computed on demand.
    """

    def __init__(self, make: Callable[[], State]):
        self._make: Callable[[], State] | None = make
        self._state_: State | None = None
        self._lock = threading.RLock()
        self._values: dict[tuple[str, str], Values] = {}

    # Lookups

    def answer(self, query: Query, answer: NearestName | Sequence[NearestName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               counters: bool = False,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """Answers a batch of queries of any kind, such as `Query.range(lower, upper)`."""
        if counters:
            raise UnsupportedError("`counters` is for an index in one process: omit it")
        state = self._state
        names = (answer,) if isinstance(answer, str) else _names(answer)
        require_query(query)
        row_miss(names, miss)
        by_name = isinstance(values, str)
        request = Request(names, limit, order, values if by_name else "")
        held = None if values is None or by_name else self._values_of(state, values)
        if order is not None and state.routing.template._reordered:
            reject("order")
        has_bitmaps = not {*BITMAPS}.isdisjoint(names)
        if _is_lazy(query):
            if out is not None:
                raise UnsupportedError("`out` expects queries in memory: omit it")
            if has_bitmaps:
                raise UnsupportedError("bitmaps expect queries in memory: compute these first")
            return _collections.answer(state, query, request, held, matched, miss)
        if has_bitmaps and out is not None:
            raise InvalidArgumentError("`out` expects one answer for each lookup: omit it")
        template, data = state.routing.template, data_of(query)
        kind = kind_of(data, template.type == "composite")
        model = request.included or None if held is None else held.model
        units = miss
        if out is None:
            units = miss_in_units(template, kind, names, model, miss)
            request = with_means(template, kind, request, model)
        asked = requested(request) if has_bitmaps else request
        bound = self._with_columns(state, query)
        if "bitmaps" in names:
            require_bitmap_bytes(query_size(bound), state.size, max_bitmap_bytes)
        partial = run(state, bound, asked, held, units)
        if out is not None:
            return written(partial, names, out)
        if not has_bitmaps:
            return finish(template, kind, names, partial, matched, miss, model)
        others = finish(template, kind, asked.answers, partial, True, miss, model)
        return with_bitmaps(others, names, partial, state.size, kind, matched)

    def lookup(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               counters: bool = False, filter: Any = None,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.equal(keys)`: which rows hold a key equal to `keys[i]`?"""
        return self.answer(Query.equal(keys, filter=filter), answer, values, matched=matched,
                           limit=limit, order=order, miss=miss, out=out, counters=counters,
                           max_bitmap_bytes=max_bitmap_bytes)

    def range(self, lower: Any = None, upper: Any = None,
              answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
              ends: EndsName = "[]", matched: bool = False, limit: int | None = None,
              order: OrderName | None = None, miss: Any = None, out: Array | None = None,
              counters: bool = False, filter: Any = None,
              max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.range(lower, upper, ends)`: which rows hold a key from `lower[i]` to
        `upper[i]`?"""
        return self.answer(Query.range(lower, upper, ends, filter=filter), answer, values,
                           matched=matched, limit=limit, order=order, miss=miss, out=out,
                           counters=counters, max_bitmap_bytes=max_bitmap_bytes)

    def starts_with(self, prefixes: Any, answer: AnswerName | Sequence[AnswerName] = "any",
                    values: Any = None, *, matched: bool = False, limit: int | None = None,
                    order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                    counters: bool = False, filter: Any = None,
                    max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.prefix(prefixes)`: which rows of a column of strings start with
        `prefixes[i]`?"""
        return self.answer(Query.prefix(prefixes, filter=filter), answer, values, matched=matched,
                           limit=limit, order=order, miss=miss, out=out, counters=counters,
                           max_bitmap_bytes=max_bitmap_bytes)

    def nearest(self, keys: Any, answer: NearestName | Sequence[NearestName] = "any",
                values: Any = None, direction: DirectionName = "backward", exact: bool = True,
                tolerance: Any = None, *, matched: bool = False, limit: int | None = None,
                order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                counters: bool = False, filter: Any = None,
                max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.nearest(keys, direction, exact, tolerance)`: which key of the column
        is closest to `keys[i]`?"""
        query = Query.nearest(keys, direction, exact, tolerance, filter=filter)
        return self.answer(query, answer, values, matched=matched, limit=limit, order=order,
                           miss=miss, out=out,
                           counters=counters, max_bitmap_bytes=max_bitmap_bytes)

    def rank(self, keys: Any) -> Any:
        """How many rows hold a key less than `keys[i]`; 0 for a null."""
        if self._state.routing.template._reordered:
            reject("rank")
        if keys is None:  # a null, rather than no end
            return 0
        return self.range(None, keys, "count", ends="[)")

    def select(self, ranks: Any) -> Any:
        """The row of each rank, where rows are sorted by key, equal keys by row, and the first has
        rank 0; a miss beyond the last one."""
        return select(self._state, ranks)

    def min(self) -> Any:
        """The least key; None without one."""
        return end(self._state, "min")

    def max(self) -> Any:
        """The greatest key; None without one."""
        return end(self._state, "max")

    def nulls(self) -> Array:
        """The rows whose key is null, ascending."""
        return null_rows(self._state)

    def __contains__(self, key: Any) -> bool:
        """Whether a row holds the key: one key, a tuple for a composite column."""
        parts = self._state.routing.template._type.parts
        if is_missing(key):
            return False
        if not is_scalar(key) and not (parts and isinstance(key, tuple)):
            raise InvalidArgumentError(f"`in` expects one key, got {type(key).__name__}: look up "
                                       "several with lookup(keys, matched=True)")
        if isinstance(key, tuple) and len(key) < len(parts):
            raise InvalidArgumentError(f"`in` expected a key of {len(parts)} parts, got "
                                       f"{len(key)}: use lookup to match its first parts")
        return bool(self.lookup(key, "count"))

    # Joins

    def join(self, query: Any, how: JoinName = "inner", *,
             order: JoinOrderName = "lookups") -> Join:
        """Joins a batch of queries with the rows that they match, as `rtindex.Index` does; keys are
        those of `Query.equal`. A query in a Dask collection makes Dask arrays of pairs. Either
        order is that of the queries."""
        require_order(order)
        query, state = query_of(query), self._state
        request = _join_request(query, require_how(how))
        if _is_lazy(query):
            return _collections.join(state, query, request, how)
        partial = run(state, self._with_columns(state, query), request)
        return join_of(self._join_kind(state, query), how, partial)

    def join_batches(self, query: Any, how: JoinName = "inner", *, max_pairs: int,
                     order: JoinOrderName = "lookups") -> Iterator[Join]:
        """`join` in batches of at most `max_pairs` pairs, for joins that are larger than memory.
        All of them are of the index as it is now."""
        require_order(order)
        query, state = query_of(query), self._state
        request, pairs = _join_request(query, require_how(how)), require_max_pairs(max_pairs)
        if _is_lazy(query):
            raise UnsupportedError("`join_batches` expects queries in memory: the join of a Dask "
                                   "collection is computed block by block")
        return join_batches(state, self._with_columns(state, query), request,
                            self._join_kind(state, query), how, pairs)

    def join_range(self, lower: Any = None, upper: Any = None, how: JoinName = "inner",
                   ends: EndsName = "[]", *, order: JoinOrderName = "lookups") -> Join:
        """`join` of `Query.range(lower, upper, ends)`: ranges with the rows whose key is in
        them."""
        return self.join(Query.range(lower, upper, ends), how, order=order)

    def join_asof(self, keys: Any, direction: DirectionName = "backward", exact: bool = True,
                  tolerance: Any = None, how: JoinName = "left", *,
                  order: JoinOrderName = "lookups") -> Join:
        """`join` of `Query.nearest(keys, direction, exact, tolerance)`: keys with the row of their
        neighbour."""
        return self.join(Query.nearest(keys, direction, exact, tolerance), how, order=order)

    # Changes

    def insert(self, keys: Any, values: Any = None) -> int:
        """Appends rows with these keys; returns the first row, the others follow. Keys may be a
        Dask collection, with `values` in the same chunks."""
        with self._lock:
            first = len(self)
            self._state_ = _changes.insert(self._state, keys, values)
        return first

    def erase(self, rows: Any) -> None:
        """Erases rows, which match nothing from now on. Rows are not reused."""
        with self._lock:
            self._state_ = _changes.erase(self._state, rows)

    def erase_keys(self, keys: Any) -> int:
        """Erases every row that holds one of these keys; returns how many there were."""
        with self._lock:
            self._state_, count = _changes.erase_keys(self._state, keys)
        return count

    def erase_range(self, lower: Any = None, upper: Any = None, ends: EndsName = "[]") -> int:
        """Erases every row whose key is in one of these ranges; returns how many there were."""
        found = self.range(lower, upper, "rows", ends=ends)
        rows = np.unique(found.rows if isinstance(found, LocalRows) else found)
        self.erase(rows)
        return len(rows)

    def update(self, rows: Any, keys: Any) -> None:
        """Replaces the keys of rows: row `rows[i]` now holds `keys[i]`; None empties a row."""
        with self._lock:
            self._state_ = _changes.update(self._state, rows, keys)

    def set_included(self, rows: Any, values: Any, name: str = "") -> None:
        """Replaces the values of rows in an included column; its name is empty where there is one
        only."""
        with self._lock:
            self._state_ = _changes.set_included(self._state, rows, values, name)

    def merge(self) -> None:
        """Builds every partition again without the rows that are erased."""
        with self._lock:
            self._state_ = _changes.merge(self._state)

    def snapshot(self) -> Index:
        """An index that stays as this one is now; either may be changed without the other."""
        state = self._state
        return Index(lambda: state)

    # Files and memory

    def persist(self) -> Index:
        """Builds the index now; returns it."""
        self._state  # noqa: B018
        return self

    def save(self, folder: Any) -> None:
        """Writes the index to a folder for `rtindex.dask.load`: a path or an URL of fsspec that all
        workers can reach. From then on, lost partitions are read from there."""
        with self._lock:
            self._state_ = _files.save(self._state, folder)

    def close(self) -> None:
        """Releases the memory on the workers."""
        with self._lock:
            self._state_, self._make, self._values = None, None, {}

    # What it is

    @property
    def type(self) -> str:
        """The type of the column, such as "int64" or "string"."""
        return self._state.routing.template.type

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that the index was built over; empty where they had none."""
        return self._state.routing.template.names

    @property
    def time_unit(self) -> str:
        """The unit of a column of timestamps ("us"); empty for other types."""
        return self._state.routing.template.time_unit

    @property
    def spec(self) -> str:
        """The spec of the partitions."""
        return self._state.held[0].meta.spec

    @property
    def included(self) -> dict[str, str]:
        """The types of the included columns by name, which is "" for a column without a name."""
        return self._state.routing.template.included

    @property
    def valid(self) -> int:
        """The number of rows that are neither erased nor null."""
        return self._state.valid

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return len(self._state.held)

    def __len__(self) -> int:
        """The number of rows, null and erased ones included: value columns have so many entries."""
        return self._state.size

    def supports(self, answer: NearestName, query: QueryName = "equal") -> bool:
        """Whether the index can return this answer to this kind of query."""
        return self._state.routing.template.supports(answer, query)

    def memory_usage(self) -> MemoryUsage:
        """Memory of all partitions and their copies, in bytes."""
        state = self._state
        held = {f"partition {number}": held.meta.bytes * len(held.copies)
                for number, held in enumerate(state.held)}
        return MemoryUsage(sum(held.values()), 0, held)

    def describe(self) -> str:
        """Lines of text: the index and its partitions, with their workers."""
        return describe(self._state, repr(self))

    def __repr__(self) -> str:
        state = self._state_
        if state is None:
            return "<rtindex.dask.Index: not built yet>"
        kind = self.spec.partition(",")[0]
        valid = "" if self.valid == len(self) else f", {self.valid:,} valid"
        return (f"<rtindex.dask.Index {kind}: {len(self):,} rows of {self.type}{valid}, "
                f"{self.partitions} partitions, {_human_bytes(self.memory_usage().resident)}>")

    # How it works

    @property
    def _state(self) -> State:
        state = self._state_
        if state is None:
            with self._lock:
                if self._state_ is None and self._make is not None:
                    self._state_, self._make = self._make(), None
                state = self._state_
        if state is None:
            raise UnsupportedError("the index is closed: build or load it again")
        return state

    def _with_columns(self, state: State, query: Query) -> Query:
        """The query with its keys, or the ends of its ranges, as `Columns`."""
        return lookups(state.routing.template, with_mask(query, state.size))

    def _join_kind(self, state: State, query: Query) -> Kind:
        return kind_of(data_of(query), state.routing.template.type == "composite")

    def _values_of(self, state: State, values: Any) -> Values:
        name = getattr(values, "name", None) if is_collection(values) else None
        key = (state.name, str(getattr(values, "_name", name)))
        if name is not None and key in self._values:
            return self._values[key]
        held = values_by_partition(state, values)
        if name is not None:
            self._values = {key: held}  # the last one, which is the one to be requested again
        return held


def _is_lazy(query: Query) -> bool:
    return is_collection(query.lower) or is_collection(query.upper)


def _join_request(query: Query, how: str) -> Request:
    """The answer of which a join is made."""
    if how in ("semi", "anti"):
        return Request(("count",))
    return Request(("any",) if query.kind == "nearest" else ("rows",))
