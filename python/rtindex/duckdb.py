"""Indexes as SQL functions of DuckDB."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ._calls import class_of, value_times
from ._columns import column
from ._errors import InvalidArgumentError, UnsupportedError
from ._index import Index, LookupName
from ._kinds import kind_of
from ._lookups import DirectionName, EndsName, NearestName
from ._times import TimeType
from ._types import ColumnType

SqlLookupName = Literal["point", "range", "asof"]

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
             values: Any = None, lookup: SqlLookupName = "point", *, ends: EndsName = "[]",
             direction: DirectionName = "backward", exact: bool = True,
             tolerance: Any = None) -> Any:
    """Registers an index as a SQL function: `name(key)`, or `name(lower, upper)` for
    `lookup="range"`. Composite keys have a parameter for each part. Returns the connection.

    "any" and "first" return a rowID or NULL, "count" a number, "rows" a list to UNNEST, and "sum",
    "min" and "max" aggregate `values`, or the included values; "min" and "max" keep the type of
    dates and timestamps.

    lookup: "point", "range" or "asof", which finds the neighbour of each key; "key" is one of its
        answers.
    ends: of ranges, as in `Index.range`.
    direction, exact, tolerance: of neighbours, as in `Index.nearest`.
    """
    kinds: dict[str, LookupName] = {"point": "point", "range": "range", "asof": "nearest"}
    if not isinstance(index, Index):
        raise InvalidArgumentError(f"invalid index: expected an rtindex.Index, got "
                                   f"{type(index).__name__}")
    if not isinstance(lookup, str) or lookup not in kinds:
        raise InvalidArgumentError(f"invalid lookup={lookup!r}: expected point, range or asof")
    if lookup != "range" and ends != "[]":
        raise InvalidArgumentError(f"`ends` is an argument of lookup=\"range\", got lookup="
                                   f"{lookup!r}: omit it")
    if lookup != "asof" and (direction != "backward" or not exact or tolerance is not None):
        raise InvalidArgumentError("`direction`, `exact` and `tolerance` are arguments of lookup="
                                   f"\"asof\", got lookup={lookup!r}: omit them")
    if not index.supports(answer, kinds[lookup]):
        raise UnsupportedError(f"{index.spec} cannot answer {lookup} lookups with '{answer}'")
    key_types = _key_types(index)
    parts = len(key_types)

    def key(columns: Sequence[Any]) -> Any:
        return columns[0] if parts == 1 else tuple(columns)

    def call(*columns: Any) -> Any:
        if lookup == "point":
            found = index.lookup(key(columns), answer, values)  # type: ignore[arg-type]
        elif lookup == "range":
            found = index.range(key(columns[:parts]), key(columns[parts:]),
                                answer, values, ends=ends)  # type: ignore[arg-type]
        else:
            found = index.nearest(key(columns), answer, values, direction, exact, tolerance)
        return found.to_arrow() if answer == "rows" else found

    parameters = key_types * (2 if lookup == "range" else 1)
    # DuckDB inspects the number of parameters.
    call.__signature__ = inspect.Signature([  # type: ignore[attr-defined]
        inspect.Parameter(f"key{i}", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for i in range(len(parameters))])
    # Wrong arguments are refused here rather than in a query.
    nothing = tuple(_nothing(part) for part in index._type.parts or (index._type,))
    call(*nothing * (2 if lookup == "range" else 1))
    return connection.create_function(name, call, parameters,
                                      _answer_type(connection, index, answer, values), type="arrow",
                                      null_handling="special")


def _nothing(part: ColumnType) -> Any:
    """No keys of that type."""
    if part.type == "string":
        return np.empty(0, "U1")
    if part.type in ("date32", "timestamp64"):
        return np.empty(0, f"M8[{part.unit or 'D'}]")
    return np.empty(0, part.type)


def _key_types(index: Index) -> list[str]:
    return [_key_type(part) for part in index._type.parts or (index._type,)]


def _key_type(part: ColumnType) -> str:
    if part.type in ("float32", "float64"):
        return "DOUBLE"
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
    if answer in ("any", "first", "count"):
        return "UINTEGER"
    held = None if values is None else column(values)
    value_type = index.included if held is None else held.type
    if value_type is None:
        raise InvalidArgumentError(f"'{answer}' needs a value column: pass `values`, or build the "
                                   "index with `include`")
    times = None if answer == "sum" else value_times(index._core, held, values)
    if times is not None:
        return _time_type(connection, times)
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
