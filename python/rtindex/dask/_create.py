"""Where indexes come from: a Dask collection, or a folder."""

from __future__ import annotations

import json
import operator
from typing import Any

from .._changes import named_columns
from .._errors import InvalidArgumentError, UnavailableError, UnsupportedError
from .._index import require_flag, spec_text
from .._intervals import Intervals, from_pandas
from .._names import names_of
from .._points import Points
from . import _files
from ._build import assemble, plan, worker_count
from ._index import Index
from ._read import Reader
from ._shuffle import shuffle
from ._sources import aligned_columns, source_of
from ._state import State, state_of


def build(column: Any, index: str = "auto", include: Any = None, partitions: int | None = None,
          replicate: int = 1, *, nan_as_null: bool | None = None, progress: bool = False,
          client: Any = None) -> Index:
    """An index over a Dask array or series, or over composite keys in a data frame or a tuple.

    The index is built when it is first used, by the workers of the Dask client, in partitions by
    ranges of keys. The collection must stay computable: after the loss of a worker Dask computes
    its partitions again.

    index: the spec of the index of each partition, such as "rx", "rx@cuda" or "btree".
    include: a value column to store beside the keys, with the same chunks or partitions, or
        several: a dict, or a list of pairs of a name and a column.
    partitions: how many; None chooses at least one for each worker, of at most 1 GiB each
        (Dask's setting "rtindex.partition-bytes").
    replicate: how many workers hold each partition.
    nan_as_null: whether NaN is null, in the column and in everything that is passed to this index
        later. None: in objects of pandas it is, those of a Dask data frame among them.
    progress: draw a bar while the index is built. Dask's dashboard shows its tasks, too.
    client: the Dask client; None: the current one.
    """
    if isinstance(column, (Intervals, Points)) or from_pandas(column) is not None:
        raise UnsupportedError("rtindex.dask does not take intervals and points yet: build an "
                               "rtindex.Index over them")
    spec = spec_text(index)
    require_flag(nan_as_null)
    source = source_of(column, Reader(nan_as_null))
    included = named_columns(include)
    held = aligned_columns(included, source, "include")
    names = tuple(name for name, _ in included)
    count = None if partitions is None else _positive(partitions, "partitions")
    copies = _positive(replicate, "replicate")
    texts = {} if nan_as_null is None else {"nan_as_null": str(int(nan_as_null))}
    column_names = () if isinstance(column, tuple) else names_of(getattr(column, "_meta", None))
    if column_names:
        texts["names"] = json.dumps(column_names)
    found = _client(client)
    worker_count(found)

    def make() -> State:
        planned = plan(found, source, count)
        parts = shuffle(found, source, held, planned, assemble,
                        [(spec, names)] * (len(planned.bounds) + 1), progress)
        if planned.reordered:
            texts["ordered_categories"] = planned.reordered
        return state_of(found, spec, parts, planned.bounds, planned.rows, copies, texts, progress)

    return Index(make)


def load(folder: Any, *, replicate: int | None = None, client: Any = None) -> Index:
    """Opens a folder that `Index.save` wrote, on the workers of the Dask client.

    folder: a path or an URL of fsspec, which all workers can reach.
    replicate: how many workers hold each partition; None for as many as before.
    """
    found = _client(client)
    worker_count(found)
    copies = None if replicate is None else _positive(replicate, "replicate")
    state = _files.load(found, folder, copies)
    return Index(lambda: state).persist()


def _client(client: Any) -> Any:
    from distributed import default_client

    if client is not None:
        return client
    try:
        return default_client()
    except ValueError:
        raise UnavailableError("no Dask client: create one first, such as with "
                               "client = distributed.Client()") from None


def _positive(number: Any, name: str) -> int:
    try:
        found = operator.index(number)
    except TypeError:
        found = 0
    if found < 1:
        raise InvalidArgumentError(f"invalid {name}={number!r}: expected an integer of 1 or more")
    return found
