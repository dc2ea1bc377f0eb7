"""Ordered categories: an index holds them as their values, whose order may be another one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._errors import UnsupportedError
from ._query import Query


def is_reordered(data: Any) -> bool:
    """Whether a column has ordered categories whose order is not that of their values: an ordered
    Categorical of pandas, an Enum of polars, an ordered dictionary of Arrow."""
    dtype: Any = getattr(data, "dtype", None)
    if getattr(dtype, "ordered", False) is True or type(dtype).__name__ == "Enum":
        return not _is_ascending(dtype.categories)
    if getattr(getattr(dtype, "pyarrow_dtype", None), "ordered", False) is True:
        data = getattr(data, "array", data).__arrow_array__()
    if getattr(getattr(data, "type", None), "ordered", False) is not True:
        return False
    return not all(_is_ascending(chunk.dictionary.to_pylist())
                   for chunk in getattr(data, "chunks", [data]))


def _is_ascending(categories: Iterable[Any]) -> bool:
    values = [value.encode() if isinstance(value, str) else value for value in categories]
    try:
        return values == sorted(values)
    except TypeError:  # no values of one type, which no column holds
        return True


def positions_text(columns: Iterable[Any]) -> str:
    """The positions of columns with such categories, as an index stores them."""
    return ",".join(str(i) for i, column in enumerate(columns) if is_reordered(column))


def positions_of(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split(","))) if text else frozenset()


def require_no_order(reordered: frozenset[int], query: Query, parts: int) -> None:
    """Rejects queries that compare ordered categories; equal ones are found."""
    if query.kind == "range":
        used = reordered
    elif query.kind == "nearest":  # of the last part, beside equal ones
        used = reordered & {max(parts, 1) - 1}
    else:
        return
    if used:
        reject("range" if query.kind == "range" else "nearest")


def reject(call: str) -> None:
    raise UnsupportedError(
        f"{call} needs the order of keys, and the column has ordered categories, which the index holds as "
        "their values, such as texts in alphabetical order: build it over the codes, in pandas "
        "series.cat.codes, in polars series.to_physical()")


def require_values(data: Any) -> None:
    """Rejects values of which the least one is not that of their categories."""
    if is_reordered(data):
        raise UnsupportedError(
            "the values are ordered categories, whose order is not that of the values that min and "
            "max compare: pass the codes, in pandas series.cat.codes, or the values, with "
            "series.astype(series.cat.categories.dtype)")
