"""Indexes over columns that are larger than one machine, on the workers of a Dask cluster.

    >>> import dask.array, distributed, rtindex.dask
    >>> client = distributed.Client()
    >>> keys = dask.array.from_array(numbers, chunks=1_000_000)
    >>> index = rtindex.dask.build(keys)
    >>> index.lookup(numbers[:3], "count")

Needs Dask: `pip install rtindex[dask]`.
"""

from ._collections import LazyRows
from ._create import build, load
from ._index import Index
from ._queries import MISS
from ._results import Rows

__all__ = ["MISS", "Index", "LazyRows", "Rows", "build", "load"]

for _class in (Index, LazyRows, Rows):
    _class.__module__ = __name__
