"""Dask collections as blocks: what to read, and how many rows each block has."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import dask
import numpy as np

from .._errors import InvalidArgumentError
from ._columns import Columns, cut, size
from ._read import Reader, new_values, stored


class Source(NamedTuple):
    """The blocks of a column; a block is a tuple of Dask's delayed objects, one for each part."""

    blocks: list[tuple[Any, ...]]
    lengths: list[int] | None
    """None where they are unknown."""
    like: Any
    """What answers to lookups like these look like: "array" or "series"."""
    reader: Reader = Reader()
    has_order: bool = False
    """Whether there may be ordered categories."""


def is_collection(data: Any) -> bool:
    """Whether the data is a Dask collection, or a tuple of them."""
    if isinstance(data, tuple):
        return bool(data) and any(is_collection(part) for part in data)
    return type(data).__module__.partition(".")[0] in ("dask", "dask_expr", "dask_cudf") and (
        hasattr(data, "__dask_graph__"))


def source_of(data: Any, reader: Reader = Reader()) -> Source:
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
    return Source(blocks, lengths, found[0].like, reader, any(map(_has_order, parts)))


def aligned(data: Any, source: Source, name: str, own: str) -> Source:
    """Another column with the same blocks; `own` is the name of an included column."""
    if not is_collection(data) and source.lengths is not None:
        template, nan_as_null = source.reader.template, source.reader.nan_as_null
        column = stored(data, nan_as_null) if template is None else new_values(template, data, own)
        return in_memory(column, source.lengths, name)
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
    columns = [aligned(data, source, name, own) for own, data in named]
    reader = source.reader._replace(names=tuple(own for own, _ in named))
    return columns[0]._replace(reader=reader, blocks=[
        tuple(part for block in blocks for part in block)
        for blocks in zip(*(column.blocks for column in columns))])


def in_memory(column: Columns, lengths: list[int], name: str) -> Source:
    """Values in memory as blocks of these lengths."""
    if len(column) != 1 or size(column) != sum(lengths):
        raise InvalidArgumentError(f"invalid {name}: expected {sum(lengths)} of them, one per row, "
                                   f"got {size(column)}")
    ends = np.cumsum([0, *lengths]).tolist()
    blocks = [(dask.delayed(cut(column, start, stop)[0]),) for start, stop in zip(ends, ends[1:])]
    return Source(blocks, lengths, "array")


def _has_order(data: Any) -> bool:
    dtypes = getattr(data, "dtypes", [getattr(data, "dtype", None)])
    return any(getattr(dtype, "ordered", False) is True
               for dtype in (dtypes if hasattr(dtypes, "__iter__") else [dtypes]))


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
