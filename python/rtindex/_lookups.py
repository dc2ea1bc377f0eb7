"""The calls of an index that answer queries."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._calls import MAX_BITMAP_BYTES, Options, row_miss
from ._calls import answer as answer_call
from ._categories import positions_of, reject, require_no_order
from ._columns import column as column_of
from ._columns import mask_column
from ._error_texts import named_errors
from ._errors import InvalidArgumentError
from ._filter import Between, IsIn, PointFilter, data_of
from ._interval_queries import bound_interval_query
from ._kinds import Kind, kind_of
from ._lists import Array, is_missing
from ._names import is_scalar
from ._overloads import (
    AnswerName,
    NearestName,
    OrderName,
    filter_call,
    keys_call,
    nearest_call,
    query_call,
    ranges_call,
)
from ._progress import Progress, reporting
from ._query import (
    DirectionName,
    EndsName,
    Query,
    broadcast,
    require_column,
    require_ends,
    require_query,
    require_shape,
)
from ._results import Answers, Rows
from ._tolerance import tolerance_of
from ._types import FLOATS, INTEGERS, WIDE_INTEGERS, ColumnType, known_parts
from ._wide import closed_ends, next_integers

# Single keys that have a short way into the index.
_ONE_KEY = frozenset((int, float, str, datetime.datetime, tuple))
_DIRECTIONS = ("backward", "forward", "nearest")


class LookupCalls:
    """The queries of an index. Keys are one key or a batch of them, in any kind of object that
    holds a column; answers are objects of the same kind."""

    __slots__ = ("_box", "_core", "_interval_point", "_lower", "_neighbour", "_one", "_point",
                 "_points", "_reordered", "_small", "_type", "_upper", "interval_ends", "names", "time_unit",
                 "type")

    def __init__(self, core: _core.Index):
        self._core = core
        self.type: str = core.type
        """The type of the column, such as "int64" or "string"."""
        self.time_unit: str = core.unit
        """The unit of a column of timestamps ("us"); empty for other types."""
        texts = core.metadata
        nan_as_null = {"": None, "0": False, "1": True}[texts.get("nan_as_null", "")]
        zones = texts.get("time_zones", "")
        self.names: tuple[str, ...] = tuple(json.loads(texts.get("names", "[]")))
        """The names of the columns that the index was built over; empty where they had none."""
        parts = known_parts(core.part_types, core.unit, core.scales, zones, nan_as_null)
        self._type = ColumnType(self.type, core.unit, parts, scale=core.scales[0],
                                zone="" if parts else zones, nan_as_null=nan_as_null,
                                names=self.names, are_keys=True)
        self.interval_ends: str = core.interval_ends
        """Which ends belong to the intervals of the column, such as "[)"; empty for keys."""
        self._points = PointFilter(self.names, parts) if core.holds_points else None
        if self._points is not None:
            self.names = self._points.names
        self._reordered = positions_of(texts.get("ordered_categories", ""))
        self._interval_point = self._type.for_interval_points() if self.interval_ends else None
        self._point = self._type.for_points()
        self._neighbour: dict[tuple[str, bool, bool], ColumnType] = {}
        self._lower = {"[": self._type.for_ends(1), "(": self._type.for_ends(1, is_open=True)}
        leaves = parts or (self._type,)
        has_one = not (self.interval_ends or core.holds_points or self._reordered)
        units, zoned = [part.unit for part in leaves], [bool(part.zone) for part in leaves]
        self._one = None if not has_one else _core.OneKey(core, units, zoned)
        plain = {name: held for name, held, time in core.included
                 if not time and held in INTEGERS + FLOATS}
        has_small = self._one is not None and self.type in INTEGERS + FLOATS and not nan_as_null
        self._small = None if not has_small else _core.SmallBatches(core, plain, Rows, Answers)
        has_box = self._points is not None and not self._reordered
        self._box = None if not has_box else _core.OneBox(core, self.names, units, zoned, Between,
                                                          IsIn)
        self._upper = {"]": self._type.for_ends(-1), ")": self._type.for_ends(-1, is_open=True)}

    @query_call
    def answer(self, query: Query, answer: NearestName | Sequence[NearestName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               counters: bool = False, progress: Progress = None,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """Answers a batch of queries of any kind, such as `Query.range(lower, upper)`.

        answer: one name, or several for an `Answers` with an attribute each. For "nearest", "any"
            is the row of the neighbour and "key" its key; the others are about all rows that hold
            this key. "bitmap" is a mask of the rows that match any query, "bitmaps" has one for
            each query.
        values: the value column of sum, mean, min and max, one value per row (`len(index)` of
            them), or the name of an included column; None: the only included column. Null values are
            skipped.
        matched: add a boolean array of the queries that matched.
        limit: the maximum number of rows that "rows" returns per query.
        order: "key" sorts the rows of each query by key, equal keys by rowID; "-key" is the
            reverse. `limit` returns the first ones in this order.
        miss: the result of sum, mean, min and max for a query without a match or a value, and of
            any, first and last without a match: `miss=-1` returns rows as int64.
        out: a NumPy array that receives the answer.
        counters: add `Answers.counters`, which counts rays, cells and hits (rx).
        progress: as in `rtindex.progress`.
        max_bitmap_bytes: "bitmaps" that need more are an error; a byte for each query and row.
        """
        if progress is not None:
            with reporting(progress):
                return self.answer(query, answer, values, matched=matched, limit=limit,
                                   order=order, miss=miss, out=out, counters=counters,
                                   max_bitmap_bytes=max_bitmap_bytes)
        kind = self._kind(require_query(query))
        if order is not None and self._reordered:
            reject("order")
        options = Options(values, matched, limit, order, miss, out, counters,
                          row_miss(answer, miss), max_bitmap_bytes)
        if self._points is None:
            return self._answer(query, kind, answer, options)
        with named_errors(self._points.names):
            return self._answer(query, kind, answer, options)

    @keys_call
    def lookup(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               counters: bool = False, filter: Any = None, progress: Progress = None,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.equal(keys)`: which rows hold a key equal to `keys[i]`?"""
        if (not matched and limit is None and order is None and miss is None and out is None
                and not counters and filter is None and progress is None):
            found: Any = NotImplemented
            if type(keys) is np.ndarray:
                if self._small is not None:
                    found = self._small.lookup(keys, answer, values)
            elif (type(keys) in _ONE_KEY and self._one is not None and isinstance(answer, str)
                  and values is None):
                found = self._one.lookup(keys, answer)
            if found is not NotImplemented:
                return found
        return self.answer(Query.equal(keys, filter=filter), answer, values, matched=matched, limit=limit,
                           order=order, miss=miss, out=out, counters=counters, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @ranges_call
    def range(self, lower: Any = None, upper: Any = None,
              answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
              ends: EndsName = "[]", matched: bool = False, limit: int | None = None,
              order: OrderName | None = None, miss: Any = None, out: Array | None = None,
              counters: bool = False, filter: Any = None, progress: Progress = None,
              max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.range(lower, upper, ends)`: which rows hold a key from `lower[i]` to
        `upper[i]`?"""
        if (self._small is not None and type(lower) is np.ndarray and type(upper) is np.ndarray
                and not matched and limit is None and order is None and miss is None
                and out is None and not counters and filter is None and progress is None):
            require_ends(ends)
            found = self._small.range(lower, upper, ends, answer, values)
            if found is not NotImplemented:
                return found
        return self.answer(Query.range(lower, upper, ends, filter=filter), answer, values, matched=matched,
                           limit=limit, order=order, miss=miss, out=out, counters=counters, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @keys_call
    def starts_with(self, prefixes: Any, answer: AnswerName | Sequence[AnswerName] = "any",
                    values: Any = None, *, matched: bool = False, limit: int | None = None,
                    order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                    counters: bool = False, filter: Any = None, progress: Progress = None,
                    max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.prefix(prefixes)`: which rows of a column of strings start with
        `prefixes[i]`? For the first parts of composite keys, use `lookup` with fewer parts."""
        return self.answer(Query.prefix(prefixes, filter=filter), answer, values, matched=matched, limit=limit,
                           order=order, miss=miss, out=out, counters=counters, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @nearest_call
    def nearest(self, keys: Any, answer: NearestName | Sequence[NearestName] = "any",
                values: Any = None, direction: DirectionName = "backward", exact: bool = True,
                tolerance: Any = None, *, matched: bool = False, limit: int | None = None,
                order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                counters: bool = False, filter: Any = None, progress: Progress = None,
                max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.nearest(keys, direction, exact, tolerance)`: which key of the column
        is closest to `keys[i]`?"""
        if (type(keys) in _ONE_KEY and self._one is not None and answer == "any"
                and tolerance is None and values is None and not matched and limit is None
                and order is None and miss is None and out is None and not counters
                and filter is None and progress is None and type(exact) is bool
                and direction in _DIRECTIONS):
            found = self._one.nearest(keys, direction, exact)
            if found is not NotImplemented:
                return found
        return self.answer(Query.nearest(keys, direction, exact, tolerance, filter=filter), answer, values,
                           matched=matched, limit=limit, order=order, miss=miss, out=out,
                           counters=counters, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @keys_call
    def contains(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
                 values: Any = None, *, matched: bool = False, limit: int | None = None,
                 order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                 filter: Any = None, progress: Progress = None,
                 max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.contains(keys)`: which intervals contain `keys[i]`?"""
        return self.answer(Query.contains(keys, filter=filter), answer, values, matched=matched,
                           limit=limit, order=order, miss=miss, out=out, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @ranges_call
    def overlaps(self, lower: Any = None, upper: Any = None,
                 answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
                 ends: EndsName = "[]", matched: bool = False, limit: int | None = None,
                 order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                 filter: Any = None, progress: Progress = None,
                 max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.overlaps(lower, upper, ends)`: which intervals have a point in common
        with the range from `lower[i]` to `upper[i]`?"""
        return self.answer(Query.overlaps(lower, upper, ends, filter=filter), answer, values,
                           matched=matched, limit=limit, order=order, miss=miss, out=out, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @ranges_call
    def within(self, lower: Any = None, upper: Any = None,
               answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
               ends: EndsName = "[]", matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               filter: Any = None, progress: Progress = None,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.within(lower, upper, ends)`: which intervals lie within the range from
        `lower[i]` to `upper[i]`?"""
        return self.answer(Query.within(lower, upper, ends, filter=filter), answer, values,
                           matched=matched, limit=limit, order=order, miss=miss, out=out, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @ranges_call
    def covers(self, lower: Any, upper: Any = None, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, ends: EndsName = "[]", matched: bool = False,
               limit: int | None = None, order: OrderName | None = None, miss: Any = None,
               out: Array | None = None, filter: Any = None, progress: Progress = None,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.covers(lower, upper, ends)`: which intervals contain all of the range
        from `lower[i]` to `upper[i]`?"""
        return self.answer(Query.covers(lower, upper, ends, filter=filter), answer, values,
                           matched=matched, limit=limit, order=order, miss=miss, out=out, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    @filter_call
    def filter(self, conditions: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               miss: Any = None, out: Array | None = None, filter: Any = None, progress: Progress = None,
               max_bitmap_bytes: int = MAX_BITMAP_BYTES) -> Any:
        """`answer` of `Query.box(conditions)`: which rows meet conditions on several columns?

            >>> sales.filter({"price": (10, 20), "day": ("2024-01-01", None), "store": 7}, "count")
        """
        if (self._box is not None and isinstance(answer, str) and values is None and not matched
                and limit is None and miss is None and out is None and filter is None
                and progress is None):
            found = self._box.filter(conditions, answer)
            if found is not NotImplemented:
                return found
        return self.answer(Query.box(conditions, filter=filter), answer, values, matched=matched,
                           limit=limit, miss=miss, out=out, progress=progress,
                           max_bitmap_bytes=max_bitmap_bytes)

    def rank(self, keys: Any) -> Any:
        """How many rows hold a key less than `keys[i]`; 0 for a null."""
        if self._reordered:
            reject("rank")
        if self.type in WIDE_INTEGERS and next_integers(keys, 0) is not None:
            query = Query.range(None, keys, "[)")  # whose ends may have any size
            counts: Array = self._answer(query, Kind(), "count", Options())
            return kind_of(keys, False).array(counts.astype(np.uint32))
        found = column_of(keys, self._lower["["])
        if found.rounded:  # numbers beyond the column's type have a rank, too
            return self.range(None, keys, "count", ends="[)")
        return kind_of(keys, self.type == "composite").array(self._core.rank(found))

    def select(self, ranks: Any) -> Any:
        """The row of each rank, where rows are sorted by key, equal keys by rowID, and the first
        has rank 0; a miss beyond the last one. Null keys are not counted.

        `index.select(index.valid // 2)` is the row of the median.
        """
        if self._reordered:
            reject("select")
        found = column_of(ranks, ColumnType("int64", ""))
        if found.type not in INTEGERS or found.type == "bool":
            raise InvalidArgumentError(f"invalid ranks of type {found.type}: expected integers")
        rows: Any = self._core.select(found)
        kind = kind_of(ranks)
        validity = np.packbits(rows != _core.MISS, bitorder="little") if kind.has_nulls else None
        return kind.array(rows, validity)

    def nulls(self) -> Array:
        """The rows whose key is null, ascending."""
        return np.asarray(self._core.nulls())

    def __contains__(self, key: Any) -> bool:
        """Whether a row holds the key: one key, a tuple for a composite column."""
        if type(key) in _ONE_KEY and self._one is not None:
            found = self._one.contains(key)
            if found is not NotImplemented:
                return bool(found)
        if is_missing(key):
            return False
        if not is_scalar(key) and not (self.type == "composite" and isinstance(key, tuple)):
            raise InvalidArgumentError(f"`in` expects one key, got {type(key).__name__}: look up "
                                       "several with lookup(keys, matched=True)")
        if isinstance(key, tuple) and len(key) < len(self._type.parts):
            raise InvalidArgumentError(f"`in` expected a key of {len(self._type.parts)} parts, "
                                       f"got {len(key)}: use lookup to match its first parts")
        return bool((self._rows(Query.equal(key)) != _core.MISS).all())

    def _kind(self, query: Query) -> Kind:
        point = self._interval_point or self._type
        return kind_of(data_of(query), point.type == "composite")

    def _answer(self, query: Query, kind: Kind, answer: Any, options: Options) -> Any:
        """The answers in objects of this kind, whichever objects hold the query."""
        return answer_call(self._core, query, self._bound(query), self._type, kind, answer, options)

    def _rows(self, query: Query) -> Array:
        """One row of each query, or MISS, in a NumPy array."""
        rows: Array = self._answer(query, Kind(), "any", Options())
        return rows

    def _bound(self, query: Query) -> _core.Query:
        """The query with its columns in the type of the indexed one."""
        bound = self._with_columns(query)
        if query.filter is not None:
            bound.restrict(mask_column(query.filter))
        return bound

    def _with_columns(self, query: Query) -> _core.Query:
        if self._points is not None:
            return self._points.bound(query, self._reordered)
        if self._reordered:
            require_no_order(self._reordered, query, len(self._type.parts))
        if query.kind == "equal" and self._interval_point is None:
            return _core.Query("equal", column_of(query.lower, self._point))
        if query.kind == "range" and self._interval_point is None:
            start, stop, ends = query.lower, query.upper, query.ends
            if self.type in WIDE_INTEGERS and ends != "[]":
                start, stop, ends = closed_ends(start, stop, ends)
            low, high = ends
            lower = None if start is None else column_of(start, self._lower[low])
            upper = None if stop is None else column_of(stop, self._upper[high])
            lower, upper = broadcast(query, lower, upper)
            return _core.Query("range", lower, upper, ends)
        require_shape(query, self.interval_ends)
        if self._interval_point is not None:
            if query.kind == "nearest":
                return self._bound_nearest(query, self._type.interval_points())
            return bound_interval_query(query, self._type, self.interval_ends)
        if query.kind == "nearest":
            return self._bound_nearest(query, self._type)
        require_column(query, self.type)
        point = self._point if self.type == "string" else None  # which the library rejects
        return _core.Query("prefix", column_of(query.lower, point))

    def _bound_nearest(self, query: Query, keys_type: ColumnType) -> _core.Query:
        """`keys_type`: of the indexed keys, or of the points of the indexed intervals."""
        exact, stepped = bool(query.exact), None
        if (self.type in WIDE_INTEGERS and not exact and query.tolerance is None
                and query.direction != "nearest"):
            stepped = next_integers(query.lower, -1 if query.direction == "backward" else 1)
        if stepped is not None:
            exact = True
            keys = column_of(stepped, keys_type.for_neighbours(query.direction))
        elif self._interval_point is None:
            keys = column_of(query.lower, self._neighbour_of(query))
        else:
            keys = column_of(query.lower, keys_type.for_interval_neighbours())
        # Rounded keys are neighbours themselves, with or without `exact`.
        return _core.Query("nearest", keys, None, "[]", query.direction,
                           exact or keys.rounded,
                           tolerance_of(query.tolerance, keys_type))

    def _neighbour_of(self, query: Query) -> ColumnType:
        settings = query.direction, bool(query.exact), query.tolerance is not None
        if settings not in self._neighbour:
            self._neighbour[settings] = self._type.for_neighbours(*settings)
        return self._neighbour[settings]
