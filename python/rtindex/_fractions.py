"""Queries with fractions on intervals whose starts and ends are integers."""

from __future__ import annotations

import decimal
import math
from typing import Any, NamedTuple

import numpy as np

from ._device import is_device_array
from ._lists import Array, is_missing
from ._names import columns_of, is_one_key, is_scalar
from ._query import Query

_EXACT = 2**53  # the integers beside floats up to here have 64 bits
_FARTHEST = 2**126  # beyond every interval
_FRACTIONAL = ("float", "double", "half", "decimal", "object")
_NUMBERS = (int, float, decimal.Decimal, np.integer, np.floating)


class WholeQuery(NamedTuple):
    """A query of integers."""

    kind: str
    lower: Any
    upper: Any
    ends: str


def whole_query(query: Query, interval_ends: str, leading: int) -> WholeQuery | None:
    """A query of integers that finds the same intervals; None where the query has no fractions.

    A start or an end compares with a fraction as with the integer below or above it. Ranges have
    the ends for which whole numbers and fractions compare in one way: `or_equal` says whether a
    start or an end may equal a whole one. `leading`: the number of leading columns.
    """
    is_point = query.kind == "contains"
    given = [None if data is None else _parts_of(data, leading)
             for data in (query.lower, query.lower if is_point else query.upper)]
    if not any(parts and _may_have_fractions(parts[-1]) for parts in given):
        return None
    lower, upper = (_points_of(parts) if parts else None for parts in given)
    if any(parts is not None and side is None for parts, side in zip(given, (lower, upper))):
        return None  # an error of its type
    if not any(side is not None and side.has_fractions() for side in (lower, upper)):
        return None
    closed = "[]" if is_point else query.ends
    of_start, of_end = interval_ends[0] == "[", interval_ends[1] == "]"
    of_lower, of_upper = closed[0] == "[", closed[1] == "]"
    if lower is not None and upper is not None and query.kind != "within":
        _drop_empty(lower, upper, of_lower and of_upper)
    if query.kind == "within":  # starts >= lower, ends <= upper
        return WholeQuery("within", lower and lower.above(of_lower or not of_start),
                          upper and upper.below(of_upper or not of_end), "[]")
    if query.kind == "covers":  # starts <= lower, ends >= upper
        return WholeQuery("covers", lower and lower.below(of_start or not of_lower),
                          upper and upper.above(of_end or not of_upper), interval_ends)
    # ends > lower, starts < upper
    ends = ("(" if of_end else "[") + (")" if of_start else "]")
    return WholeQuery("overlaps", lower and lower.below(not (of_end and of_lower)),
                      upper and upper.above(not (of_start and of_upper)), ends)


class _Points:
    """Points of queries, and the leading columns before them."""

    def __init__(self, leading: list[Any], numbers: list[Any] | Array):
        self.leading = leading
        self.numbers = numbers
        """An array of floats of which NaN is null, or numbers and None."""

    def has_fractions(self) -> bool:
        """Or numbers that the type of the intervals may not have."""
        if isinstance(self.numbers, list):
            return any(not isinstance(number, (int, np.integer)) and number is not None
                       and not math.isnan(number) and not _is_small_and_whole(number)
                       for number in self.numbers)
        known = self.numbers[~np.isnan(self.numbers)]
        return not ((known == np.floor(known)) & (known >= 0) & (known <= _EXACT)).all()

    def below(self, or_equal: bool) -> Any:
        """The greatest integers below."""
        if isinstance(self.numbers, list):
            return self._with([number if number is None else _limited(number, lambda one: (
                math.floor(one) if or_equal else math.ceil(one) - 1)) for number in self.numbers])
        return self._with(_masked(np.floor(self.numbers) if or_equal else
                                  np.ceil(self.numbers) - 1))

    def above(self, or_equal: bool) -> Any:
        """The least integers above."""
        if isinstance(self.numbers, list):
            return self._with([number if number is None else _limited(number, lambda one: (
                math.ceil(one) if or_equal else math.floor(one) + 1)) for number in self.numbers])
        return self._with(_masked(np.ceil(self.numbers) if or_equal else
                                  np.floor(self.numbers) + 1))

    def _with(self, integers: Any) -> Any:
        return (*self.leading, integers) if self.leading else integers


def _is_small_and_whole(number: Any) -> bool:
    return bool(0 <= number <= _EXACT and number == math.floor(number))


def _limited(number: Any, rounded: Any) -> int | None:
    if number != number:  # of any size, while math.isnan converts to a float
        return None
    if abs(number) >= _FARTHEST:
        return _FARTHEST if number > 0 else -_FARTHEST
    return int(rounded(number))


def _masked(whole: Array) -> Array:
    missing = np.isnan(whole)
    return np.ma.masked_array(np.where(missing, 0, whole).astype(np.int64), missing)


def _parts_of(data: Any, leading: int) -> list[Any]:
    """The leading columns and the points of a query; empty where there are not as many."""
    if not leading:
        return [[*data] if is_one_key(data) else data]
    if isinstance(data, list) and all(isinstance(key, tuple) for key in data):
        parts: list[Any] = [[*part] for part in zip(*data)]
    elif is_one_key(data):
        parts = [[part] for part in data]
    else:
        parts = columns_of(data)
    return parts if len(parts) == leading + 1 else []


def _may_have_fractions(data: Any) -> bool:
    """Whether the type of the points has fractions."""
    if isinstance(data, list):
        return any(issubclass(kind, (float, np.floating, decimal.Decimal))
                   for kind in {*map(type, data)})
    if is_scalar(data):
        return isinstance(data[()] if isinstance(data, np.ndarray) else data,
                          (float, np.floating, decimal.Decimal))
    return _type_name(data).startswith(_FRACTIONAL) and not is_device_array(data)


def _type_name(data: Any) -> str:
    """As the library has it, such as "float64", or "double" in Arrow."""
    return str(getattr(data, "dtype", getattr(data, "type", ""))).lower().removeprefix("torch.")


def _points_of(parts: list[Any]) -> _Points | None:
    """The points of a query; None where they are no numbers."""
    numbers = _numbers_of(parts[-1])
    return None if numbers is None else _Points(parts[:-1], numbers)


def _numbers_of(data: Any) -> list[Any] | Array | None:
    if is_device_array(data):
        return None
    if _type_name(data).startswith(("float", "double")) and not is_scalar(data):
        plain = np.asarray(data.filled(np.nan) if isinstance(data, np.ma.MaskedArray) else data)
        if plain.dtype.kind == "f" and plain.ndim == 1:
            plain = plain.astype(np.float64)
            if (np.abs(plain[~np.isnan(plain)]) < _EXACT).all():
                return plain
    items = [data[()] if isinstance(data, np.ndarray) else data] if is_scalar(data) else (
        _items_of(data))
    if items is None or not all(isinstance(item, _NUMBERS) and not isinstance(
            item, (bool, np.timedelta64)) or is_missing(item) for item in items):
        return None
    return [None if is_missing(item) else item for item in items]


def _items_of(data: Any) -> list[Any] | None:
    for name in ("to_pylist", "to_list", "tolist"):  # of Arrow, polars and pandas, NumPy
        if hasattr(data, name):
            return [*getattr(data, name)()]
    return data if isinstance(data, list) else None


def _drop_empty(lower: _Points, upper: _Points, has_both: bool) -> None:
    """Makes ranges null that have no point."""
    sizes = len(lower.numbers), len(upper.numbers)
    if sizes[0] != sizes[1] and 1 not in sizes:
        return  # an error of its own
    batch = lower if sizes[0] >= sizes[1] else upper
    if not isinstance(lower.numbers, list) and not isinstance(upper.numbers, list):
        is_empty = lower.numbers > upper.numbers if has_both else lower.numbers >= upper.numbers
        batch.numbers = np.where(is_empty, np.nan, batch.numbers)
        return
    starts, stops = (list(side.numbers) * (max(sizes) if len(side.numbers) == 1 else 1)
                     for side in (lower, upper))
    batch.numbers = [None if a is None or b is None or a > b or not has_both and a == b else own
                     for a, b, own in zip(starts, stops, list(batch.numbers))]
