"""Indexes over database columns, answered by ray tracing.

    >>> import numpy as np, rtindex
    >>> index = rtindex.build(np.array([26, 25, 29, 23, 29, 27]))
    >>> index.range([23], [25], "count")
    array([2], dtype=uint32)

Columns and lookups come as NumPy, pyarrow, pandas or polars objects, as anything with DLPack, or as
plain Python lists, and are read where they lie; answers come back as the same kind of object.
"""

from ._core import MISS, Error
from ._core import version as __version__
from ._draw import Picture, draw
from ._index import Index, Join, Memory, Usable, build, default_index, indexes, load
from ._results import Answers, Rows

__all__ = [
    "MISS",
    "Answers",
    "Error",
    "Index",
    "Join",
    "Memory",
    "Picture",
    "Rows",
    "Usable",
    "__version__",
    "build",
    "default_index",
    "draw",
    "indexes",
    "load",
]
