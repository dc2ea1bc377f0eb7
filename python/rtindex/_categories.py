"""Ordered categories: an index holds them as strings, whose order may be another one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._errors import UnsupportedError
from ._query import Query


def is_reordered(data: Any) -> bool:
    """Whether a column has ordered categories whose order is not that of their texts: an ordered
    Categorical of pandas, an Enum of polars, an ordered dictionary of Arrow."""
    dtype = getattr(data, "dtype", None)
    if getattr(dtype, "ordered", False) is True:  # of pandas
        categories: Any = getattr(dtype, "categories", ())
    elif type(dtype).__name__ == "Enum":
        categories = getattr(dtype, "categories", ())
    elif getattr(getattr(data, "type", None), "ordered", False) is True:
        chunks = getattr(data, "chunks", [data])
        categories = chunks[0].dictionary.to_pylist() if chunks else ()
    else:
        return False
    texts = [*categories]
    return all(isinstance(text, str) for text in texts) and texts != sorted(
        texts, key=lambda text: str(text).encode())


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
        "texts in alphabetical order: build it over the codes, in pandas series.cat.codes, in "
        "polars series.to_physical()")
