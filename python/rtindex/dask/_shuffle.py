"""The shuffle: every row moves to the partition of its key.

For few blocks and partitions there is a task for each pair of them, which moves only its data. For
many, Dask's peer-to-peer shuffle is used: its number of tasks grows with their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import distributed
import numpy as np

from .._errors import InvalidArgumentError
from ._build import Plan, pick, released, sample, token
from ._columns import Columns, concat, cut, like, size, take, typed_nulls
from ._moves import can_group, group_rows, native
from ._partition import row_type
from ._routing import Bounds, grouped
from ._read import Reader
from ._sources import Source

# Pairs of a block and a partition from which on the peer-to-peer shuffle is used.
_MAX_PAIRS = 4096


def shuffle(client: Any, source: Source, include: Source | None, planned: Plan, then: Any,
            holders: Sequence[Any], progress: bool = False) -> list[Any]:
    """Moves rows to their partitions; the futures of `then(holder, pieces)`, one per partition.

    then: a function for the workers; a piece is (rows, keys, values).
    progress: draw a bar while blocks are cut, if this waits for them.
    """
    pairs = len(source.blocks) * len(holders)
    max_pairs = dask.config.get("rtindex.shuffle-pairs", _MAX_PAIRS)
    many = pairs > max_pairs and len(holders) > 1 and planned.model is not None
    if many:
        return _by_peers(client, source, include, planned, then, holders)
    return _by_tasks(client, source, include, planned, then, holders, progress)


def _by_tasks(client: Any, source: Source, include: Source | None, planned: Plan,
              then: Any, holders: Sequence[Any], progress: bool) -> list[Any]:
    """Every block is cut into one piece for each partition."""
    name = token()
    bounds = planned.bounds
    count = len(bounds) + 1
    workers = sorted(client.nthreads())
    with released(client) as futures:
        splits = client.compute([
            dask.delayed(split)(source.reader, block, start, bounds,
                                None if include is None else include.reader,
                                None if include is None else include.blocks[number],
                                dask_key_name=f"rtindex-split-{name}-{number}")
            for number, (block, start) in enumerate(zip(source.blocks, planned.starts))],
            sync=False)
        futures += splits
        homes = _homes(client, splits, progress) if count > 1 else []
        parts = []
        for number, holder in enumerate(holders):
            pieces = [client.submit(pick, pieces, number, pure=False, workers=homes[block],
                                    allow_other_workers=True,
                                    key=f"rtindex-shuffle-{name}-{block}-{number}")
                      if count > 1 else pieces for block, pieces in enumerate(splits)]
            futures += pieces
            parts.append(client.submit(
                then, holder, pieces, key=f"rtindex-partition-{name}-{number}", pure=False,
                workers=[workers[number % len(workers)]], allow_other_workers=True))
    return parts


def _homes(client: Any, splits: list[Any], progress: bool) -> list[list[str]]:
    """Waits for the pieces of all blocks; returns the workers that hold them. Tasks that read
    pieces are restricted to these, so that the pieces of other partitions are not moved."""
    if progress:
        distributed.progress(splits, notebook=False)
    distributed.wait(splits)
    where = client.who_has(splits)
    return [list(where.get(split.key, ())) or sorted(client.nthreads()) for split in splits]


def _by_peers(client: Any, source: Source, include: Source | None, planned: Plan, then: Any,
              holders: Sequence[Any]) -> list[Any]:
    """Blocks become data frames with the number of a partition in each row."""
    import dask.dataframe

    name = token()
    keys: Any = planned.model
    values = None if include is None else _model(client, include)
    meta = _frame(keys, 0, planned.bounds, values, keys, values)
    frame = dask.dataframe.from_delayed([
        dask.delayed(_framed)(source.reader, block, start, planned.bounds,
                              None if include is None else include.reader,
                              None if include is None else include.blocks[number],
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
        futures += client.compute([dask.delayed(_types)(source.reader, block)
                                   for block in source.blocks], sync=False)
        return concat(client.gather(futures))


# On workers. A block is a tuple of what the caller's collections hold.

def _types(reader: Reader, included: Any) -> Columns:
    """The types of included values."""
    found = reader.values(included)
    return take(found, np.empty(0, np.int64))


def _read(reader: Reader, block: Any, values_reader: Reader | None,
          included: Any) -> tuple[Columns, Columns | None]:
    """The keys of a block and its included values."""
    keys = reader.keys(block)
    values = None if values_reader is None else values_reader.values(included)
    if values is not None and size(values) != size(keys):
        raise InvalidArgumentError(f"invalid include: expected {size(keys)} values in a block, one "
                                   f"per key, got {size(values)}")
    return keys, values


def split(reader: Reader, block: Any, start: int, bounds: Bounds, values_reader: Reader | None,
          included: Any) -> list[Any]:
    """A piece for every partition: rows, keys and values."""
    keys, values = _read(reader, block, values_reader, included)
    length = size(keys)
    dtype = row_type(start + length)
    if len(bounds):
        keys = typed_nulls(keys, bounds.keys)
    else:
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


def _framed(reader: Reader, block: Any, start: int, bounds: Bounds,
            values_reader: Reader | None, included: Any, key_model: Columns,
            value_model: Columns | None) -> Any:
    keys, values = _read(reader, block, values_reader, included)
    keys = typed_nulls(keys, key_model)
    return _frame(keys, start, bounds, values, key_model, value_model)


def _frame(keys: Columns, start: int, bounds: Bounds, values: Columns | None, key_model: Columns,
           value_model: Columns | None) -> Any:
    import pandas

    rows = np.arange(start, start + size(keys), dtype=np.uint64)
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

        if _has_parameters(part.type):
            part = part.view(pyarrow.binary(part.type.byte_width)).cast(pyarrow.large_binary())
        return pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.chunked_array([part])))
    return part.view(np.int64) if part.dtype.kind in "mM" else part


def _part(series: Any, model: Any) -> Any:
    if isinstance(model, np.ndarray):
        array = np.ascontiguousarray(series.to_numpy())
        return array.view(model.dtype) if model.dtype.kind in "mM" else array.astype(
            model.dtype, copy=False)
    import pyarrow

    array = pyarrow.chunked_array(series)
    if not array.num_chunks:
        return model
    whole = pyarrow.concat_arrays(array.chunks)
    if _has_parameters(model.type):
        return whole.cast(pyarrow.binary(model.type.byte_width)).view(model.type)
    return whole.cast(model.type)


def _has_parameters(kind: Any) -> bool:
    """Whether Dask's shuffle cannot name the type: it moves the bytes of its elements."""
    import pyarrow

    return bool(pyarrow.types.is_decimal(kind) or pyarrow.types.is_fixed_size_binary(kind))
