"""Indexes as SQL functions of DuckDB."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np

from ._calls import class_of, included_type, value_times
from ._columns import column
from ._decimals import value_scale
from ._errors import InvalidArgumentError, UnsupportedError
from ._index import Index
from ._kinds import kind_of
from ._overloads import NearestName
from ._query import DirectionName, EndsName, Query, QueryName
from ._times import TimeType
from ._types import ColumnType

# Integers compare by value at any width, and floats exactly: the widest type serves all.
_KEY_TYPES = {
    "bool": "BOOLEAN",
    "uint64": "UBIGINT",
    "date32": "DATE",
    "string": "VARCHAR",
    "timestamp64[D]": "DATE",
    "timestamp64[s]": "TIMESTAMP_S",
    "timestamp64[ms]": "TIMESTAMP_MS",
    "timestamp64[us]": "TIMESTAMP",
    "timestamp64[ns]": "TIMESTAMP_NS",
}
# Keys that are answers have the type of the column.
_OWN_TYPES = {"int8": "TINYINT", "int16": "SMALLINT", "int32": "INTEGER", "uint8": "UTINYINT",
              "uint16": "USMALLINT", "uint32": "UINTEGER", "float32": "FLOAT"}
_CLASS_TYPES = {"uint64": "UBIGINT", "int64": "BIGINT", "float64": "DOUBLE"}


def register(connection: Any, name: str, index: Index, answer: NearestName = "any",
             values: Any = None, query: QueryName = "equal", *, ends: EndsName = "[]",
             direction: DirectionName = "backward", exact: bool = True,
             tolerance: Any = None) -> Any:
    """Registers an index as a SQL function: `name(key)`, or `name(lower, upper)` for
    `query="range"`. Composite keys have a parameter for each part. A function of Python with this
    name is replaced. Returns the connection.

    "any", "first" and "last" return a rowID or NULL, "count" a number, "rows" a list to UNNEST,
    and "sum", "mean", "min" and "max" aggregate `values`, or the included values; "min" and "max"
    keep the type of dates and timestamps.

    query: "equal", "range", "prefix" or "nearest", the kind of an `rtindex.Query`.
    ends: of "range", as in `Query.range`.
    direction, exact, tolerance: of "nearest", as in `Query.nearest`.
    """
    if not isinstance(index, Index):
        raise InvalidArgumentError(f"invalid index: expected an rtindex.Index, got "
                                   f"{type(index).__name__}")
    if not isinstance(query, str) or query not in ("equal", "range", "prefix", "nearest"):
        raise InvalidArgumentError(f"invalid query={query!r}: expected equal, range, prefix or "
                                   "nearest; call the index for intervals and points, or query "
                                   "them by rtindex_overlaps_rows, rtindex_filter_rows and other "
                                   "functions of the DuckDB extension")
    settings = Query(query, None, None, ends, direction, exact, tolerance)
    if query != "range" and ends != "[]":
        raise InvalidArgumentError(f"`ends` is an argument of query=\"range\", got query="
                                   f"{query!r}: omit it")
    if query != "nearest" and (direction != "backward" or not exact or tolerance is not None):
        raise InvalidArgumentError("`direction`, `exact` and `tolerance` are arguments of query="
                                   f"\"nearest\", got query={query!r}: omit them")
    if not index.supports(answer, query):
        raise UnsupportedError(f"{index.spec} cannot answer {query} queries with '{answer}'")
    key_types = _key_types(index)
    parts = len(key_types)

    def key(columns: Sequence[Any]) -> Any:
        return columns[0] if parts == 1 else tuple(columns)

    def call(*columns: Any) -> Any:
        upper = key(columns[parts:]) if query == "range" else None
        found = index.answer(replace(settings, lower=key(columns[:parts]), upper=upper), answer,
                             values)
        return found.to_arrow() if answer == "rows" else found

    parameters = key_types * (2 if query == "range" else 1)
    # DuckDB inspects the number of parameters.
    call.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter(f"key{i}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for i in range(len(parameters))])
    # An empty batch raises errors about values and types here, rather than in SQL.
    nothing = tuple(_nothing(part) for part in index._type.parts or (index._type,))
    call(*nothing * (2 if query == "range" else 1))
    with contextlib.suppress(duckdb.InvalidInputException):  # where there is none of this name
        connection.remove_function(name)
    return connection.create_function(name, call, parameters,
                                      _answer_type(connection, index, answer, values), type="arrow",
                                      null_handling="special")


def _nothing(part: ColumnType) -> Any:
    """No keys of that type."""
    if part.type == "string":
        return np.empty(0, "U1")
    if part.zone:
        import pyarrow

        return pyarrow.array([], pyarrow.timestamp("us", part.zone))
    if part.type in ("date32", "timestamp64"):
        return np.empty(0, f"M8[{part.unit or 'D'}]")
    return np.empty(0, part.type)


def _key_types(index: Index) -> list[str]:
    return [_key_type(part) for part in index._type.parts or (index._type,)]


def _key_type(part: ColumnType) -> str:
    if part.type in ("float32", "float64"):
        return "DOUBLE"
    if part.zone:
        return "TIMESTAMPTZ"  # in microseconds, which are converted
    name = f"{part.type}[{part.unit}]" if part.unit else part.type
    if part.unit and name not in _KEY_TYPES:
        raise UnsupportedError(f"DuckDB has no times in {part.unit}: build the index over "
                               ".astype(\"datetime64[us]\")")
    return _KEY_TYPES.get(name, "BIGINT")


def _answer_type(connection: Any, index: Index, answer: NearestName, values: Any) -> Any:
    if answer == "rows":
        return "UINTEGER[]"
    if answer == "key":
        return _own_type(index)
    if answer in ("any", "first", "last", "count"):
        return "UINTEGER"
    if answer == "mean":
        return "DOUBLE"
    by_name = isinstance(values, str)
    held = None if values is None or by_name else column(values)
    value_type = included_type(index._core, values if by_name else "")[0] if held is None else (
        held.type)
    if not value_type:
        raise InvalidArgumentError(f"'{answer}' needs a value column: pass `values`, or build the "
                                   "index with `include`")
    times = value_times(index._core, held, values)
    if times is not None and times.has(answer):
        return _time_type(connection, times)
    scale = value_scale(index._core, held, values)
    if scale is not None:
        return f"DECIMAL(38, {scale})"
    return _CLASS_TYPES[class_of(value_type).__name__]


def _own_type(index: Index) -> str:
    """The type of the column's keys in DuckDB."""
    if index.type == "composite":
        raise UnsupportedError("a SQL function cannot return composite keys: return a row, and "
                               "read the key there")
    return _OWN_TYPES.get(index.type) or _key_type(index._type)


def _time_type(connection: Any, times: TimeType) -> Any:
    """The type of such answers in DuckDB: DATE, TIMESTAMP_NS, TIMESTAMPTZ."""
    import pyarrow

    nothing = pyarrow.array([], pyarrow.uint32())
    answers = kind_of(nothing).array(np.empty(0, times.dtype), zone=times.zone)
    return connection.from_arrow(pyarrow.table({"answer": answers})).types[0]
