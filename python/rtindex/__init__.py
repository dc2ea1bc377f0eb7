"""Indexes over database columns, answered by ray tracing.

    >>> import numpy as np, rtindex
    >>> index = rtindex.build(np.array([26, 25, 29, 23, 29, 27]))
    >>> index.range([23], [25], "count")
    array([2])

Columns and lookups are NumPy, pyarrow, pandas or polars objects, anything with DLPack, or plain
Python lists. They are read in place, and answers are objects of the same library.
"""

from importlib import import_module as _import_module

# The module of each name, as __init__.pyi declares it to type checkers. Modules are imported when a
# name is first used: `import rtindex` alone needs neither NumPy nor the library.
_MODULES = {
    "Answers": "_results",
    "CorruptFileError": "_errors",
    "Counters": "_results",
    "DeviceStrings": "_device",
    "Error": "_errors",
    "FileError": "_errors",
    "Index": "_index",
    "IndexInfo": "_results",
    "Intervals": "_intervals",
    "InvalidArgumentError": "_errors",
    "Join": "_results",
    "MISS": "_core",
    "MemoryUsage": "_results",
    "OutOfMemoryError": "_errors",
    "Picture": "_draw",
    "Points": "_points",
    "Query": "_query",
    "Rows": "_results",
    "UnavailableError": "_errors",
    "UnsupportedError": "_errors",
    "between": "_filter",
    "build": "_index",
    "default_spec": "_index",
    "draw": "_draw",
    "indexes": "_index",
    "intervals": "_intervals",
    "is_null": "_filter",
    "isin": "_filter",
    "load": "_index",
    "points": "_points",
    "progress": "_progress",
}

# Imported when they are first used, because each needs a library of its own.
_SUBMODULES = ("dask", "duckdb", "pandas", "polars")

__all__ = [*_MODULES]


def __getattr__(name: str):
    if name == "__version__":
        value = _import_module("._core", __name__).version
    elif name in _SUBMODULES:
        value = _import_module(f".{name}", __name__)
    elif name in _MODULES:
        value = getattr(_import_module(f".{_MODULES[name]}", __name__), name)
    else:
        raise AttributeError(f"module 'rtindex' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_MODULES, *_SUBMODULES, "__version__"})
