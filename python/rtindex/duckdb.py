"""Indexes as SQL functions of DuckDB."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._calls import class_of, value_times
from ._columns import column
from ._errors import InvalidArgumentError, UnsupportedError
from ._index import Index, LookupName
from ._kinds import kind_of
from ._lookups import AnswerName
from ._times import TimeType

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
_CLASS_TYPES = {"uint64": "UBIGINT", "int64": "BIGINT", "float64": "DOUBLE"}


def register(connection: Any, name: str, index: Index, answer: AnswerName = "any",
             values: Any = None, lookup: LookupName = "point") -> Any:
    """Registers an index as a SQL function: `name(key)`, or `name(lower, upper)` for
    `lookup="range"`. Returns the connection.

    "any" and "first" return a rowID or NULL, "count" a number, "rows" a list to UNNEST, and "sum",
    "min" and "max" aggregate `values`, or the included values; "min" and "max" keep the type of
    dates and timestamps.
    """
    if lookup not in ("point", "range"):
        raise InvalidArgumentError(f"invalid lookup={lookup!r}: expected point or range")
    if not index.supports(answer, lookup):
        raise UnsupportedError(f"{index.spec} cannot answer {lookup} lookups with '{answer}'")

    def as_arrow(found: Any) -> Any:
        return found.to_arrow() if answer == "rows" else found

    # DuckDB inspects the number of parameters.
    def point(key: Any) -> Any:
        return as_arrow(index.lookup(key, answer, values))

    def between(lower: Any, upper: Any) -> Any:
        return as_arrow(index.range(lower, upper, answer, values))

    parameters = [_key_type(index)] * (1 if lookup == "point" else 2)
    function = point if lookup == "point" else between
    return connection.create_function(name, function, parameters,
                                      _answer_type(connection, index, answer, values), type="arrow",
                                      null_handling="special")


def _key_type(index: Index) -> str:
    if index.type == "composite":
        raise UnsupportedError("composite keys cannot be registered: a SQL function takes one "
                               "column")
    if index.type in ("float32", "float64"):
        return "DOUBLE"
    name = f"{index.type}[{index.time_unit}]" if index.time_unit else index.type
    return _KEY_TYPES.get(name, "BIGINT")


def _answer_type(connection: Any, index: Index, answer: AnswerName, values: Any) -> Any:
    if answer == "rows":
        return "UINTEGER[]"
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


def _time_type(connection: Any, times: TimeType) -> Any:
    """The type of such answers in DuckDB: DATE, TIMESTAMP_NS, TIMESTAMPTZ."""
    import pyarrow

    nothing = pyarrow.array([], pyarrow.uint32())
    answers = kind_of(nothing).array(np.empty(0, times.dtype), zone=times.zone)
    return connection.from_arrow(pyarrow.table({"answer": answers})).types[0]
