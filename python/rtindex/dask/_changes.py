"""Changes: a new version of an index from an old one, or an error and nothing changed."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np

from .._changes import named_columns, row_column
from .._errors import InvalidArgumentError
from .._lists import Array
from .._query import Query
from ._build import (
    Plan,
    meta_of,
    partition_bytes,
    pick,
    released,
    sample,
    together,
    token,
)
from ._columns import Columns, as_included, as_keys, concat, like, nulls, size, take
from ._engine import run
from ._partition import Meta, Partition
from ._queries import Request
from ._read import Reader, lookups, new_keys, new_values
from ._routing import Bounds
from ._shuffle import shuffle
from ._sources import aligned_columns, is_collection, source_of
from ._state import Held, State, copies, routing_of


def insert(state: State, keys: Any, values: Any) -> State:
    """With new rows at the end."""
    if is_collection(keys):
        return _insert_collection(state, keys, values)
    template = state.routing.template
    new = new_keys(template, keys)
    included = None if values is None else _values(state, values)
    trial = template.snapshot()  # raises what the partitions would raise
    trial.insert(as_keys(new), None if included is None else as_included(included, state.model[2]))
    rows = np.arange(state.size, state.size + size(new), dtype=np.uint64)
    kept = like(new, state.model[0])
    if included is not None and state.model[1] is not None:
        included = like(included, state.model[1])
    targets = state.bounds.partitions(kept, rows)
    changes = {}
    for number in np.unique(targets).tolist():
        at = np.flatnonzero(targets == number)
        changes[number] = (_inserted, rows[at], take(kept, at),
                           None if included is None else take(included, at))
    return _submitted(state, changes, state.size + rows.size)


def erase(state: State, rows: Any) -> State:
    wanted = _row_numbers(rows, state.size)
    local = locate(state, wanted)
    return _submitted(state, {number: (_erased, found[found >= 0])
                              for number, found in enumerate(local) if (found >= 0).any()})


def erase_keys(state: State, keys: Any) -> tuple[State, int]:
    query = lookups(state.routing.template, Query.equal(keys))
    found = run(state, query, Request(("rows",)))
    rows = np.unique(found["rows"][1])
    return (erase(state, rows) if rows.size else state), int(rows.size)


def update(state: State, rows: Any, keys: Any) -> State:
    """New keys for rows. A row whose key belongs to another partition moves there."""
    wanted = _row_numbers(rows, state.size)
    new = new_keys(state.routing.template, keys)
    if size(new) != wanted.size:
        raise InvalidArgumentError(f"expected {wanted.size} keys, one per row, got {size(new)}")
    trial = state.routing.template.snapshot()
    trial.insert(as_keys(new), _any_values(state, wanted.size))
    kept = like(new, state.model[0])
    local = locate(state, wanted)
    home = np.argmax(np.array([found >= 0 for found in local]), axis=0)
    targets = state.bounds.partitions(kept, wanted).astype(np.int64)
    missing = nulls(kept)
    if missing is not None:
        targets[missing] = home[missing]
    moving = np.flatnonzero(home != targets)
    values = _values_of_rows(state, local, moving) if state.model[1] is not None else None
    changes = {}
    for number in np.unique(np.concatenate([home, targets])).tolist():
        stay = np.flatnonzero((home == number) & (targets == number))
        leave = np.flatnonzero((home == number) & (targets != number))
        come = np.flatnonzero((home != number) & (targets == number))
        come = come[np.argsort(wanted[come])]
        arrived = None if values is None else take(values, np.searchsorted(moving, come))
        changes[number] = (_updated, local[number][stay], take(kept, stay), local[number][leave],
                           wanted[come], take(kept, come), arrived)
    return _submitted(state, changes)


def set_included(state: State, rows: Any, values: Any, name: str) -> State:
    wanted = _row_numbers(rows, state.size)
    new = new_values(state.routing.template, values, name)
    state.routing.template.snapshot().set_included([], take(new, np.empty(0, np.int64))[0], name)
    if size(new) != wanted.size:
        raise InvalidArgumentError(f"expected {wanted.size} values, one per row, got "
                                   f"{size(new)}")
    local = locate(state, wanted)
    return _submitted(state, {
        number: (_with_values, found[found >= 0], take(new, np.flatnonzero(found >= 0)), name)
        for number, found in enumerate(local) if (found >= 0).any()})


def merge(state: State) -> State:
    return _submitted(state, {number: (_merged,) for number in range(len(state.held))})


def locate(state: State, rows: Array) -> list[Array]:
    """For each partition the local row of each row, or -1. A row that is nowhere is erased."""
    client, name = state.client, token()
    with released(client) as futures:
        futures += [client.submit(_located, held.copies[0], rows, pure=False,
                                  key=f"rtindex-locate-{name}-{number}")
                    for number, held in enumerate(state.held)]
        local: list[Array] = client.gather(futures)
    lost = ~np.any([found >= 0 for found in local], axis=0)
    if lost.any():
        raise InvalidArgumentError(f"row {rows[lost][0]} is erased: insert a new row instead")
    return local


def _submitted(state: State, changes: dict[int, Any], rows: int | None = None) -> State:
    """The version in which partitions are replaced by the results of functions."""
    client, name = state.client, token()
    with released(client) as futures:
        changed = {number: client.submit(function, state.held[number].copies[0], *arguments,
                                         key=f"rtindex-change-{name}-{number}", pure=False)
                   for number, (function, *arguments) in changes.items()}
        futures += changed.values()
        return _replaced(state, changed, state.size if rows is None else rows, name)


def _replaced(state: State, changed: dict[int, Any], rows: int, name: str) -> State:
    """Waits for new partitions, and splits those that are too large."""
    client = state.client
    held = [*state.held]
    for number, meta in zip(changed, _metas(client, [*changed.values()], name)):
        held[number] = Held(copies(client, changed[number], state.replicate, name, number), meta)
    bounds = state.bounds
    for number in sorted(changed, reverse=True):
        if held[number].meta.bytes > 2 * partition_bytes() and held[number].meta.valid > 1:
            bounds, held[number:number + 1] = _split(state, held[number], bounds, number)
    return state._replace(
        held=tuple(held), bounds=bounds, size=rows, name=name, workers={},
        routing=routing_of([one.meta for one in held], state.routing.template))


def _split(state: State, held: Held, bounds: Bounds, at: int) -> tuple[Bounds, list[Held]]:
    client, name = state.client, token()
    halves = client.submit(_halves, held.copies[0], pure=False, key=f"rtindex-halves-{name}")
    parts = [client.submit(pick, halves, i, pure=False, key=f"rtindex-half-{name}-{i}")
             for i in range(2)]
    key, row = (client.submit(pick, halves, i, pure=False).result() for i in (2, 3))
    metas = _metas(client, parts, name)
    return bounds.split(at, key, row), [
        Held(copies(client, part, state.replicate, name, i), meta)
        for i, (part, meta) in enumerate(zip(parts, metas))]


def _metas(client: Any, parts: list[Any], name: str) -> list[Meta]:
    metas: list[Meta] = client.gather([
        client.submit(meta_of, part, pure=False, key=f"rtindex-meta-{name}-{number}")
        for number, part in enumerate(parts)])
    return metas


def _insert_collection(state: State, keys: Any, values: Any) -> State:
    client = state.client
    template = state.routing.template
    source = source_of(keys, Reader(template._type.nan_as_null, template))
    include = aligned_columns(_ordered(state, values), source, "values")
    if (include is None) != (state.model[1] is None):
        raise InvalidArgumentError(
            "the index has no included values: omit `values`" if include is not None else
            "the index has included values: pass one value per key")
    lengths = source.lengths
    if lengths is None:
        with released(client) as futures:
            futures += client.compute([dask.delayed(sample)(source.reader, block, 0, 1)
                                       for block in source.blocks], sync=False)
            lengths = [block.length for block in client.gather(futures)]
    starts = np.cumsum([state.size, *lengths])
    planned = Plan(starts[:-1].tolist(), int(starts[-1]), state.bounds, state.model[0])
    parts = shuffle(client, source, include, planned, _inserted_pieces,
                    [held.copies[0] for held in state.held])
    with released(client) as futures:
        futures += parts
        return _replaced(state, dict(enumerate(parts)), planned.rows, token())


def _ordered(state: State, values: Any) -> list[tuple[str, Any]]:
    """Included columns of new rows in the order of the index."""
    named = named_columns(values)
    names = state.model[2]
    if not named or len(named) == len(names) == 1:
        return named
    by_name = dict(named)
    if len(by_name) != len(named) or set(by_name) != set(names):
        raise InvalidArgumentError(
            f"expected values of the included columns {', '.join(map(repr, names))}, each once, "
            f"got {', '.join(repr(name) for name, _ in named)}")
    return [(name, by_name[name]) for name in names]


def _values(state: State, values: Any) -> Columns:
    if state.model[1] is None:
        raise InvalidArgumentError("the index has no included values: omit `values`")
    return tuple(new_values(state.routing.template, data, name)[0]
                 for name, data in _ordered(state, values))


def _any_values(state: State, count: int) -> Any:
    """Values for an index with included values, for a trial."""
    if state.model[1] is None:
        return None
    return as_included(tuple(_any_column(part, count) for part in state.model[1]), state.model[2])


def _any_column(part: Any, count: int) -> Any:
    if isinstance(part, np.ndarray):
        return np.zeros(count, part.dtype)
    import pyarrow

    return pyarrow.array(np.zeros(count, np.int64)).cast(part.type)


def _values_of_rows(state: State, local: list[Array], moving: Array) -> Columns:
    """The included values of rows that move, in their order."""
    positions, futures = [], []
    for number, found in enumerate(local):
        here = moving[found[moving] >= 0]
        if here.size:
            positions.append(here)
            futures.append(state.client.submit(_values_at, state.held[number].copies[0],
                                               found[here], pure=False))
    if not positions:
        return state.model[1]  # type: ignore[return-value]
    order = np.argsort(np.concatenate(positions))
    return take(concat(state.client.gather(futures)), order)


def _row_numbers(rows: Any, size: int) -> Array:
    numbers = np.atleast_1d(np.asarray(rows))
    if size < 2**32:
        row_column(rows, size)  # raises where these are no rows
    elif numbers.size and (numbers.dtype.kind not in "iu" or not (
            0 <= numbers.min() and numbers.max() < size)):
        raise InvalidArgumentError(f"invalid rows: expected integers from 0 to {size - 1}")
    found = numbers.astype(np.uint64).reshape(-1)
    if np.unique(found).size != found.size:
        values, counts = np.unique(found, return_counts=True)
        raise InvalidArgumentError(f"row {values[counts > 1][0]} is named twice: name each row "
                                   "once")
    return found


# On workers.

def _inserted(partition: Partition, rows: Array, keys: Columns,
              values: Columns | None) -> Partition:
    return partition.inserted(rows, keys, values)


def _inserted_pieces(partition: Partition, pieces: list[Any]) -> Partition:
    if len(pieces[0]) == 1:
        pieces = [piece[0] for piece in pieces]
    return partition.inserted(*together(pieces))


def _erased(partition: Partition, local: Array) -> Partition:
    return partition.erased_rows(local)


def _updated(partition: Partition, stay: Array, keys: Columns, leave: Array, rows: Array,
             more: Columns, values: Columns | None) -> Partition:
    # Local rows are valid for this partition: it may be built again by the calls after it.
    changed = partition.updated(stay, keys)
    left = partition.global_rows()[leave]
    changed = changed.inserted(rows, more, values)
    return changed.erased_rows(changed.locate(left))


def _with_values(partition: Partition, local: Array, values: Columns, name: str) -> Partition:
    return partition.with_values(local, values, name)


def _merged(partition: Partition) -> Partition:
    return partition.merged()


def _located(partition: Partition, rows: Array) -> Array:
    return partition.locate(rows)


def _values_at(partition: Partition, local: Array) -> Columns:
    return take(partition.values, local)  # type: ignore[arg-type]


def _halves(partition: Partition) -> Any:
    return partition.halves()
