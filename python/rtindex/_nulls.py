"""Nulls of columns of any kind."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ._lists import is_missing, is_nat
from ._names import is_pandas


def null_count(data: Any, nan: bool = True) -> int:
    """How many entries of a column are null. NaN of pandas is, and with `nan` that of NumPy and of
    lists."""
    if is_pandas(data):
        return int(data.isna().sum())
    count = getattr(data, "null_count", None)  # of polars a method, of Arrow a number
    if count is not None:
        return cast(int, count() if callable(count) else count)
    if isinstance(data, np.ma.MaskedArray):
        return int(np.ma.getmaskarray(data).sum())
    kind = data.dtype.kind if isinstance(data, np.ndarray) else ""
    if kind in ("m", "M"):
        return int(np.isnat(data).sum())
    if kind == "f":
        return int(np.isnan(data).sum()) if nan else 0
    if kind == "O" or isinstance(data, (list, tuple)):
        return sum(is_missing(item) or nan and _is_nan(item) for item in data)
    return 0


def _is_nan(item: Any) -> bool:
    return is_nat(item) or isinstance(item, (float, np.floating)) and bool(item != item)
