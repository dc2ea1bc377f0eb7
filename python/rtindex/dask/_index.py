"""The index as the client sees it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._calls import _names
from .._columns import is_scalar
from .._errors import InvalidArgumentError, UnsupportedError
from .._index import LookupName, _human_bytes
from .._joins import _HOW, _most
from .._kinds import kind_of
from .._lists import Array
from .._lookups import (
    _DIRECTIONS,
    _ENDS,
    AnswerName,
    DirectionName,
    EndsName,
    JoinName,
    NearestName,
    OrderName,
)
from .._results import MemoryUsage
from .._tolerance import tolerance_of
from . import _changes, _collections, _files
from ._columns import columns, size
from ._engine import Values, run
from ._order import describe, join_parts, null_rows, select
from ._questions import Lookups, Question
from ._results import finish, join_of
from ._sources import is_collection
from ._state import State
from ._values import values_by_partition


class Index:
    """An index over one column of a Dask collection, in partitions on the workers of a cluster.

    The calls, their arguments and their answers are those of `rtindex.Index`. Rows and counts have
    64 bits, and a miss is `rtindex.dask.MISS`.

    Lookups in memory are answered in memory. Lookups in a Dask collection return a Dask collection,
    which is computed when you ask for it.
    """

    def __init__(self, make: Callable[[], State]):
        self._make: Callable[[], State] | None = make
        self._state_: State | None = None
        self._lock = threading.RLock()
        self._values: dict[tuple[str, str], Values] = {}

    # Lookups

    def lookup(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               counters: bool = False) -> Any:
        """Answers a batch of point lookups: which rows hold a key equal to `keys[i]`?"""
        return self._ask("point", (keys,), answer, values, matched, limit, order, miss, out,
                         counters)

    def range(self, lower: Any = None, upper: Any = None,
              answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
              ends: EndsName = "[]", matched: bool = False, limit: int | None = None,
              order: OrderName | None = None, miss: Any = None, out: Array | None = None,
              counters: bool = False) -> Any:
        """Answers a batch of range lookups: which rows hold a key from `lower[i]` to `upper[i]`?"""
        return self._ask("range", (lower, upper), answer, values, matched, limit, order, miss, out,
                         counters, ends=_ends(ends))

    def starts_with(self, prefixes: Any, answer: AnswerName | Sequence[AnswerName] = "any",
                    values: Any = None, *, matched: bool = False, limit: int | None = None,
                    order: OrderName | None = None, miss: Any = None,
                    out: Array | None = None) -> Any:
        """Answers a batch of prefixes: which rows of a column of strings start with
        `prefixes[i]`?"""
        if self.type == "composite":
            raise InvalidArgumentError("starts_with takes a column of strings, and this index is "
                                       "over composite keys: use lookup with their first parts, "
                                       "such as lookup((city,))")
        return self._ask("prefix", (prefixes,), answer, values, matched, limit, order, miss, out,
                         False)

    def nearest(self, keys: Any, answer: NearestName | Sequence[NearestName] = "any",
                values: Any = None, direction: DirectionName = "backward", exact: bool = True,
                tolerance: Any = None, *, matched: bool = False, limit: int | None = None,
                order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                counters: bool = False) -> Any:
        """Answers a batch of neighbours: which key of the column is closest to `keys[i]`?"""
        return self._ask("nearest", (keys,), answer, values, matched, limit, order, miss, out,
                         counters, **self._near(direction, exact, tolerance))

    def rank(self, keys: Any) -> Any:
        """How many rows hold a key less than `keys[i]`; 0 for a null."""
        return self.range(None, keys, "count", ends="[)")

    def select(self, ranks: Any) -> Any:
        """The row of each rank, where rows are sorted by key, equal keys by row, and the first has
        rank 0; a miss beyond the last one."""
        return select(self._state, ranks)

    def nulls(self) -> Array:
        """The rows whose key is null, ascending."""
        return null_rows(self._state)

    def __contains__(self, key: Any) -> bool:
        """Whether a row holds the key: one key, a tuple for a composite column."""
        parts = self._state.routing.template._type.parts
        if not is_scalar(key) and not (parts and isinstance(key, tuple)):
            raise InvalidArgumentError(f"`in` takes one key, got {type(key).__name__}: look up "
                                       "several with lookup(keys, matched=True)")
        if isinstance(key, tuple) and len(key) < len(parts):
            raise InvalidArgumentError(f"`in` expected a key of {len(parts)} parts, got "
                                       f"{len(key)}: use lookup to match its first parts")
        return bool(self.lookup(key, "count"))

    # Joins

    def join(self, keys: Any, how: JoinName = "inner", *, batch_rows: int | None = None) -> Any:
        """Joins a batch of keys with the column: pairs of lookups and rows, as `rtindex.Index`
        does. Keys in a Dask collection make Dask arrays of pairs."""
        return self._join("point", (keys,), how, batch_rows)

    def join_range(self, lower: Any = None, upper: Any = None, how: JoinName = "inner",
                   ends: EndsName = "[]", *, batch_rows: int | None = None) -> Any:
        """Joins a batch of ranges with the rows whose key is in them."""
        return self._join("range", (lower, upper), how, batch_rows, ends=_ends(ends))

    def join_asof(self, keys: Any, direction: DirectionName = "backward", exact: bool = True,
                  tolerance: Any = None, how: JoinName = "left", *,
                  batch_rows: int | None = None) -> Any:
        """Joins each key with the row of its neighbour."""
        return self._join("nearest", (keys,), how, batch_rows,
                          **self._near(direction, exact, tolerance))

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

    def update(self, rows: Any, keys: Any) -> None:
        """Replaces the keys of rows: row `rows[i]` now holds `keys[i]`; None empties a row."""
        with self._lock:
            self._state_ = _changes.update(self._state, rows, keys)

    def set_included(self, rows: Any, values: Any) -> None:
        """Replaces the included values of rows."""
        with self._lock:
            self._state_ = _changes.set_included(self._state, rows, values)

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
    def time_unit(self) -> str:
        """The unit of a column of timestamps ("us"); empty for other types."""
        return self._state.routing.template.time_unit

    @property
    def spec(self) -> str:
        """The spec of the partitions."""
        return self._state.held[0].meta.spec

    @property
    def included(self) -> str | None:
        """The type of the included values; None without any."""
        return self._state.routing.template.included

    @property
    def live(self) -> int:
        """The number of rows that are neither erased nor null."""
        return self._state.live

    @property
    def partitions(self) -> int:
        """The number of partitions."""
        return len(self._state.held)

    def __len__(self) -> int:
        """The number of rows, null and erased ones included: value columns have so many entries."""
        return self._state.size

    def supports(self, answer: NearestName, lookup: LookupName = "point") -> bool:
        """Whether the index can return this answer to this kind of lookup."""
        return self._state.routing.template.supports(answer, lookup)

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
        live = "" if self.live == len(self) else f", {self.live:,} live"
        return (f"<rtindex.dask.Index {kind}: {len(self):,} rows of {self.type}{live}, "
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

    def _near(self, direction: Any, exact: Any, tolerance: Any) -> dict[str, Any]:
        if not isinstance(direction, str) or direction not in _DIRECTIONS:
            raise InvalidArgumentError(f"invalid direction={direction!r}: expected backward, "
                                       "forward or nearest")
        if not isinstance(exact, (bool, np.bool_)):
            raise InvalidArgumentError(f"invalid exact={exact!r}: expected True or False")
        return {"direction": direction, "exact": bool(exact),
                "tolerance": tolerance_of(tolerance, self._state.routing.template._type)}

    def _ask(self, kind: str, data: tuple[Any, ...], names: Any, values: Any, matched: bool,
             limit: Any, order: Any, miss: Any, out: Any, counters: Any, **more: Any) -> Any:
        if counters:
            raise UnsupportedError("`counters` is for an index in one process: omit it")
        state = self._state
        names = (names,) if isinstance(names, str) else _names(names)
        question = Question(kind, names, limit, order, **more)
        held = None if values is None else self._values_of(state, values)
        if any(is_collection(end) for end in data):
            if out is not None:
                raise UnsupportedError("`out` takes lookups in memory: omit it")
            return _collections.ask(state, question, data, held, matched, miss)
        lookups = self._lookups(state, kind, data)
        partial = run(state, question, lookups, held, miss)
        source = next((end for end in data if end is not None), 0)
        template = state.routing.template
        if out is not None:
            return _written(partial, names, out)
        return finish(template, kind_of(source, template.type == "composite"), source, names,
                      partial, matched, miss, None if held is None else held.model)

    def _join(self, kind: str, data: tuple[Any, ...], how: Any, batch_rows: Any,
              **more: Any) -> Any:
        if how not in _HOW:
            raise InvalidArgumentError(f"invalid how={how!r}: expected inner, left, semi or anti")
        state = self._state
        wanted = "count" if how in ("semi", "anti") else "any" if kind == "nearest" else "rows"
        question = Question(kind, (wanted,), **more)
        if any(is_collection(end) for end in data):
            if batch_rows is not None:
                raise UnsupportedError("`batch_rows` takes lookups in memory: a join of a Dask "
                                       "collection is computed block by block")
            return _collections.join(state, question, data, how)
        lookups = self._lookups(state, kind, data)
        source = next((end for end in data if end is not None), [])
        like = kind_of(source, state.routing.template.type == "composite")
        if batch_rows is None:
            return join_of(like, how, run(state, question, lookups))
        return join_parts(state, question, lookups, like, how, _most(batch_rows))

    def _lookups(self, state: State, kind: str, data: tuple[Any, ...]) -> Lookups:
        template = state.routing.template
        wanted = template._neighbour if kind == "nearest" else template._point
        lookups = Lookups(*(None if end is None and kind == "range" else columns(end, wanted)
                            for end in data))
        sizes = [size(end) for end in lookups if end is not None]
        if len(set(sizes)) > 1:
            raise InvalidArgumentError(f"expected as many lower as upper ends, got {sizes[0]} and "
                                       f"{sizes[1]}")
        return lookups

    def _values_of(self, state: State, values: Any) -> Values:
        name = getattr(values, "name", None) if is_collection(values) else None
        key = (state.name, str(getattr(values, "_name", name)))
        if name is not None and key in self._values:
            return self._values[key]
        held = values_by_partition(state, values)
        if name is not None:
            self._values = {key: held}  # the last one, which is the one to be asked for again
        return held


def _ends(ends: Any) -> str:
    if not isinstance(ends, str) or ends not in _ENDS:
        raise InvalidArgumentError(f"invalid ends={ends!r}: expected \"[]\", \"[)\", \"(]\" or "
                                   "\"()\"")
    return ends


def _written(partial: Any, names: tuple[str, ...], out: Any) -> Any:
    if len(names) != 1 or names[0] in ("rows", "key"):
        raise InvalidArgumentError("`out` takes one answer other than 'rows' and 'key': choose "
                                   "one, or omit `out`")
    found = partial[names[0]]
    if type(out) is not np.ndarray or out.dtype != found.dtype or out.shape != found.shape:
        raise InvalidArgumentError(f"invalid `out`: expected a NumPy array of {found.size} "
                                   f"{found.dtype}")
    out[:] = found
    return out
