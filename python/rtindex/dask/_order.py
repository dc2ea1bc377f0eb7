"""Calls on every partition: rows by rank, null rows, batches of joins, a description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .._categories import reject
from .._columns import column as column_of
from .._errors import InvalidArgumentError
from .._index import _human_bytes
from .._kinds import kind_of
from .._lists import Array
from .._query import Query
from .._results import Join
from .._types import INTEGERS, ColumnType
from ._columns import nulls
from ._engine import run
from ._queries import MISS, Request, query_slice
from ._read import exported
from ._results import join_of
from ._state import State


def select(state: State, ranks: Any) -> Any:
    """The row of each rank."""
    if state.routing.template._reordered:
        reject("select")
    column = column_of(ranks, ColumnType("int64", ""))
    if column.type not in INTEGERS or column.type == "bool":
        raise InvalidArgumentError(f"invalid ranks of type {column.type}: expected integers")
    held = exported(column, [""])
    missing = nulls(held)
    numbers = np.asarray(held[0] if missing is None else held[0].fill_null(0))
    ends = np.cumsum([held.meta.valid for held in state.held])
    begins = np.append(0, ends[:-1])
    partitions = np.searchsorted(ends, numbers, "right")
    inside = (numbers >= 0) & (partitions < len(state.held))
    if missing is not None:
        inside &= ~missing
    rows = np.full(numbers.size, MISS, np.uint64)
    ranked = {int(i): np.flatnonzero(inside & (partitions == i))
              for i in np.unique(partitions[inside])}
    futures = [state.client.submit(_selected, state.held[i].one(),
                                   numbers[at].astype(np.int64) - begins[i], pure=False)
               for i, at in ranked.items()]
    for at, found in zip(ranked.values(), state.client.gather(futures)):
        rows[at] = found
    kind = kind_of(ranks)
    return kind.array(rows, np.packbits(inside, bitorder="little") if kind.has_nulls else None)


def null_rows(state: State) -> Array:
    """The rows whose key is null, ascending."""
    futures = [state.client.submit(_nulls, held.one(), pure=False) for held in state.held
               if held.meta.nulls]
    return np.sort(np.concatenate([np.empty(0, np.uint64), *state.client.gather(futures)]))


def end(state: State, name: str) -> Any:
    """The least or the greatest key: "min" or "max" of the first or last partition that has keys."""
    held = [held for held in state.held if held.meta.valid]
    if not held:
        return getattr(state.routing.template, name)()
    return state.client.submit(_end, held[0 if name == "min" else -1].one(), name,
                               pure=False).result()


def describe(state: State, title: str) -> str:
    """Lines of text: a title, then the partitions with their workers."""
    where = state.client.who_has([future for held in state.held for future in held.copies])
    lines = [title, f"spec: {state.held[0].meta.spec}"]
    for number, held in enumerate(state.held):
        meta = held.meta
        workers = sorted({worker for future in held.copies
                          for worker in where.get(future.key, ())})
        copies = "" if len(held.copies) == 1 else f", {len(held.copies)} copies"
        lines.append(f"partition {number}: {meta.valid:,} keys{_between(meta)}, "
                     f"{_human_bytes(meta.bytes)}{copies}, "
                     f"on {', '.join(workers) or 'no worker'}")
    return "\n".join(lines)


def join_batches(state: State, query: Query, request: Request, kind: Any, how: str,
                 max_pairs: int) -> Iterator[Join]:
    """The pairs of a join in batches of at most `max_pairs`."""
    found = run(state, query, request._replace(answers=("count",)))["count"].astype(np.int64)
    if how in ("semi", "anti") or query.kind == "nearest":
        found[:] = 1
    elif how == "left":
        np.maximum(found, 1, out=found)
    ends = np.cumsum(found)
    first = 0
    while first < found.size:
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + max_pairs, "right")), first + 1)
        partial = run(state, query_slice(query, first, last), request)
        batch = join_of(kind_of(np.empty(0)), how, partial, first)
        # More than `max_pairs` pairs are those of one query.
        for start in range(0, len(batch.probe), max_pairs):
            yield _as_kind(kind, how, batch, start, start + max_pairs)
        first = last


def _as_kind(kind: Any, how: str, batch: Join, start: int, stop: int) -> Join:
    rows = None if batch.column is None else batch.column[start:stop]
    validity = None
    if rows is not None and how == "left" and kind.has_nulls:
        validity = np.packbits(rows != MISS, bitorder="little")
    return Join(kind.array(batch.probe[start:stop], per_lookup=False),
                None if rows is None else kind.array(rows, validity, per_lookup=False))


def _selected(partition: Any, ranks: Array) -> Array:
    local = np.asarray(partition.index.select(ranks)).astype(np.int64)
    rows: Array = partition.global_rows()[local]
    return rows.astype(np.uint64)


def _end(partition: Any, name: str) -> Any:
    return getattr(partition.index, name)()


def _nulls(partition: Any) -> Array:
    rows: Array = partition.nulls()
    return rows


def _text(key: Any) -> str:
    item = key.as_py() if hasattr(key, "as_py") else key
    return item.decode(errors="replace") if isinstance(item, bytes) else str(item)


def _between(meta: Any) -> str:
    if not meta.valid:
        return ""
    first, last = (", ".join(_text(part[0]) for part in end) for end in (meta.first, meta.last))
    return f" from {first} to {last}"
