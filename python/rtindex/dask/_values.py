"""Value columns of a call: every partition gets the values of its rows, in their order."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np

from .._errors import InvalidArgumentError
from .._lists import Array
from ._build import released, token
from ._columns import concat, size, take
from ._engine import Values
from ._partition import Partition
from ._read import Reader, stored
from ._sources import in_memory, is_collection, source_of
from ._state import State

_ROWS_A_BLOCK = 1 << 22


def values_by_partition(state: State, values: Any) -> Values:
    client = state.client
    nan_as_null = state.routing.template._type.nan_as_null
    if is_collection(values):
        source = source_of(values, Reader(nan_as_null))
    else:
        starts = range(0, max(state.size, 1), _ROWS_A_BLOCK)
        source = in_memory(stored(values, nan_as_null),
                           [min(_ROWS_A_BLOCK, state.size - start) for start in starts], "values")
    name = token()
    with released(client) as futures:
        blocks = client.compute([dask.delayed(read_values)(source.reader, block)
                                 for block in source.blocks], sync=False)
        futures += blocks
        lengths = source.lengths or client.gather(client.map(size, blocks, pure=False))
        if sum(lengths) != state.size:
            raise InvalidArgumentError(f"invalid values: expected {state.size} of them, one per "
                                       f"row, got {sum(lengths)}")
        ends = np.cumsum([0, *lengths]).tolist()
        parts = []
        for number, held in enumerate(state.held):
            rows = client.submit(rows_of, held.copies[0], pure=False,
                                 key=f"rtindex-rows-{name}-{number}")
            pieces = [client.submit(taken, block, rows, start, stop, pure=False,
                                    key=f"rtindex-take-{name}-{number}-{i}")
                      for i, (block, start, stop) in enumerate(zip(blocks, ends, ends[1:]))]
            parts.append(client.submit(together, pieces, pure=False,
                                       key=f"rtindex-values-{name}-{number}"))
            futures += [rows, *pieces, parts[-1]]
        model = client.submit(model_of, blocks[0], pure=False).result()
    return Values(tuple(parts), model)


def read_values(reader: Reader, block: Any) -> Any:
    return reader.values(block)


def rows_of(partition: Partition) -> Array:
    return partition.global_rows()


def taken(block: Any, rows: Array, start: int, stop: int) -> Any:
    low, high = np.searchsorted(rows, [start, stop])
    return take(block, rows[low:high].astype(np.int64) - start)


def together(pieces: list[Any]) -> Any:
    return concat(pieces)[0]


def model_of(block: Any) -> Any:
    return take(block, np.empty(0, np.int64))[0]
