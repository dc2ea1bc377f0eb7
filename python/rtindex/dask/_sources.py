"""Dask collections as blocks: what to read, and how many rows each block has."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._errors import InvalidArgumentError
from ._columns import Columns, columns, concat, size


class Source(NamedTuple):
    """The blocks of a column; a block is a tuple of Dask's delayed objects, one for each part."""

    blocks: list[tuple[Any, ...]]
    lengths: list[int] | None
    """None where they are unknown."""
    like: Any
    """What answers to lookups like these look like: "array" or "series"."""


def is_collection(data: Any) -> bool:
    """Whether the data is a Dask collection, or a tuple of them."""
    if isinstance(data, tuple):
        return bool(data) and any(is_collection(part) for part in data)
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr", "dask_cudf") and (
        hasattr(data, "__dask_graph__"))


def source_of(data: Any) -> Source:
    parts = [*data] if isinstance(data, tuple) else [data]
    for part in parts:
        if not is_collection(part):
            raise InvalidArgumentError(
                "expected a Dask array, series or data frame, or a tuple of them, got "
                f"{type(part).__name__}: wrap it, such as with dask.array.from_array(keys, "
                "chunks=1_000_000)")
    model = next((part for part in parts if _is_array(part)), None)
    found = [_one(part, model) for part in parts]
    counts = sorted({len(source.blocks) for source in found})
    if len(counts) > 1:
        raise InvalidArgumentError(f"the parts have {counts[0]} and {counts[-1]} blocks: pass them "
                                   "with the same chunks or partitions")
    blocks = [tuple(piece for source in found for piece in source.blocks[i])
              for i in range(counts[0])]
    lengths = next((source.lengths for source in found if source.lengths is not None), None)
    return Source(blocks, lengths, found[0].like)


def aligned(data: Any, source: Source, name: str) -> Source:
    """Another column with the same blocks."""
    if not is_collection(data) and source.lengths is not None:
        data = wrapped(data, source.lengths, name)
    if _is_array(data) and source.lengths is not None and _lengths(data) != source.lengths:
        if sum(source.lengths) != data.shape[0]:
            raise InvalidArgumentError(f"invalid {name}: expected {sum(source.lengths)} entries, "
                                       f"one per row, got {data.shape[0]}")
        data = data.rechunk((tuple(source.lengths),))
    other = source_of(data)
    if len(other.blocks) != len(source.blocks):
        raise InvalidArgumentError(f"invalid {name}: it has {len(other.blocks)} blocks and the "
                                   f"keys have {len(source.blocks)}; pass them with the same "
                                   "chunks or partitions")
    return other


def aligned_columns(named: list[tuple[str, Any]], source: Source, name: str) -> Source | None:
    """Included columns with the same blocks, the columns of a block side by side."""
    if not named:
        return None
    columns = [aligned(data, source, name) for _, data in named]
    return columns[0]._replace(blocks=[
        tuple(part for block in blocks for part in block)
        for blocks in zip(*(column.blocks for column in columns))])


def wrapped(data: Any, lengths: list[int], name: str) -> Any:
    """Values in memory as a Dask array with these chunks."""
    import dask.array

    array = np.asarray(data)
    if array.shape != (sum(lengths),):
        raise InvalidArgumentError(f"invalid {name}: expected {sum(lengths)} entries, one per row, "
                                   f"got an array of shape {array.shape}")
    chunks: Any = (tuple(lengths),)
    return dask.array.from_array(array, chunks=chunks)


def read(*parts: Any) -> Columns:
    """A block as columns."""
    found = [part for data in parts for part in columns(data)]
    sizes = {len(part) for part in found}
    if len(sizes) > 1:
        raise InvalidArgumentError("the parts of a composite key have blocks of different lengths: "
                                   f"{min(sizes)} and {max(sizes)}")
    return tuple(found)


def joined(*blocks: Columns) -> Columns:
    return concat([block for block in blocks if size(block)] or [blocks[0]])


def _is_array(data: Any) -> bool:
    return hasattr(data, "rechunk") and hasattr(data, "chunks")


def _lengths(array: Any) -> list[int] | None:
    if any(math.isnan(length) for length in array.chunks[0]):
        return None
    return [int(length) for length in array.chunks[0]]


def _one(data: Any, model: Any) -> Source:
    if not _is_array(data):
        return Source([(block,) for block in data.to_delayed()], None, "series")
    if data.ndim != 1:
        raise InvalidArgumentError(f"expected a Dask array of one dimension, got {data.ndim}: pass "
                                   "one column of it, or a tuple of columns for a composite key")
    known = _lengths(data)
    if model is not data and known is not None and known != _lengths(model):
        if _lengths(model) is not None and sum(known) == model.shape[0]:
            data = data.rechunk(model.chunks)
            known = _lengths(data)
    return Source([(block,) for block in data.to_delayed().ravel()], known, "array")
