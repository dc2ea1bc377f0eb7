"""Lookups whose type their library chose: integers on floats, and columns of nulls alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InvalidArgumentError
from ._names import library_of

_EXACT = 2**53  # integers up to here are floats of 64 bits


def whole_as_floats(data: Any) -> Any:
    """Integers of NumPy, pandas, polars or Arrow as floats, anything else as it is."""
    library = library_of(data)
    dtype: Any = getattr(data, "dtype", None)
    if isinstance(data, np.ndarray) or (library == "pandas" and isinstance(dtype, np.dtype)):
        if dtype.kind not in "iu":
            return data
        _require_exact(data.min(initial=0) if isinstance(data, np.ndarray) else data.min(),
                       data.max(initial=0) if isinstance(data, np.ndarray) else data.max())
        return data.astype(np.float64)
    if library == "pandas" and getattr(dtype, "kind", "") in "iu" and dtype is not None:
        _require_exact(data.min(), data.max())
        return data.astype("Float64")
    if library == "polars" and dtype is not None and dtype.is_integer():
        _require_exact(data.min(), data.max())
        return data.cast(float)
    kind = str(getattr(data, "type", ""))
    if library == "pyarrow" and kind.startswith(("int", "uint")):
        try:
            return data.cast("float64")
        except ValueError:
            _require_exact(0, _EXACT + 1)
    return data


def _require_exact(least: Any, greatest: Any) -> None:
    for bound in (least, greatest):
        try:
            is_exact = bound is None or bound != bound or -_EXACT <= int(bound) <= _EXACT
        except (TypeError, ValueError):  # pandas' NA
            is_exact = True
        if not is_exact:
            raise InvalidArgumentError(f"the integer {bound} is given for a column of floats, which "
                                       "are exact up to 2^53: convert the integers to floats first")


def is_all_null(data: Any) -> bool:
    """Whether a column of pandas, polars or Arrow has the type of nulls alone, or of categories of
    which there are none."""
    library = library_of(data)
    if library == "polars":
        return str(getattr(data, "dtype", "")) == "Null"
    if library == "pandas":
        categories = getattr(getattr(data, "dtype", None), "categories", None)
        return categories is not None and not len(categories)
    kind = getattr(data, "type", None)
    return library == "pyarrow" and str(getattr(kind, "value_type", kind)) == "null"
