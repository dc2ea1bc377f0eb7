"""Conditions on the columns of points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _core
from ._categories import reject
from ._columns import column as column_of
from ._device import first_array, is_device_array
from ._errors import InvalidArgumentError
from ._lists import is_missing, is_nat
from ._names import is_one, is_scalar
from ._query import INTERVAL_KINDS, EndsName, Query, require_ends
from ._types import INTEGERS, WIDE_INTEGERS, ColumnType
from ._wide import closed_ends


class Between(NamedTuple):
    """The condition of `rtindex.between`."""

    lower: Any
    upper: Any
    ends: EndsName


class IsIn(NamedTuple):
    """The condition of `rtindex.isin`."""

    values: Any


class IsNull(NamedTuple):
    """The condition of `rtindex.is_null`."""


def between(lower: Any = None, upper: Any = None, ends: EndsName = "[]") -> Between:
    """The condition that a value lies between `lower` and `upper`; None leaves an end open.

    ends: which ends belong to the range: "[]" both, "[)" the lower, "(]" the upper, "()" none.
    """
    require_ends(ends)
    return Between(lower, upper, ends)


def isin(values: Any) -> IsIn:
    """The condition that a value equals one of several: a column, a list or a set."""
    if is_scalar(values) or values is None:
        raise InvalidArgumentError(f"isin expects several values, got {values!r}: pass a list, or "
                                   "the value itself as the condition")
    return IsIn([*values] if isinstance(values, (set, frozenset)) else values)


def is_null() -> IsNull:
    """The condition that a value is null."""
    return IsNull()


def data_of(query: Query) -> Any:
    """The object that decides which kind of objects answers are: the first batch. One key, a range
    without ends, and conditions without a batch are one query."""
    if query.kind == "box":
        return _batch_of(query.lower)
    if query.kind not in ("range", *INTERVAL_KINDS):
        return query.lower
    if query.upper is not None and is_one(query.lower):
        return query.upper
    return 0 if query.lower is None else query.lower


def device_array_of(query: Query) -> Any:
    """An array of a query in device memory."""
    data = data_of(query)
    if query.kind == "box" and not is_device_array(data):
        for condition in query.lower.values():
            if isinstance(condition, IsIn) and is_device_array(condition.values):
                data = condition.values
    return first_array(data)


def _batch_of(conditions: Any) -> Any:
    for condition in conditions.values() if _is_mapping(conditions) else ():
        if isinstance(condition, (IsIn, IsNull)):
            continue
        for end in condition[:2] if isinstance(condition, tuple) else (condition,):
            if type(end) is not int and end is not None and not is_scalar(end):
                return end
    return 0


def _is_mapping(conditions: Any) -> bool:
    return type(conditions) is dict or isinstance(conditions, Mapping)


class _PointColumn(NamedTuple):
    """A column of the points, as the ends of conditions are converted to it."""

    position: int
    name: str
    equal: ColumnType
    lower: dict[str, ColumnType]
    upper: dict[str, ColumnType]


class PointFilter:
    """The columns of an index over points, which conditions name."""

    __slots__ = ("_columns", "names", "types")

    def __init__(self, names: tuple[str, ...], types: tuple[ColumnType, ...]):
        self.names = names if len(names) == len(types) else tuple(map(str, range(len(types))))
        self.types = tuple(part._replace(names=(name,)) for name, part in zip(self.names, types))
        self._columns = {
            name: _PointColumn(position, name, part.for_points(),
                               {"[": part.for_ends(1), "(": part.for_ends(1, is_open=True)},
                               {"]": part.for_ends(-1), ")": part.for_ends(-1, is_open=True)})
            for position, (name, part) in enumerate(zip(self.names, self.types))}

    def bound(self, query: Query, reordered: frozenset[int] = frozenset()) -> _core.Query:
        """The box query of these conditions; `reordered`: the columns of ordered categories."""
        if query.kind != "box":
            raise InvalidArgumentError("the index holds points, which only filter searches: use "
                                       "index.filter({column: condition})")
        conditions = query.lower
        if not _is_mapping(conditions):
            raise InvalidArgumentError("expected a dict of conditions by column, got "
                                       f"{type(conditions).__name__}")
        bound: list[Any] = [("none", None, None, "[]")] * len(self.names)
        for name, condition in conditions.items():
            column = self._columns.get(name if isinstance(name, str) else str(name))
            if column is None:
                raise InvalidArgumentError(f"unknown column {name!r}: the index has "
                                           f"{', '.join(self.names)}")
            if column.position in reordered and _is_range(condition):
                reject(f"a range of {name!r}")
            bound[column.position] = _bound(condition, column)
        _require_one_size(conditions)
        return _core.Query.box(bound)


def _require_one_size(conditions: Mapping[Any, Any]) -> None:
    """An array of one value is one query, and does not apply to all of a batch as a value does."""
    first = None
    for name, condition in conditions.items():
        if isinstance(condition, (IsIn, IsNull)):
            continue
        for end in condition[:2] if isinstance(condition, tuple) else (condition,):
            if end is None or is_scalar(end):
                continue
            try:
                size = len(end)
            except TypeError:
                continue
            first = first or (name, size)
            if size != first[1]:
                raise InvalidArgumentError(
                    f"the condition on {name!r} is for {size} queries, and that on {first[0]!r} for "
                    f"{first[1]}: pass arrays of one length, or a single value for all queries")


def _is_range(condition: Any) -> bool:
    return isinstance(condition, tuple) and not isinstance(condition, (IsIn, IsNull))


def _bound(condition: Any, column: _PointColumn) -> tuple[str, Any, Any, str]:
    if isinstance(condition, IsNull):
        return "is_null", None, None, "[]"
    if isinstance(condition, IsIn):
        return "isin", column_of(condition.values, column.equal), None, "[]"
    if isinstance(condition, Between):
        lower, upper, ends = condition
    elif isinstance(condition, tuple):
        if len(condition) != 2:
            raise InvalidArgumentError(f"invalid condition on {column.name!r}: expected a tuple of "
                                       f"two ends, got {len(condition)}; rtindex.isin takes any "
                                       "number of values")
        (lower, upper), ends = condition, "[]"
    elif is_missing(condition) or condition is is_null or is_nat(condition):
        raise InvalidArgumentError(f"invalid condition on {column.name!r}: use "
                                   "rtindex.is_null(), or omit the column")
    else:
        value = _end(condition, column.equal)
        return "range", value, value, "[]"
    if column.equal.type in WIDE_INTEGERS and ends != "[]":
        lower, upper, ends = closed_ends(lower, upper, ends)
    for end in (lower, upper):
        if end is not None and (is_missing(end) or is_nat(end)):
            raise InvalidArgumentError(f"invalid end {end!r} of the range of {column.name!r}: pass "
                                       "None for an open end")
    return ("range", None if lower is None else _end(lower, column.lower[ends[0]]),
            None if upper is None else _end(upper, column.upper[ends[1]]), ends)


def _end(value: Any, target: ColumnType) -> Any:
    """A column of values, or a number that needs no column."""
    if type(value) is int and target.type in INTEGERS and -(2**63) <= value < 2**63:
        return value
    if type(value) is float and target.type == "float64":
        return value
    return column_of(value, target)
