"""The calls of an index that answer lookups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, overload

import numpy as np

from . import _core
from ._calls import Batch, Options
from ._calls import answer as answer_call
from ._calls import matched as matched_lookups
from ._columns import column as column_of
from ._columns import is_scalar
from ._errors import InvalidArgumentError
from ._joins import join as join_call
from ._kinds import kind_of
from ._lists import Array
from ._results import Join
from ._tolerance import tolerance_of
from ._types import INTEGERS, ColumnType, known_parts

AnswerName = Literal["any", "first", "count", "sum", "min", "max", "rows"]
NearestName = Literal["any", "first", "count", "sum", "min", "max", "rows", "key"]
DirectionName = Literal["backward", "forward", "nearest"]
EndsName = Literal["[]", "[)", "(]", "()"]
OrderName = Literal["key", "-key"]
JoinName = Literal["inner", "left", "semi", "anti"]

_DIRECTIONS = ("backward", "forward", "nearest")
_ENDS = ("[]", "[)", "(]", "()")


class LookupCalls:
    """What an index answers. All calls take one lookup or a batch of them, in any kind of object
    that holds a column, and answer in objects of the same kind."""

    __slots__ = ("_core", "_lower", "_neighbour", "_point", "_type", "_upper", "time_unit", "type")

    def __init__(self, core: _core.Index):
        self._core = core
        self.type: str = core.type
        """The type of the column, such as "int64" or "string"."""
        self.time_unit: str = core.unit
        """The unit of a column of timestamps ("us"); empty for other types."""
        self._type = ColumnType(self.type, core.unit, known_parts(core.part_types, core.unit))
        self._point, self._neighbour = self._type.for_points(), self._type.for_neighbours()
        self._lower = {"[": self._type.for_ends(1), "(": self._type.for_ends(1, is_open=True)}
        self._upper = {"]": self._type.for_ends(-1), ")": self._type.for_ends(-1, is_open=True)}

    def lookup(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               order: OrderName | None = None, miss: Any = None, out: Array | None = None,
               counters: bool = False) -> Any:
        """Answers a batch of point lookups: which rows hold a key equal to `keys[i]`?

        keys: one key, or a batch of keys. Composite keys may have fewer parts than the column: then
            they match all keys that begin with these parts.
        answer: one name, or several for an `Answers` with an attribute each.
        values: the value column of sum, min and max, one value per row (`len(index)` of them);
            None takes the included values.
        matched: add a boolean array of the lookups that matched.
        limit: the maximum number of rows that "rows" returns per lookup.
        order: "key" sorts the rows of each lookup by key, equal keys by rowID; "-key" is the
            reverse. `limit` returns the first ones in this order.
        miss: the result of sum, min and max for a lookup without a match.
        out: a NumPy array that receives the answer.
        counters: add `Answers.counters`, which counts rays, cells and hits (rx).
        """
        found = column_of(keys, self._point)
        batch = Batch(_core.Lookups.points(found), ((found, keys),))
        return answer_call(self._core, batch, self._kind(keys), answer,
                           Options(values, matched, limit, order, miss, out, counters))

    def range(self, lower: Any = None, upper: Any = None,
              answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
              ends: EndsName = "[]", matched: bool = False, limit: int | None = None,
              order: OrderName | None = None, miss: Any = None, out: Array | None = None,
              counters: bool = False) -> Any:
        """Answers a batch of range lookups: which rows hold a key from `lower[i]` to `upper[i]`?

        lower, upper: the ends. None leaves that end of all ranges out; None inside a batch is a
            null, and matches nothing.
        ends: which ends are included, as in mathematics: "[]" both, "[)" the lower, "(]" the upper,
            "()" none.

        The other arguments are those of `lookup`.
        """
        lookups, sources = self._ranges(lower, upper, ends)
        # Without an end there is one range, from the first key to the last.
        kind = self._kind(0 if not sources else sources[0][1])
        return answer_call(self._core, Batch(lookups, sources), kind, answer,
                           Options(values, matched, limit, order, miss, out, counters))

    def starts_with(self, prefixes: Any, answer: AnswerName | Sequence[AnswerName] = "any",
                    values: Any = None, *, matched: bool = False, limit: int | None = None,
                    order: OrderName | None = None, miss: Any = None,
                    out: Array | None = None) -> Any:
        """Answers a batch of prefixes: which rows of a column of strings start with `prefixes[i]`?

        The other arguments are those of `lookup`. For the first parts of composite keys, use
        `lookup` with fewer parts.
        """
        if self.type == "composite":
            raise InvalidArgumentError("starts_with takes a column of strings, and this index is "
                                       "over composite keys: use lookup with their first parts, "
                                       "such as lookup((city,))")
        found = column_of(prefixes, self._point)
        batch = Batch(_core.Lookups.prefixes(found), ((found, prefixes),))
        return answer_call(self._core, batch, self._kind(prefixes), answer,
                           Options(values, matched, limit, order, miss, out, False))

    def nearest(self, keys: Any, answer: NearestName | Sequence[NearestName] = "any",
                values: Any = None, direction: DirectionName = "backward", exact: bool = True,
                tolerance: Any = None, *, matched: bool = False, limit: int | None = None,
                order: OrderName | None = None, miss: Any = None, out: Array | None = None,
                counters: bool = False) -> Any:
        """Answers a batch of neighbours: which key of the column is closest to `keys[i]`?

        answer: "any" is the row of the neighbour, "key" its key. The others are about all rows that
            hold this key.
        direction: "backward" finds the greatest key that is not above, and the last row that holds
            it; "forward" the smallest key that is not below, and the first row; "nearest" the
            closer one of both, the one before if both are as close.
        exact: whether an equal key is a neighbour.
        tolerance: how far the neighbour may be away: an integer for integers, a number for floats,
            a duration for dates and timestamps (of datetime, NumPy, pandas or pyarrow).

        For composite keys, the last part is the one with an order; the parts before it must be
        equal. Nulls are never neighbours. The other arguments are those of `lookup`.
        """
        lookups, sources = self._neighbours(keys, direction, exact, tolerance)
        return answer_call(self._core, Batch(lookups, sources, self._type), self._kind(keys),
                           answer, Options(values, matched, limit, order, miss, out, counters))

    def rank(self, keys: Any) -> Any:
        """How many rows hold a key less than `keys[i]`; 0 for a null."""
        found = column_of(keys, self._lower["["])
        if found.rounded:  # numbers beyond the column's type have a rank, too
            return self.range(None, keys, "count", ends="[)")
        return self._kind(keys).array(self._core.rank(found))

    def select(self, ranks: Any) -> Any:
        """The row of each rank, where rows are sorted by key, equal keys by rowID, and the first
        has rank 0; a miss beyond the last one. Null keys are not counted.

        `index.select(index.live // 2)` is the row of the median.
        """
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
        if not is_scalar(key) and not (self.type == "composite" and isinstance(key, tuple)):
            raise InvalidArgumentError(f"`in` takes one key, got {type(key).__name__}: look up "
                                       "several with lookup(keys, matched=True)")
        if isinstance(key, tuple) and len(key) < len(self._type.parts):
            raise InvalidArgumentError(f"`in` expected a key of {len(self._type.parts)} parts, "
                                       f"got {len(key)}: use lookup to match its first parts")
        lookups = _core.Lookups.points(column_of(key, self._point))
        return bool(matched_lookups(self._core, lookups).all())

    @overload
    def join(self, keys: Any, how: JoinName = ...) -> Join: ...
    @overload
    def join(self, keys: Any, how: JoinName = ..., *, batch_rows: int) -> Iterator[Join]: ...
    def join(self, keys: Any, how: JoinName = "inner", *, batch_rows: int | None = None) -> Any:
        """Joins a batch of keys with the column.

        "inner" returns every pair of a lookup and a matching row; "left" adds lookups without a
        match, once, with a null (in NumPy: `MISS`); "semi" returns the lookups with a match, "anti"
        those without.

        batch_rows: return an iterator of parts of at most so many pairs, for joins that are larger
            than memory.
        """
        lookups = _core.Lookups.points(column_of(keys, self._point))
        return join_call(self._core, lookups, keys, self._kind(keys), how, batch_rows)

    @overload
    def join_range(self, lower: Any = ..., upper: Any = ..., how: JoinName = ...,
                   ends: EndsName = ...) -> Join: ...
    @overload
    def join_range(self, lower: Any = ..., upper: Any = ..., how: JoinName = ...,
                   ends: EndsName = ..., *, batch_rows: int) -> Iterator[Join]: ...
    def join_range(self, lower: Any = None, upper: Any = None, how: JoinName = "inner",
                   ends: EndsName = "[]", *, batch_rows: int | None = None) -> Any:
        """Joins a batch of ranges with the rows whose key is in them.

        The ends are those of `range`, the other arguments and the result those of `join`.
        """
        lookups, sources = self._ranges(lower, upper, ends)
        data = sources[0][1] if sources else []
        return join_call(self._core, lookups, data, self._kind(data), how, batch_rows)

    @overload
    def join_asof(self, keys: Any, direction: DirectionName = ..., exact: bool = ...,
                  tolerance: Any = ..., how: JoinName = ...) -> Join: ...
    @overload
    def join_asof(self, keys: Any, direction: DirectionName = ..., exact: bool = ...,
                  tolerance: Any = ..., how: JoinName = ..., *,
                  batch_rows: int) -> Iterator[Join]: ...
    def join_asof(self, keys: Any, direction: DirectionName = "backward", exact: bool = True,
                  tolerance: Any = None, how: JoinName = "left", *,
                  batch_rows: int | None = None) -> Any:
        """Joins each key with the row of its neighbour, such as the last quote before each trade.

        direction, exact and tolerance are those of `nearest`, the other arguments and the result
        those of `join`. The keys need not be sorted.
        """
        lookups, _ = self._neighbours(keys, direction, exact, tolerance)
        return join_call(self._core, lookups, keys, self._kind(keys), how, batch_rows,
                         one_row=True)

    def _kind(self, data: Any) -> Any:
        return kind_of(data, self.type == "composite")

    def _ranges(self, lower: Any, upper: Any, ends: Any) -> tuple[_core.Lookups, Any]:
        """The ranges, and the columns and objects of the ends that are given."""
        if not isinstance(ends, str) or ends not in _ENDS:
            raise InvalidArgumentError(f"invalid ends={ends!r}: expected \"[]\", \"[)\", \"(]\" or "
                                       "\"()\"")
        low = None if lower is None else column_of(lower, self._lower[ends[0]])
        high = None if upper is None else column_of(upper, self._upper[ends[1]])
        sources = tuple(pair for pair in ((low, lower), (high, upper)) if pair[0] is not None)
        return _core.Lookups.ranges(low, high, ends), sources

    def _neighbours(self, keys: Any, direction: Any, exact: Any,
                    tolerance: Any) -> tuple[_core.Lookups, Any]:
        if not isinstance(direction, str) or direction not in _DIRECTIONS:
            raise InvalidArgumentError(f"invalid direction={direction!r}: expected backward, "
                                       "forward or nearest")
        if not isinstance(exact, (bool, np.bool_)):
            raise InvalidArgumentError(f"invalid exact={exact!r}: expected True or False")
        found = column_of(keys, self._neighbour)
        lookups = _core.Lookups.neighbours(found, direction, bool(exact),
                                           tolerance_of(tolerance, self._type))
        return lookups, ((found, keys),)
