"""Building: sampled quantiles, a shuffle by key, and one index for every partition."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

import dask
import dask.utils
import numpy as np

from .._categories import positions_text
from .._errors import OutOfMemoryError, UnavailableError
from .._index import Index as LocalIndex
from .._index import _build as build_with_texts
from .._index import build as build_local
from .._index import default_spec
from .._lists import Array
from .._names import columns_of
from ._columns import Columns, as_included, as_keys, concat, nbytes, size, take
from ._moves import threads
from ._partition import Meta, Partition, small_rows
from ._routing import Bounds
from ._read import Reader
from ._sources import Source

# Rows that each block and each partition adds to the sample.
_SAMPLE = 1024
# Memory of an index with its rows and keys, relative to the keys alone, by measurement.
_FACTOR = 4
_FEW_ROWS = 1 << 16
_MAX_ROWS = 2**32 - 2
_PARTITION_BYTES = 1 << 30


class Sampled(NamedTuple):
    """A block in numbers."""

    length: int
    bytes: int
    keys: Columns
    positions: Array
    reordered: str = ""
    """Which parts have ordered categories whose order is not that of their texts."""


class Plan(NamedTuple):
    """How many rows there are, and where partitions begin."""

    starts: list[int]
    """The first row of each block."""
    rows: int
    bounds: Bounds
    model: Columns | None = None
    """Keys without rows, for their types; None if there is one partition."""
    reordered: str = ""


def worker_count(client: Any) -> int:
    count = len(client.nthreads())
    if not count:
        raise UnavailableError("the Dask cluster has no workers: start some, or wait for them with "
                               "client.wait_for_workers(1)")
    return count


def token() -> str:
    return uuid.uuid4().hex[:12]


def plan(client: Any, source: Source, partitions: int | None) -> Plan:
    """Reads a sample of every block, where the number of partitions or rows needs it."""
    lengths = source.lengths
    if partitions == 1 and lengths is not None and not source.has_order:
        return _planned(lengths, Bounds((np.empty(0, np.int64),), np.empty(0, np.uint64)))
    name = token()
    with released(client) as futures:
        futures += client.compute([
            dask.delayed(sample)(source.reader, block, number,
                                 max(_SAMPLE, 64 * (partitions or 0)),
                                 dask_key_name=f"rtindex-sample-{name}-{number}")
            for number, block in enumerate(source.blocks)], sync=False)
        samples: list[Sampled] = client.gather(futures)
    lengths = [block.length for block in samples]
    if partitions is None:
        partitions = _partition_count(sum(lengths), sum(block.bytes for block in samples),
                                      worker_count(client))
    model = take(concat([block.keys for block in samples]), np.empty(0, np.int64))
    reordered = {part for block in samples for part in block.reordered.split(",") if part}
    return _planned(lengths, quantiles(samples, partitions))._replace(
        model=model, reordered=",".join(sorted(reordered)))


def assemble(holder: tuple[str, tuple[str, ...]], pieces: list[Any]) -> Partition:
    """A new partition, on the worker that keeps it; `holder` has its spec and the names of included
    columns."""
    spec, names = holder
    if len(pieces[0]) == 1:  # one partition: the whole column
        pieces = [piece[0] for piece in pieces]
    rows, keys, values = together(pieces)
    if rows.size > _MAX_ROWS:
        raise OutOfMemoryError(f"a partition has {rows.size} rows, and an index holds 2^32 - 2: "
                               "pass more partitions")
    whole = rows.size and rows[0] == 0 and rows[-1] == rows.size - 1
    return Partition.build(worker_spec(spec), None if whole else rows, keys, values, names)


def together(pieces: list[Any]) -> tuple[Array, Columns, Columns | None]:
    """One piece from those of all blocks, which come in the order of rows."""
    rows = np.concatenate([piece[0] for piece in pieces])
    last = int(rows[-1]) if rows.size else 0
    keys = concat([piece[1] for piece in pieces])
    values = None if pieces[0][2] is None else concat([piece[2] for piece in pieces])
    return small_rows(rows, last), keys, values


def sample(reader: Reader, block: tuple[Any, ...], number: int, max_rows: int) -> Sampled:
    keys = reader.keys(block)
    length = size(keys)
    if length <= max_rows:
        positions = np.arange(length)
    else:
        generator = np.random.default_rng(number)
        positions = np.unique(generator.integers(0, length, max_rows))
    return Sampled(length, nbytes(keys), take(keys, positions), positions,
                   positions_text(part for data in block for part in columns_of(data) or [data]))


def quantiles(samples: list[Sampled], partitions: int) -> Bounds:
    """Bounds between partitions with about as many rows each."""
    keys = concat([block.keys for block in samples])
    starts = np.cumsum([0, *(block.length for block in samples)])
    rows = np.concatenate([start + block.positions for start, block in zip(starts, samples)])
    weights = np.concatenate([np.full(block.positions.size,
                                      block.length / max(block.positions.size, 1))
                              for block in samples])
    index = build_local(as_keys(keys), "sorted@cpu")
    order = np.asarray(index.select(np.arange(index.valid))).astype(np.int64)
    weight = np.cumsum(weights[order])
    if not order.size or partitions == 1:
        chosen = np.empty(0, np.int64)
    else:
        ends = weight[-1] * np.arange(1, partitions) / partitions
        chosen = order[np.minimum(np.searchsorted(weight, ends, "right"), order.size - 1)]
    # A column without keys still has the partitions that were requested: they hold nulls.
    return Bounds(take(keys, chosen), rows[chosen].astype(np.uint64))


def pick(pieces: list[Any], number: int) -> Any:
    return pieces[number]


def meta_of(partition: Partition) -> Meta:
    from distributed import get_worker

    return partition.meta()._replace(worker=get_worker().address)


def empty_index(spec: str, keys: Columns, include: Columns | None, names: tuple[str, ...],
                texts: dict[str, str]) -> LocalIndex:
    """An index of the same type without rows, which answers every lookup with a miss; `texts` is
    what an index stores about its column."""
    none = np.empty(0, np.int64)
    values = None if include is None else as_included(take(include, none), names)
    return build_with_texts(as_keys(take(keys, none)), spec, values, None, texts)


def worker_spec(spec: str) -> str:
    """The spec on this worker: on the device that it names, with as many threads as it has."""
    kind, comma, options = spec.partition(",")
    device = dask.config.get("rtindex.device", None)
    if device and "@" not in kind:
        kind = f"{kind}@{device}"
    on_cpu = "@cpu" in (kind if "@" in kind else default_spec())
    count = threads()
    if count and on_cpu and "threads=" not in options:
        comma, options = ",", f"{options},threads={count}".lstrip(",")
    return f"{kind}{comma}{options}"


@contextlib.contextmanager
def released(client: Any) -> Iterator[list[Any]]:
    """Futures that are cancelled if the block fails or is interrupted, and released after it."""
    futures: list[Any] = []
    try:
        yield futures
    except BaseException:
        client.cancel(futures, force=True)
        raise


def partition_bytes() -> int:
    """The most bytes of a new partition; one that grows to twice as many is split."""
    limit = dask.config.get("rtindex.partition-bytes", _PARTITION_BYTES)
    return int(dask.utils.parse_bytes(limit) if isinstance(limit, str) else limit)


def _planned(lengths: list[int], bounds: Bounds) -> Plan:
    starts = np.cumsum([0, *lengths])
    return Plan(starts[:-1].tolist(), int(starts[-1]), bounds)


def _partition_count(rows: int, key_bytes: int, workers: int) -> int:
    if rows <= _FEW_ROWS:
        return 1
    return max(workers, -(-_FACTOR * key_bytes // partition_bytes()), -(-rows // _MAX_ROWS))
