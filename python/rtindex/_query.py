"""Queries: one value describes a batch, whatever it searches for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError
from ._names import is_one

QueryName = Literal["equal", "range", "prefix", "nearest", "contains", "overlaps", "within",
                    "covers", "box"]
EndsName = Literal["[]", "[)", "(]", "()"]
DirectionName = Literal["backward", "forward", "nearest"]

_KINDS = ("equal", "range", "prefix", "nearest", "contains", "overlaps", "within", "covers",
          "box")
INTERVAL_KINDS = _KINDS[4:8]
"""Of queries that search intervals."""
CLOSED: dict[str, EndsName] = {"both": "[]", "left": "[)", "right": "(]", "neither": "()"}
"""Ends of intervals of pandas."""
_ENDS = ("[]", "[)", "(]", "()")
_DIRECTIONS = ("backward", "forward", "nearest")


@dataclass(frozen=True, eq=False, init=False)
class Query:
    """A batch of queries of one kind, for `Index.answer`, `join` and `join_batches`.

        >>> index.answer(rtindex.Query.range(23, 25), "count")
        2

    It holds the caller's objects as they are: one key or a batch of keys, in any kind of object
    that holds a column. All constructors take a `filter`.
    """

    kind: QueryName
    lower: Any = None
    """The keys, the prefixes, or the lower ends of ranges."""
    upper: Any = None
    """The upper ends of ranges."""
    ends: EndsName = "[]"
    """Of ranges."""
    direction: DirectionName = "backward"
    """Of "nearest", as are `exact` and `tolerance`."""
    exact: bool = True
    tolerance: Any = None
    filter: Any = None
    """A mask of the rows that may match, one boolean for each row of the index; None: all rows."""

    def __init__(self, kind: QueryName, lower: Any = None, upper: Any = None,
                 ends: EndsName = "[]", direction: DirectionName = "backward", exact: bool = True,
                 tolerance: Any = None, filter: Any = None):
        if not isinstance(kind, str) or kind not in _KINDS:
            raise InvalidArgumentError(f"invalid kind={kind!r}: expected equal, range, prefix, "
                                       "nearest, contains, overlaps, within, covers or box")
        require_ends(ends)
        if not isinstance(direction, str) or direction not in _DIRECTIONS:
            raise InvalidArgumentError(f"invalid direction={direction!r}: expected backward, "
                                       "forward or nearest")
        if exact is not True and not isinstance(exact, (bool, np.bool_)):
            raise InvalidArgumentError(f"invalid exact={exact!r}: expected True or False")
        # The method that dataclass generates is half as fast.
        fields = self.__dict__
        fields["kind"], fields["lower"], fields["upper"], fields["ends"] = kind, lower, upper, ends
        fields["direction"], fields["exact"], fields["tolerance"] = direction, exact, tolerance
        fields["filter"] = filter

    @staticmethod
    def equal(keys: Any, *, filter: Any = None) -> Query:
        """Rows whose key equals `keys[i]`. Composite keys may have fewer parts than the column:
        then they match all keys that begin with these parts."""
        # Without the checks of settings, all of which have their defaults: lookups of one key make
        # a query each.
        query = object.__new__(Query)
        fields = query.__dict__
        fields["kind"], fields["lower"] = "equal", keys
        if filter is not None:
            fields["filter"] = filter
        return query

    @staticmethod
    def range(lower: Any = None, upper: Any = None, ends: EndsName = "[]", *,
              filter: Any = None) -> Query:
        """Rows whose key is between `lower[i]` and `upper[i]`.

        lower, upper: the ends. None leaves that end of all ranges out; None inside a batch is a
            null, and matches nothing.
        ends: which ends are included, as in mathematics: "[]" both, "[)" the lower, "(]" the upper,
            "()" none.
        """
        require_ends(ends)
        query = object.__new__(Query)  # as in equal()
        fields = query.__dict__
        fields["kind"], fields["lower"], fields["upper"], fields["ends"] = "range", lower, upper, ends
        if filter is not None:
            fields["filter"] = filter
        return query

    @staticmethod
    def prefix(prefixes: Any, *, filter: Any = None) -> Query:
        """Rows of a column of strings that begin with `prefixes[i]`."""
        return Query("prefix", prefixes, filter=filter)

    @staticmethod
    def nearest(keys: Any, direction: DirectionName = "backward", exact: bool = True,
                tolerance: Any = None, *, filter: Any = None) -> Query:
        """Rows that hold the neighbour of `keys[i]`: the closest key of the column.

        direction: "backward" finds the greatest key that is not above, and the last row that holds
            it; "forward" the smallest key that is not below, and the first row; "nearest" the
            closer one of both, the one before if both are as close.
        exact: whether an equal key is a neighbour.
        tolerance: how far the neighbour may be away: an integer for integers, a number for floats,
            a duration for dates and timestamps (of datetime, NumPy, pandas or pyarrow).

        For composite keys, the last part is the one with an order; the parts before it must be
        equal. Nulls are never neighbours.

        Over intervals: the closest ones, all of them, of which "any" is the one with the smallest
        row. Those that contain the key come first, unless `exact` is false; of a key in no interval,
        "backward" finds the greatest end before it, "forward" the least start behind it, and
        "nearest" the closer one of both, or both.
        """
        return Query("nearest", keys, None, "[]", direction, exact, tolerance, filter)

    @staticmethod
    def contains(keys: Any, *, filter: Any = None) -> Query:
        """Rows whose interval contains `keys[i]`. With leading columns (`by`), a key is a tuple of
        their values and the point, and a batch of keys a tuple of columns."""
        return Query("contains", keys, filter=filter)

    @staticmethod
    def overlaps(lower: Any = None, upper: Any = None, ends: EndsName = "[]", *,
                 filter: Any = None) -> Query:
        """Rows whose interval has a point in common with the range from `lower[i]` to `upper[i]`.

        lower, upper: the ends; None leaves that end of all ranges out. With leading columns both
            are tuples with the same leading values. One pandas.Interval is a range with its ends.
        ends: which ends belong to the ranges, whatever belongs to the intervals.
        """
        return Query("overlaps", *_range_of(lower, upper, ends), filter=filter)

    @staticmethod
    def within(lower: Any = None, upper: Any = None, ends: EndsName = "[]", *,
               filter: Any = None) -> Query:
        """Rows whose interval lies within the range from `lower[i]` to `upper[i]`."""
        return Query("within", *_range_of(lower, upper, ends), filter=filter)

    @staticmethod
    def covers(lower: Any, upper: Any = None, ends: EndsName = "[]", *, filter: Any = None) -> Query:
        """Rows whose interval contains all of the range from `lower[i]` to `upper[i]`."""
        return Query("covers", *_range_of(lower, upper, ends), filter=filter)

    @staticmethod
    def box(conditions: Any, *, filter: Any = None) -> Query:
        """Rows of points whose values meet all conditions, a dict by column: a tuple of two is a
        range (None: an open end), as is `rtindex.between`, which says which ends belong to it; any
        other value is one that must be equal; `rtindex.isin` and `rtindex.is_null` are what they
        say. Arrays in place of values make a batch."""
        return Query("box", conditions, filter=filter)


def _range_of(lower: Any, upper: Any, ends: EndsName) -> tuple[Any, Any, EndsName]:
    """The range of a pandas.Interval, or the one that was passed."""
    if upper is None and type(lower).__name__ == "Interval" and lower.closed in CLOSED:
        return lower.left, lower.right, CLOSED[lower.closed]
    return lower, upper, ends


def require_ends(ends: Any) -> None:
    if not isinstance(ends, str) or ends not in _ENDS:
        raise InvalidArgumentError(f"invalid ends={ends!r}: expected \"[]\", \"[)\", \"(]\" or "
                                   "\"()\"")


def query_of(query: Any) -> Query:
    """The query, or one for rows whose key equals that of `query`."""
    return query if isinstance(query, Query) else Query.equal(query)


def require_query(query: Any) -> Query:
    if not isinstance(query, Query):
        raise InvalidArgumentError("invalid query: expected an rtindex.Query, such as "
                                   f"Query.equal(keys), got {type(query).__name__}")
    return query


def require_shape(query: Query, interval_ends: str) -> None:
    """Refuses queries of keys on intervals, and of intervals or points on keys."""
    if query.kind == "box":
        raise InvalidArgumentError("filter searches points, and the index holds "
                                   f"{'intervals' if interval_ends else 'keys'}: build it over "
                                   "rtindex.points(frame)")
    if bool(interval_ends) == (query.kind in INTERVAL_KINDS) or query.kind == "nearest":
        return
    name = {"equal": "lookup", "prefix": "starts_with"}.get(query.kind, query.kind)
    if interval_ends:
        raise InvalidArgumentError(f"the index holds intervals, which {name} does not search: use "
                                   "contains, overlaps, within, covers or nearest")
    raise InvalidArgumentError(f"{name} searches intervals, and the index holds keys: build it over "
                               "rtindex.intervals(start, end, ends=...)")


def require_column(query: Query, column_type: str) -> None:
    """Refuses queries that no column of this type answers, where their keys would not say why."""
    if query.kind == "prefix" and column_type == "composite":
        raise InvalidArgumentError("expected a column of strings for prefixes, and this index is "
                                   "over composite keys: use lookup with their first parts, such "
                                   "as lookup((city,))")


def broadcast(query: Query, lower: Column | None,
               upper: Column | None) -> tuple[Column | None, Column | None]:
    """One end for all ranges where the other end is a batch."""
    if lower is None or upper is None or len(lower) == len(upper):
        return lower, upper
    if is_one(query.lower):
        lower = lower.repeated(len(upper))
    elif is_one(query.upper):
        upper = upper.repeated(len(lower))
    return lower, upper
