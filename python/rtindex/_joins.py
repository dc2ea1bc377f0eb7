"""Joins: pairs of lookups and rows, at once or in parts."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _core
from ._calls import counts
from ._device import first_array, join_on_device
from ._errors import InvalidArgumentError, UnsupportedError
from ._kinds import Kind
from ._lists import Array
from ._results import Join

_HOW = ("inner", "left", "semi", "anti")


def join(index: _core.Index, lookups: _core.Lookups, data: Any, kind: Kind, how: Any,
         batch_rows: Any, one_row: bool = False) -> Any:
    """A `Join`, or with `batch_rows` an iterator of them.

    `data` holds the lookups; `one_row`: a lookup has at most one row.
    """
    if how not in _HOW:
        raise InvalidArgumentError(f"invalid how={how!r}: expected inner, left, semi or anti")
    if lookups.on_device:
        if batch_rows is not None:
            raise UnsupportedError("`batch_rows` takes lookups in host memory: join slices of them")
        return join_on_device(index, first_array(data), lookups, how,
                              one_row or how in ("semi", "anti"))
    if batch_rows is None:
        return _join(kind, how, *_pairs(index, lookups, how, one_row))
    return _parts(index.snapshot(), lookups, kind, how, _most(batch_rows), one_row)


def _pairs(index: _core.Index, lookups: _core.Lookups, how: str, one_row: bool) -> Any:
    """Positions of lookups, and rows."""
    if not one_row or how != "left":
        probe, found = index.join(lookups, how)
        return probe.view(np.int64), found
    rows = np.empty(len(lookups), np.uint32)  # each lookup makes one pair
    index.answer(lookups, None, None, {"any": rows}, None)
    return np.arange(rows.size), rows


def _parts(index: _core.Index, lookups: _core.Lookups, kind: Kind, how: str, most: int,
           one_row: bool) -> Iterator[Join]:
    for first, last in _slices(index, lookups, how, most, one_row):
        probe, rows = _pairs(index, lookups.slice(first, last - first), how, one_row)
        probe += first
        # More than `most` pairs are those of one lookup.
        for start in range(0, len(probe), most):
            end = start + most
            yield _join(kind, how, probe[start:end], None if rows is None else rows[start:end])


def _slices(index: _core.Index, lookups: _core.Lookups, how: str, most: int,
            one_row: bool) -> Iterator[tuple[int, int]]:
    """Lookups whose pairs are at most `most`, or one lookup that has more."""
    size = len(lookups)
    if one_row or how in ("semi", "anti"):
        yield from ((first, min(first + most, size)) for first in range(0, size, most))
        return
    found = counts(index, lookups)
    if how == "left":
        np.maximum(found, 1, out=found)
    ends = np.cumsum(found, dtype=np.uint64)
    first = 0
    while first < size:
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + most, "right")), first + 1)
        yield first, last
        first = last


def _join(kind: Kind, how: str, probe: Array, rows: Array | None) -> Join:
    validity = None
    if rows is not None and how == "left" and kind.has_nulls:
        validity = np.packbits(rows != _core.MISS, bitorder="little")
    return Join(kind.array(probe, per_lookup=False),
                None if rows is None else kind.array(rows, validity, per_lookup=False))


def _most(batch_rows: Any) -> int:
    try:
        most = operator.index(batch_rows)
    except TypeError:
        most = 0
    if most < 1:
        raise InvalidArgumentError(f"invalid batch_rows={batch_rows!r}: expected an integer of 1 "
                                   "or more")
    return most
