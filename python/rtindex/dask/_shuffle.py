"""The shuffle: every row moves to the partition of its key.

A few blocks and partitions take a task for every pair of them, which costs nothing but its data.
Many take Dask's peer-to-peer shuffle, whose tasks grow with their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from .._errors import InvalidArgumentError
from ._build import Plan, pick, read_block, released, sample, token
from ._columns import Columns, concat, cut, like, size, take
from ._moves import can_group, group_rows, native
from ._partition import row_type
from ._routing import Bounds, grouped
from ._sources import Source

# Pairs of a block and a partition from which on the peer-to-peer shuffle is used.
_MOST_PAIRS = 4096


def shuffle(client: Any, source: Source, include: Source | None, planned: Plan, then: Any,
            holders: Sequence[Any]) -> list[Any]:
    """Moves rows to their partitions; the futures of `then(holder, pieces)`, one per partition.

    then: a function for the workers; a piece is (rows, keys, values).
    """
    pairs = len(source.blocks) * len(holders)
    most = dask.config.get("rtindex.shuffle-pairs", _MOST_PAIRS)
    many = pairs > most and len(holders) > 1 and planned.model is not None
    return (_by_peers if many else _by_tasks)(client, source, include, planned, then, holders)


def _by_tasks(client: Any, source: Source, include: Source | None, planned: Plan,
            then: Any, holders: Sequence[Any]) -> list[Any]:
    """Every block is cut into one piece for each partition."""
    name = token()
    bounds = planned.bounds
    count = len(bounds) + 1
    workers = sorted(client.nthreads())
    with released(client) as futures:
        splits = client.compute([
            dask.delayed(split)(read_block(block), start, bounds,
                                None if include is None else read_block(include.blocks[number]),
                                dask_key_name=f"rtindex-split-{name}-{number}")
            for number, (block, start) in enumerate(zip(source.blocks, planned.starts))],
            sync=False)
        futures += splits
        parts = []
        for number, holder in enumerate(holders):
            pieces = [client.submit(pick, pieces, number, pure=False,
                                    key=f"rtindex-shuffle-{name}-{block}-{number}")
                      if count > 1 else pieces for block, pieces in enumerate(splits)]
            futures += pieces
            parts.append(client.submit(
                then, holder, pieces, key=f"rtindex-partition-{name}-{number}", pure=False,
                workers=[workers[number % len(workers)]], allow_other_workers=True))
    return parts


def _by_peers(client: Any, source: Source, include: Source | None, planned: Plan, then: Any,
              holders: Sequence[Any]) -> list[Any]:
    """Blocks become data frames with the number of a partition in each row."""
    import dask.dataframe

    name = token()
    keys: Any = planned.model
    values = None if include is None else _model(client, include)
    meta = _framed(keys, 0, planned.bounds, values, keys, values)
    frame = dask.dataframe.from_delayed([
        dask.delayed(_framed)(read_block(block), start, planned.bounds,
                              None if include is None else read_block(include.blocks[number]),
                              keys, values, dask_key_name=f"rtindex-split-{name}-{number}")
        for number, (block, start) in enumerate(zip(source.blocks, planned.starts))],
        meta=meta, verify_meta=False)
    moved = frame.set_index("partition", divisions=list(range(len(holders) + 1)))
    workers = sorted(client.nthreads())
    with released(client) as futures:
        frames = client.compute(moved.to_delayed(), sync=False)
        futures += frames
        return [client.submit(_unframed, then, holder, part, keys, values, pure=False,
                              key=f"rtindex-partition-{name}-{number}",
                              workers=[workers[number % len(workers)]], allow_other_workers=True)
                for number, (holder, part) in enumerate(zip(holders, frames))]


def _model(client: Any, source: Source) -> Columns:
    """The types of a column."""
    with released(client) as futures:
        futures += client.compute([dask.delayed(sample)(read_block(block), 0, 1)
                                   for block in source.blocks], sync=False)
        found = client.gather(futures)
    return concat([take(block.keys, np.empty(0, np.int64)) for block in found])


# On workers.

def split(keys: Columns, start: int, bounds: Bounds, values: Columns | None) -> list[Any]:
    """A piece for every partition: rows, keys and values."""
    length = size(keys)
    dtype = row_type(start + length)
    if values is not None and size(values) != length:
        raise InvalidArgumentError(f"invalid include: expected {length} values in a block, one per "
                                   f"key, got {size(values)}")
    if not len(bounds):
        return [(np.arange(start, start + length, dtype=dtype), keys, values)]
    count = len(bounds) + 1
    if native(keys, bounds.keys) and can_group(length, count):
        part, order, starts = group_rows(bounds.parts(keys, start), count, keys[0])
        keys = (part,)
    else:
        rows = np.arange(start, start + length, dtype=dtype)
        order, starts = grouped(bounds.partitions(keys, rows), count)
        keys = take(keys, order)
    rows = order.astype(dtype, copy=False)
    if start:
        rows = rows + dtype(start)
    values = None if values is None else take(values, order)
    return [(rows[low:high], cut(keys, low, high),
             None if values is None else cut(values, low, high))
            for low, high in zip(starts[:-1], starts[1:])]


def _framed(keys: Columns, start: int, bounds: Bounds, values: Columns | None,
            key_model: Columns, value_model: Columns | None) -> Any:
    import pandas

    length = size(keys)
    if values is not None and size(values) != length:
        raise InvalidArgumentError(f"invalid include: expected {length} values in a block, one per "
                                   f"key, got {size(values)}")
    rows = np.arange(start, start + length, dtype=np.uint64)
    columns = {"partition": bounds.partitions(keys, rows).astype(np.int64), "row": rows}
    for letter, parts, model in (("k", keys, key_model), ("v", values, value_model)):
        if parts is not None and model is not None:
            columns.update({f"{letter}{i}": _series(part)
                            for i, part in enumerate(like(parts, model))})
    return pandas.DataFrame(columns)


def _unframed(then: Any, holder: Any, frame: Any, key_model: Columns,
              value_model: Columns | None) -> Any:
    frame = frame.sort_values("row")
    keys, values = (
        None if model is None else tuple(_part(frame[f"{letter}{i}"], part)
                                         for i, part in enumerate(model))
        for letter, model in (("k", key_model), ("v", value_model)))
    return then(holder, [(frame["row"].to_numpy(), keys, values)])


def _series(part: Any) -> Any:
    import pandas

    if not isinstance(part, np.ndarray):
        import pyarrow

        return pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([part])))
    return part.view(np.int64) if part.dtype.kind == "M" else part


def _part(series: Any, model: Any) -> Any:
    if isinstance(model, np.ndarray):
        array = np.ascontiguousarray(series.to_numpy())
        return array.view(model.dtype) if model.dtype.kind == "M" else array.astype(
            model.dtype, copy=False)
    import pyarrow

    array = pyarrow.chunked_array(series)
    whole = pyarrow.concat_arrays(array.chunks) if array.num_chunks else model
    return whole.cast(model.type)
