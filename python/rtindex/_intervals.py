"""Columns of intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._columns import column
from ._core import Column
from ._errors import InvalidArgumentError
from ._names import columns_of, is_scalar
from ._query import EndsName, require_ends
from ._times import zone_of_keys
from ._types import ColumnType
from ._units import in_unit, length_of

_CLOSED: dict[str, EndsName] = {"both": "[]", "left": "[)", "right": "(]", "neither": "()"}


@dataclass(frozen=True, eq=False, repr=False)
class Intervals:
    """A column of intervals, as `rtindex.intervals` makes it. It holds the caller's objects."""

    start: Any
    end: Any
    ends: EndsName
    by: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"<rtindex.Intervals {self.ends}>"


def intervals(start: Any, end: Any, *, ends: EndsName, by: Any = None) -> Intervals:
    """A column of intervals to build an index over, from `start[i]` to `end[i]`.

        >>> prices = rtindex.build(rtindex.intervals([1, 5], [5, 9], ends="[)"))
        >>> prices.contains([4, 5])
        array([0, 1], dtype=uint32)

    ends: which ends belong to the intervals: "[]" both, "[)" the start, "(]" the end, "()" none.
        BED files and most validity periods are "[)".
    by: a leading column, or several in a list, a tuple or a data frame, such as a symbol or a
        chromosome. Queries pass a value of each of them before the point, as a tuple: they search
        intervals with equal values.

    Null starts and ends match nothing, as do intervals without a point, such as [5, 5).
    """
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
    types: list[ColumnType | None] = [None] * len(given)
    if target is not None and len(target.parts) == len(given):
        types = [*target.parts]
    parts = [column(part, wanted, nan_as_null) for part, wanted in zip(given, types)]
    zones = [zone_of_keys(part) for part in given[-2:]]
    if bool(zones[0]) != bool(zones[1]):
        raise InvalidArgumentError(f"the starts of the intervals have {zones[0] or 'no'} time zone "
                                   f"and the ends {zones[1] or 'none'}: give both one")
    start, end = _in_one_unit(parts[-2], parts[-1])
    if start.unit != end.unit:
        raise InvalidArgumentError(f"the starts of the intervals are in {start.unit or 'days'} and "
                                   f"the ends in {end.unit or 'days'}: convert one of them")
    return Column.intervals([*parts[:-2], start, end], data.ends)


def _in_one_unit(start: Column, end: Column) -> tuple[Column, Column]:
    """Times in the finer unit of both; anything else as it is."""
    of_start, of_end = _length(start), _length(end)
    if of_start is None or of_end is None or (of_start == of_end and start.type == end.type):
        return start, end
    fine = start if (of_start, start.type == "date32") < (of_end, end.type == "date32") else end
    target = ColumnType(fine.type, fine.unit)
    return in_unit(start, target), in_unit(end, target)


def _length(point: Column) -> int | None:
    """Of a tick of dates and timestamps, in attoseconds."""
    if point.type == "date32":
        return length_of("D")
    return length_of(point.unit) if point.type == "timestamp64" and point.unit else None


def from_pandas(data: Any) -> Intervals | None:
    """The intervals of an IntervalIndex, an IntervalArray or a Series of them; None of other
    objects."""
    subtype = getattr(getattr(data, "dtype", None), "subtype", None)
    closed = getattr(getattr(data, "dtype", None), "closed", None)
    if subtype is None or closed is None:
        return None
    array = getattr(data, "array", data)
    missing = np.asarray(array.isna())

    def points(side: Any) -> Any:
        if not missing.any() or side.dtype.kind == "M":
            return side
        return np.ma.masked_array(side.to_numpy(), missing)

    return Intervals(points(array.left), points(array.right), _CLOSED[closed])
