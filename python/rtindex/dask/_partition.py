"""One partition: an index on the worker that holds it, and the global rows of its keys.

A partition is never changed. Changes return a new one, which shares memory with the old one, so
that Dask can compute any of them again after it has lost a worker.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._calls import VALUE_ANSWERS, Options
from .._index import Index, build
from .._kinds import Kind
from .._lists import Array
from .._query import Query
from ._columns import Columns, as_included, as_keys, concat, like, nbytes, nulls, size, take
from ._queries import Partial, Request, valued, with_global_rows
from ._queries import answer as answer_query

INNER = 64
"""Keys of a partition that the client keeps."""


class Meta(NamedTuple):
    """Facts about a partition that the client keeps."""

    rows: int
    """Rows that it holds, null and erased ones included."""
    valid: int
    nulls: int
    bytes: int
    first: Columns
    """The smallest key, and none in an empty partition."""
    last: Columns
    inner: Columns
    """Keys at equal distances in the order of keys, from the smallest one on."""
    spec: str
    worker: str = ""
    """The address of a worker that holds it."""


class Partition:
    """Rows in ascending order, so that ties between equal keys are those of the whole column."""

    def __init__(self, index: Index, rows: Array | None, keys: Columns, values: Columns | None,
                 erased: Array | None = None):
        self.index = index
        self.rows = rows
        """The global row of each local one; None if they are the same."""
        self.keys = keys
        self.values = values
        """Included values."""
        self.erased = erased
        """Which local rows are erased; None if none is."""

    @staticmethod
    def build(spec: str, rows: Array | None, keys: Columns, values: Columns | None,
              names: tuple[str, ...]) -> Partition:
        include = None if values is None else as_included(values, names)
        return Partition(build(as_keys(keys), spec, include), rows, keys, values)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the included columns."""
        return tuple(self.index.included)

    def __len__(self) -> int:
        return size(self.keys)

    def __sizeof__(self) -> int:
        """For Dask, which moves and spills partitions by their size."""
        held = self.index.memory_usage().resident + nbytes(self.keys)
        held += 0 if self.rows is None else self.rows.nbytes
        held += 0 if self.values is None else nbytes(self.values)
        return int(held + (0 if self.erased is None else self.erased.nbytes))

    def meta(self) -> Meta:
        valid = self.index.valid
        ranks = np.arange(min(valid, INNER)) * valid // max(min(valid, INNER), 1)
        rows = np.asarray(self.index.select(np.append(ranks, [valid - 1] if valid else []).astype(
            np.int64))).astype(np.int64)
        return Meta(len(self), valid, len(self.index.nulls()), self.__sizeof__(),
                    take(self.keys, rows[:1]), take(self.keys, rows[-1:]),
                    take(self.keys, rows[:-1]), self.index.spec)

    def answer(self, query: Query, request: Request, values: Any = None) -> Partial:
        if query.filter is not None:
            query = replace(query, filter=query.filter[self.global_rows()])
        partial = answer_query(self.index, query, request, values)
        if not VALUE_ANSWERS.isdisjoint(request.answers):
            held = (values,) if values is not None else self._column(request.included)
            missing = None if held is None else nulls(held)
            if missing is not None or "mean" in request.answers:
                partial["valued"] = valued(self.index, query, missing)
        return with_global_rows(partial, self.rows)

    def ends(self, mask: Array) -> tuple[Columns, Columns]:
        """The smallest and the largest key of the rows of a mask; no key without such rows."""
        query = Query.range(None, None, filter=mask[self.global_rows()])
        rows = [self.index._answer(query, Kind(), "rows", Options(limit=1, order=order)).rows
                for order in ("key", "-key")]
        return take(self.keys, rows[0]), take(self.keys, rows[1])

    def global_rows(self) -> Array:
        return np.arange(len(self), dtype=np.uint32) if self.rows is None else self.rows

    def locate(self, rows: Array) -> Array:
        """The local row of each global one; -1 if it is not here or erased."""
        if self.rows is None:
            local = rows.astype(np.int64)
            found = rows < len(self)
        else:
            local = np.searchsorted(self.rows, rows).astype(np.int64)
            found = local < self.rows.size
            found[found] = self.rows[local[found]] == rows[found]
        if self.erased is not None:
            found[found] = ~self.erased[local[found]]
        return np.where(found, local, -1)

    def nulls(self) -> Array:
        local = self.index.nulls()
        if self.erased is not None:
            local = local[~self.erased[local]]
        return self.global_rows()[local].astype(np.uint64)

    def inserted(self, rows: Array, keys: Columns, values: Columns | None) -> Partition:
        """With more rows, which are ascending."""
        if not rows.size:
            return self
        kept = like(keys, self.keys)
        mine = self.global_rows()
        if len(self) and rows[0] < mine[-1]:
            return self._with_rows_between(rows, kept, values)
        index = self.index.snapshot()
        index.insert(as_keys(keys),
                     None if values is None else as_included(values, self.names))
        all_rows = None if self.rows is None and rows[0] == len(self) and (
            rows[-1] == len(self) + rows.size - 1) else _ascending([mine, rows])
        return Partition(index, all_rows, concat([self.keys, kept]), self._values(values),
                         _grown(self.erased, rows.size))

    def erased_rows(self, local: Array) -> Partition:
        if not local.size:
            return self
        index = self.index.snapshot()
        index.erase(local)
        gone = np.zeros(len(self), bool) if self.erased is None else self.erased.copy()
        gone[local] = True
        changed = Partition(index, self.rows, self.keys, self.values, gone)
        return changed.merged() if 2 * np.count_nonzero(gone) > len(self) else changed

    def updated(self, local: Array, keys: Columns) -> Partition:
        if not local.size:
            return self
        index = self.index.snapshot()
        index.update(local, as_keys(keys))
        positions = np.arange(len(self))
        positions[local] = len(self) + np.arange(local.size)
        both = concat([self.keys, like(keys, self.keys)])
        return Partition(index, self.rows, take(both, positions), self.values, self.erased)

    def with_values(self, local: Array, values: Columns, name: str) -> Partition:
        """With new values of one included column."""
        if not local.size or self.values is None:
            return self
        index = self.index.snapshot()
        index.set_included(local, values[0], name)
        column = self.names.index(name) if name else 0
        positions = np.arange(len(self))
        positions[local] = len(self) + np.arange(local.size)
        old = self.values[column:column + 1]
        both = take(concat([old, like(values, old)]), positions)
        return Partition(index, self.rows, self.keys,
                         (*self.values[:column], *both, *self.values[column + 1:]), self.erased)

    def merged(self) -> Partition:
        """Built again, without the rows that are erased."""
        if self.erased is None:
            index = self.index.snapshot()
            index.merge()
            return Partition(index, self.rows, self.keys, self.values)
        return self._chosen(np.flatnonzero(~self.erased))

    def halves(self) -> tuple[Partition, Partition, Columns, int]:
        """Two partitions with half of the valid rows each, and the (key, row) that is the first of
        the second one."""
        valid = self.index.valid
        order = np.asarray(self.index.select(np.arange(valid))).astype(np.int64)
        middle = order[valid // 2]
        right = np.sort(order[valid // 2:])
        left = np.ones(len(self), bool)
        left[right] = False
        if self.erased is not None:
            left &= ~self.erased
        return (self._chosen(np.flatnonzero(left)), self._chosen(right),
                take(self.keys, np.array([middle])), int(self.global_rows()[middle]))

    def _chosen(self, local: Array) -> Partition:
        values = None if self.values is None else take(self.values, local)
        return Partition.build(self.index.spec, self.global_rows()[local], take(self.keys, local),
                               values, self.names)

    def _with_rows_between(self, rows: Array, keys: Columns, values: Columns | None) -> Partition:
        """Rows that come from another partition keep their position in the order of rows, for which
        the index is built again."""
        every = _ascending([self.global_rows(), rows])
        alive = np.ones(every.size, bool)
        if self.erased is not None:
            alive[:len(self)] = ~self.erased
        order = np.argsort(every, kind="stable")
        order = order[alive[order]]
        both = self._values(values)
        return Partition.build(self.index.spec, every[order],
                               take(concat([self.keys, keys]), order),
                               None if both is None else take(both, order), self.names)

    def _column(self, name: str) -> Columns | None:
        """The included column of this name; the only one for an empty name."""
        if self.values is None:
            return None
        column = self.names.index(name) if name else 0
        return self.values[column:column + 1]

    def _values(self, values: Columns | None) -> Columns | None:
        if self.values is None or values is None:
            return self.values
        return concat([self.values, like(values, self.values)])


def small_rows(rows: Array, max_row: int) -> Array:
    """Rows of 32 bits, if no row is greater."""
    return rows.astype(row_type(max_row), copy=False)


def row_type(max_row: int) -> Any:
    """The type of rows up to `max_row`; all ones are a miss."""
    return np.uint32 if max_row < 2**32 - 1 else np.uint64


def _ascending(pieces: list[Array]) -> Array:
    max_row = max((int(piece.max()) for piece in pieces if piece.size), default=0)
    return np.concatenate([small_rows(piece, max_row) for piece in pieces])


def _grown(erased: Array | None, count: int) -> Array | None:
    return None if erased is None else np.append(erased, np.zeros(count, bool))
