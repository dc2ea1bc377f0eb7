"""Columns of intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from ._categories import is_reordered, reject
from ._columns import column
from ._core import Column
from ._errors import InvalidArgumentError
from ._interval_sides import in_one_type
from ._names import columns_of, is_scalar
from ._query import CLOSED, EndsName, require_ends
from ._type_names import type_name
from ._types import TIMES, ColumnType, Rounding
from ._units import in_unit, length_of


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """A column of intervals, as `rtindex.intervals` makes it. It holds the caller's objects."""

    start: Any
    end: Any
    ends: EndsName
    by: tuple[Any, ...] = ()
    queries: tuple[Any, ...] = ()
    """Columns of ranges that will be searched: the index has their unit where it is finer."""

    def __repr__(self) -> str:
        return f"<rtindex.Intervals {self.ends}>"


@overload
def intervals(start: Any, end: Any, *, ends: EndsName, by: Any = None) -> Intervals: ...


@overload
def intervals(start: Any, *, by: Any = None) -> Intervals: ...


def intervals(start: Any, end: Any = None, *, ends: Any = None, by: Any = None) -> Intervals:
    """A column of intervals to build an index over, from `start[i]` to `end[i]`.

        >>> prices = rtindex.build(rtindex.intervals([1, 5], [5, 9], ends="[)"))
        >>> prices.contains([4, 5])
        array([0, 1], dtype=uint32)

    ends: which ends belong to the intervals: "[]" both, "[)" the start, "(]" the end, "()" none.
        BED files and most validity periods are "[)".
    by: a leading column, or several in a list, a tuple or a data frame, such as a symbol or a
        chromosome. Queries pass a value of each of them before the point, as a tuple: they search
        intervals with equal values.

    Intervals of pandas (an IntervalIndex, an IntervalArray, a Series of them or of their
    categories, as `pd.cut` returns it) are passed alone: they have both ends.

    Null starts and ends match nothing, as do intervals without a point, such as [5, 5).
    """
    if end is None and ends is None:
        found = from_pandas(start)
        if found is None:
            raise InvalidArgumentError("expected intervals of pandas, or starts, ends and which of "
                                       "them belong to the intervals: rtindex.intervals(start, "
                                       f"end, ends=\"[)\"), got {type(start).__name__}")
        start, end, ends = found.start, found.end, found.ends
    require_ends(ends)
    if by is None:
        leading: list[Any] = []
    elif isinstance(by, (list, tuple)) and not any(part is None or is_scalar(part) for part in by):
        leading = [*by]
    else:
        leading = columns_of(by) or [by]
    return Intervals(start, end, ends, tuple(leading))


def interval_column(data: Intervals, target: ColumnType | None = None,
                    nan_as_null: bool | None = None) -> Column:
    """A view of the columns of the intervals. With `target`, in the types of an indexed column."""
    given = [*data.by, data.start, data.end]
    if is_reordered(data.start) or is_reordered(data.end):
        reject("rtindex.intervals")
    types: list[ColumnType | None] = [None] * len(given)
    if target is not None and len(target.parts) == len(given):
        # A side that does not compare by itself may in the type of the other one.
        types = [part._replace(are_keys=False) for part in target.parts]
    parts = [column(part, wanted, nan_as_null) for part, wanted in zip(given, types)]
    (start, end), zones = in_one_type((given[-2], given[-1]), (parts[-2], parts[-1]),
                                      (types[-2], types[-1]), nan_as_null)
    if bool(zones[0]) != bool(zones[1]):
        raise InvalidArgumentError(f"the starts of the intervals have {zones[0] or 'no'} time zone "
                                   f"and the ends {zones[1] or 'none'}: pass both with one")
    start, end = _in_one_unit(start, end)
    if start.type == end.type and start.unit != end.unit:
        raise InvalidArgumentError(f"the starts of the intervals are in {start.unit or 'days'} and "
                                   f"the ends in {end.unit or 'days'}: convert one of them")
    if start.type != end.type and not {start.type, end.type}.isdisjoint((*TIMES, "string")):
        raise InvalidArgumentError(
            f"the starts of the intervals are {type_name(start.type, start.unit)} and the ends "
            f"{type_name(end.type, end.unit)}: convert one of them")
    for queried in data.queries:
        start, end = _in_finer_unit(start, end, column(queried))
    return Column.intervals([*parts[:-2], start, end], data.ends)


def _in_one_unit(start: Column, end: Column) -> tuple[Column, Column]:
    """Times in the finer unit of both; anything else as it is."""
    of_start, of_end = _length(start), _length(end)
    if of_start is None or of_end is None or (of_start == of_end and start.type == end.type):
        return start, end
    fine = start if (of_start, start.type == "date32") < (of_end, end.type == "date32") else end
    target = ColumnType("time64" if fine.type == "time32" else fine.type, fine.unit)
    return in_unit(start, target), in_unit(end, target)


def _in_finer_unit(start: Column, end: Column, queried: Column) -> tuple[Column, Column]:
    """Starts and ends in the unit of queries. What lies beyond it has its first or last tick."""
    own, wanted = _length(start), _length(queried)
    if own is None or wanted is None or own <= wanted:
        return start, end
    target = ColumnType(queried.type, queried.unit)
    return (in_unit(start, target._replace(rounding=Rounding(1))),
            in_unit(end, target._replace(rounding=Rounding(-1))))


def _length(point: Column) -> int | None:
    """Of a tick of times, in attoseconds."""
    if point.type == "date32":
        return length_of("D")
    return length_of(point.unit) if point.type in TIMES and point.unit else None


def from_pandas(data: Any) -> Intervals | None:
    """The intervals of an IntervalIndex, an IntervalArray or a Series of them or of their
    categories; None of other objects."""
    dtype: Any = getattr(data, "dtype", None)
    categories: Any = getattr(dtype, "categories", None)
    if hasattr(categories, "closed") and len(categories):  # what pd.cut returns
        codes = np.asarray(getattr(data, "cat", data).codes)
        missing, array = codes < 0, categories[np.maximum(codes, 0)].array
        closed = categories.closed
    elif getattr(dtype, "subtype", None) is not None and hasattr(dtype, "closed"):
        array = getattr(data, "array", data)
        missing, closed = np.asarray(array.isna()), dtype.closed
    else:
        return None

    def points(side: Any) -> Any:
        if not missing.any():
            return side
        if side.dtype.kind == "M":
            return side.where(~missing)
        return np.ma.masked_array(side.to_numpy(), missing)

    return Intervals(points(array.left), points(array.right), CLOSED[closed])
