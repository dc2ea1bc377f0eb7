"""Answers as the caller gets them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._calls import ROW_ANSWERS, VALUE_ANSWERS, row_miss, value_times
from .._columns import column as column_of
from .._index import Index as LocalIndex
from .._kinds import Kind
from .._lists import Array
from .._results import Answers, Join
from .._results import Rows as LocalRows
from .._types import ColumnType
from ._queries import MISS, Partial

_TIMED = ("min", "max")


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


def finish(template: LocalIndex, kind: Kind, names: tuple[str, ...], partial: Partial,
           matched: bool, miss: Any, values: Any = None) -> Any:
    """The answers in objects of this kind; `values` is a value column of the same type as that of
    the call."""
    nullable = kind.has_nulls and miss is None
    validity = np.packbits(partial["matched"], bitorder="little") if nullable else None
    of_values = validity
    if nullable and "valued" in partial:
        of_values = np.packbits(partial["valued"] != 0, bitorder="little")
    zone = ""
    if any(name in _TIMED for name in names):
        held = None if values is None or isinstance(values, str) else column_of(values)
        times = value_times(template._core, held, values)
        zone = "" if times is None else times.zone
    answers: dict[str, Any] = {}
    for name in names:
        if name == "rows":
            answers[name] = kind.rows(Rows(*partial["rows"]))
        elif name == "key":
            answers[name] = _keys(kind, partial["key"], template, partial["matched"])
        else:
            values = partial[name]
            if name == "count" and kind.has_signed_counts:
                values = values.astype(np.int64)
            elif name in ROW_ANSWERS and miss is not None:
                row = row_miss(name, miss)
                values = np.where(partial["matched"], values.astype(np.int64), row)
            answers[name] = kind.array(values, None if name == "count" else
                                       of_values if name in VALUE_ANSWERS else validity, zone=zone)
    if len(names) == 1 and not matched:
        return answers[names[0]]
    if matched:
        answers["matched"] = kind.array(partial["matched"])
    return Answers(partial["matched"].size, answers)


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
    validity = np.packbits(matched, bitorder="little") if kind.has_nulls else None

    def one(part: Array, part_type: ColumnType) -> Any:
        if part.dtype.kind == "O":
            return kind.strings(part.tolist())
        return kind.array(part, validity, zone=part_type.zone)

    if not isinstance(keys, tuple):
        return one(keys, template._type)
    return kind.parts(tuple(one(*part) for part in zip(keys, template._type.parts)))
