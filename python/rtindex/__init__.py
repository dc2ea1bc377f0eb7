"""Indexes over database columns, answered by ray tracing.

    >>> import numpy as np, rtindex
    >>> index = rtindex.build(np.array([26, 25, 29, 23, 29, 27]))
    >>> index.range([23], [25], "count")
    array([2], dtype=uint32)

Columns and lookups come as NumPy, pyarrow, pandas or polars objects, as anything with DLPack, or as
plain Python lists, and are read where they lie; answers come back as the same kind of object.
"""

from importlib import import_module as _import_module

# Where each name lives; __init__.pyi says the same to type checkers. Modules are imported when a
# name is first used, so that `python -m rtindex.report` needs neither NumPy nor the library.
_HOMES = {
    "Answers": "_results",
    "Counters": "_results",
    "Error": "_core",
    "Index": "_index",
    "Join": "_results",
    "MISS": "_core",
    "Memory": "_results",
    "Picture": "_draw",
    "Rows": "_results",
    "IndexInfo": "_results",
    "build": "_index",
    "default_index": "_index",
    "draw": "_draw",
    "indexes": "_index",
    "load": "_index",
}

__all__ = [*_HOMES]


def __getattr__(name: str):
    if name == "__version__":
        value = _import_module("._core", __name__).version
    elif name in _HOMES:
        value = getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    else:
        raise AttributeError(f"module 'rtindex' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_HOMES, "__version__"})
