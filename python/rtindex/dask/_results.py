"""Answers as the caller gets them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._calls import AGGREGATES, ROW_ANSWERS, VALUE_ANSWERS, row_miss, value_times
from .._columns import column as column_of
from .._core import Column
from .._decimals import in_last_digits, require_whole_sums, value_scale
from .._errors import InvalidArgumentError
from .._index import Index as LocalIndex
from .._keys import raw_keys_as
from .._kinds import Kind
from .._lists import Array
from .._results import Answers, Join
from .._results import Rows as LocalRows
from ._queries import MISS, Partial, Request


class Rows(LocalRows):
    """The matching rows of every lookup; lookup i has `rows[offsets[i]:offsets[i + 1]]`. Rows have
    64 bits."""

    __slots__ = ()

    def to_arrow(self) -> Any:
        """A pyarrow array of lists (large_list<uint64>), without a copy."""
        import pyarrow

        return pyarrow.LargeListArray.from_arrays(self.offsets.view(np.int64), self.rows)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        pair: tuple[object, object] = self.to_arrow().__arrow_c_array__(requested_schema)
        return pair


def scale_of(template: LocalIndex, kind: Kind, names: tuple[str, ...], values: Any) -> int | None:
    """The scale of the aggregates, where they are decimals of this kind; `values` as in `finish`."""
    if not kind.has_decimals or VALUE_ANSWERS.isdisjoint(names):
        return None
    return value_scale(template._core, _held(values), values)


def miss_in_units(template: LocalIndex, kind: Kind, names: tuple[str, ...], values: Any,
                  miss: Any) -> Any:
    """The result of a miss as partitions return it: decimals in units of the last digit."""
    scale = None if miss is None else scale_of(template, kind, names, values)
    return miss if scale is None else in_last_digits(miss, scale, not AGGREGATES.isdisjoint(names))


def with_means(template: LocalIndex, kind: Kind, request: Request, values: Any) -> Request:
    """The request with means, by which `finish` finds sums of decimals that have wrapped around."""
    if "sum" not in request.answers or "mean" in request.answers or (
            scale_of(template, kind, request.answers, values) is None):
        return request
    return request._replace(answers=(*request.answers, "mean"))


def _held(values: Any) -> Column | None:
    return None if values is None or isinstance(values, str) else column_of(values)


def finish(template: LocalIndex, kind: Kind, names: tuple[str, ...], partial: Partial,
           matched: bool, miss: Any, values: Any = None) -> Any:
    """The answers in objects of this kind; `values` is a value column of the same type as that of
    the call."""
    nullable = kind.has_nulls and miss is None
    valid: dict[str, Array] = {}
    validity = np.packbits(partial["matched"], bitorder="little") if nullable else None
    of_values, scale, zone = validity, None, ""
    if not VALUE_ANSWERS.isdisjoint(names):
        scale = scale_of(template, kind, names, values)
        if miss is None:
            has_value = partial["valued"] != 0 if "valued" in partial else partial["matched"]
            valid |= {name: has_value for name in names if name in VALUE_ANSWERS}
            if nullable or scale is not None:
                of_values = np.packbits(has_value, bitorder="little")
        if scale is not None and "sum" in names and "valued" in partial:
            require_whole_sums(partial["sum"], partial["mean"], partial["valued"],
                               partial["valued"] != 0, scale)
        times = value_times(template._core, _held(values), values)
        zone = "" if times is None else times.zone
    answers: dict[str, Any] = {}
    for name in names:
        if name == "rows":
            answers[name] = kind.rows(Rows(*partial["rows"]))
        elif name == "key":
            answers[name] = _keys(kind, partial["key"], template, partial["matched"])
        elif scale is not None and name in AGGREGATES:
            answers[name] = kind.decimals(partial[name], of_values, scale)
        else:
            found: Any = partial[name]
            if name == "count" and kind.has_signed_counts:
                found = found.astype(np.int64)
            elif name in ROW_ANSWERS and miss is not None:
                row = row_miss(name, miss)
                found = np.where(partial["matched"], found.astype(np.int64), row)
            elif name == "mean" and scale is not None:
                found = found / 10.0**scale
            answers[name] = kind.array(
                found, None if name == "count" else
                validity if name not in VALUE_ANSWERS or not nullable else of_values, zone=zone)
    if len(names) == 1 and not matched:
        return answers[names[0]]
    if matched:
        answers["matched"] = kind.array(partial["matched"])
    valid |= {name: partial["matched"] for name in names
              if name == "key" or name in ROW_ANSWERS and miss is None}
    return Answers(partial["matched"].size, answers, {} if nullable else valid)


def written(partial: Partial, names: tuple[str, ...], out: Any) -> Any:
    """The answer in the array of the caller."""
    if len(names) != 1 or names[0] in ("rows", "key"):
        raise InvalidArgumentError("`out` expects one answer other than 'rows' and 'key': choose "
                                   "one, or omit `out`")
    found = partial[names[0]]
    if type(out) is not np.ndarray or out.dtype != found.dtype or out.shape != found.shape:
        raise InvalidArgumentError(f"invalid `out`: expected a NumPy array of {found.size} "
                                   f"{found.dtype}")
    out[:] = found
    return out


def join_of(kind: Kind, how: str, partial: Partial, start: int = 0) -> Join:
    """Pairs of lookups and rows; lookups are numbered from `start`."""
    matched = partial["matched"]
    if how in ("semi", "anti"):
        chosen = np.flatnonzero(matched if how == "semi" else ~matched)
        return Join(kind.array(chosen + start, per_lookup=False), None)
    if "any" in partial:  # one row for each lookup
        rows = partial["any"]
        probe = np.arange(rows.size)
        if how == "inner":
            probe, rows = probe[matched], rows[matched]
    else:
        offsets, rows = partial["rows"]
        lengths = np.diff(offsets).astype(np.int64)
        if how == "left":
            rows = _with_misses(lengths, rows)
            lengths = np.maximum(lengths, 1)
        probe = np.repeat(np.arange(lengths.size), lengths)
    validity = None
    if how == "left" and kind.has_nulls:
        validity = np.packbits(rows != MISS, bitorder="little")
    return Join(kind.array(probe + start, per_lookup=False),
                kind.array(rows, validity, per_lookup=False))


def _with_misses(lengths: Array, rows: Array) -> Array:
    """One miss for each lookup without rows."""
    ends = np.cumsum(lengths)
    alone = np.flatnonzero(lengths == 0)
    return np.insert(rows, ends[alone], np.uint64(MISS))


def _keys(kind: Kind, keys: Any, template: LocalIndex, matched: Array) -> Any:
    copied = tuple(part.copy() for part in keys) if isinstance(keys, tuple) else keys.copy()
    return raw_keys_as(copied, template._type, np.packbits(matched, bitorder="little"), kind)
