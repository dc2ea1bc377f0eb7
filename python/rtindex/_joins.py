"""Joins: pairs of queries and rows, at once or in batches."""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _core
from ._device import join_batches_on_device, join_on_device
from ._errors import InvalidArgumentError
from ._filter import device_array_of
from ._kinds import Kind
from ._lists import Array
from ._query import Query
from ._results import Join


def join(index: _core.Index, query: Query, bound: _core.Query, kind: Kind, how: Any,
         order: Any) -> Join:
    """All pairs. `bound` is the query with its columns in the type of the indexed one."""
    how, order = require_how(how), require_order(order)
    if bound.on_device:
        one_pair = (query.kind == "nearest" and not index.interval_ends) or how in ("semi", "anti")
        return join_on_device(index, device_array_of(query), bound, how, order, one_pair)
    return _join(kind, how, *index.join(bound, how, order))


def join_batches(index: _core.Index, query: Query, bound: _core.Query, kind: Kind, how: Any,
                 max_pairs: Any, order: Any) -> Iterator[Join]:
    """The pairs in batches of at most `max_pairs`."""
    how, pairs, order = require_how(how), require_max_pairs(max_pairs), require_order(order)
    if bound.on_device:
        return join_batches_on_device(index, device_array_of(query), bound, how, order, pairs)
    return (_join(kind, how, *batch) for batch in index.join_batches(bound, how, order, pairs, 0))


def require_how(how: Any) -> str:
    if not isinstance(how, str) or how not in ("inner", "left", "semi", "anti"):
        raise InvalidArgumentError(f"invalid how={how!r}: expected inner, left, semi or anti")
    return how


def require_order(order: Any) -> str:
    if not isinstance(order, str) or order not in ("lookups", "any"):
        raise InvalidArgumentError(f"invalid order={order!r}: expected lookups or any")
    return order


def require_max_pairs(max_pairs: Any) -> int:
    try:
        pairs = operator.index(max_pairs)
    except TypeError:
        pairs = 0
    if pairs < 1:
        raise InvalidArgumentError(f"invalid max_pairs={max_pairs!r}: expected an integer of 1 or "
                                   "more")
    return min(pairs, sys.maxsize)


def _join(kind: Kind, how: str, probe: Array, rows: Array | None) -> Join:
    validity = None
    if rows is not None and how == "left" and kind.has_nulls:
        validity = np.packbits(rows != _core.MISS, bitorder="little")
    # Of the same size, nanobind's int64 is another type of C than NumPy's.
    return Join(kind.array(probe.view(np.int64), per_lookup=False),
                None if rows is None else kind.array(rows, validity, per_lookup=False))
