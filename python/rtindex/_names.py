"""What an object is: one key, a column, or a data frame whose columns have names."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from ._errors import InvalidArgumentError
from ._objects import OBJECTS
from ._relations import table_of
from ._types import ColumnType

_SCALARS = (int, float, str, bytes, np.generic, datetime.date, *OBJECTS)


def is_scalar(data: Any) -> bool:
    return isinstance(data, _SCALARS) or (isinstance(data, np.ndarray) and data.ndim == 0)


def is_one_key(data: Any) -> bool:
    """Whether a tuple holds the parts of one key (or the keys of a plain column), not columns."""
    return isinstance(data, tuple) and any(part is None or is_scalar(part) for part in data)


def is_one(data: Any) -> bool:
    """Whether this is one key, rather than a batch of them."""
    return data is None or is_scalar(data) or is_one_key(data)


@lru_cache(maxsize=256)
def _library(kind: type) -> str:
    packages = [base.__module__.partition(".")[0] for base in kind.__mro__]
    return next((package for package in packages if package in ("pandas", "polars", "pyarrow")),
                packages[0])


def library_of(data: Any) -> str:
    """The package of an object; of subclasses too where it is pandas, polars or pyarrow."""
    kind: Any = type(data)
    return _library(kind)


def is_pandas(data: Any) -> bool:
    return library_of(data) == "pandas" and hasattr(data, "ndim")


def is_relation(data: Any) -> bool:
    """Whether this is a relation of DuckDB."""
    return type(data).__name__ == "DuckDBPyRelation"


def require_collected(data: Any) -> None:
    if type(data).__name__ == "LazyFrame":
        raise InvalidArgumentError("expected a DataFrame of polars, got a LazyFrame: pass "
                                   "frame.collect()")


def as_table(data: Any) -> Any:
    """A relation of DuckDB as a table of pyarrow; anything else as it is."""
    require_collected(data)
    return table_of(data) if is_relation(data) else data


def columns_of(data: Any) -> list[Any]:
    """The columns of a table, a data frame or a tuple; none for anything else."""
    if isinstance(data, tuple):
        return [] if is_one_key(data) else [*data]
    if hasattr(data, "get_level_values"):  # of pandas
        return [data.get_level_values(i) for i in range(data.nlevels)] if data.nlevels > 1 else []
    if is_pandas(data):
        return [data.iloc[:, i] for i in range(data.shape[1])] if data.ndim == 2 else []
    if hasattr(data, "get_columns"):  # polars
        return [*data.get_columns()]
    if hasattr(data, "flatten") and hasattr(getattr(data, "type", None), "num_fields"):
        return [*data.flatten()] if data.type.num_fields else []  # pyarrow's structs
    return [*data.columns] if hasattr(data, "column_names") else []  # and its tables


def names_of(data: Any) -> tuple[str, ...]:
    """The names of the columns of a data frame or table, or that of a Series; none where it has
    none. Those that are no strings are their texts."""
    names: Any
    if is_pandas(data):
        names = data.columns if data.ndim == 2 else getattr(data, "names", [
            getattr(data, "name", None)])
    elif library_of(data) == "polars":
        names = data.columns if hasattr(data, "columns") else [data.name or None]
    elif hasattr(data, "column_names"):  # of pyarrow
        names = data.column_names
    elif hasattr(getattr(data, "type", None), "num_fields"):
        names = [data.type.field(i).name for i in range(data.type.num_fields)]
    else:
        return ()
    found = [*names]
    # A MultiIndex, and one column, may have no name.
    may_miss = len(found) == 1 or getattr(data, "ndim", 2) == 1
    return () if may_miss and any(map(_is_no_name, found)) else texts_of_names(found)


def texts_of_names(names: Iterable[Any]) -> tuple[str, ...]:
    """The names of columns as strings, which differ."""
    found = [*names]
    for i, name in enumerate(found):
        if _is_no_name(name):
            raise InvalidArgumentError(f"invalid column name {name!r} (column {i}): expected a "
                                       "string; rename it")
    texts = tuple(map(str, found))
    for i, text in enumerate(texts):
        if text in texts[:i]:
            raise InvalidArgumentError(f"two columns have the name {text!r}: rename one of them")
    return texts


def _is_no_name(name: Any) -> bool:
    return name is None or type(name).__name__ in ("NAType", "NaTType") or (
        isinstance(name, float) and name != name)


def columns_by_name(data: Any, target: ColumnType | None) -> list[Any]:
    """The columns of a data frame, in the order of the names of the indexed ones."""
    columns = columns_of(data)
    if target is None or not target.names or len(target.names) < 2 or not columns:
        return columns
    names = names_of(data)
    if not names:
        return columns
    missing = [name for name in target.names if name not in names]
    extra = [name for name in names if name not in target.names]
    if missing or extra:
        problem = f"has no column {missing[0]!r}" if missing else (
            f"has a column {extra[0]!r} that the index has not")
        raise InvalidArgumentError(
            f"the {type(data).__name__} {problem}: expected the columns {', '.join(target.names)}; "
            "pass a tuple of columns to match them by position")
    return [columns[names.index(name)] for name in target.names]
