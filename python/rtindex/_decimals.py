"""Answers that are decimals: sums, minima, maxima and means of a column of decimals."""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np

from . import _core
from ._errors import InvalidArgumentError
from ._lists import Array
from ._types import DECIMALS


def included_scale(index: _core.Index, name: str) -> int | None:
    """The scale of an included column; None where it holds no decimals."""
    columns = index.included
    return index.included_scales.get(columns[0][0] if not name and len(columns) == 1 else name)


def value_scale(index: _core.Index, values: _core.Column | None, data: Any) -> int | None:
    """The scale of the values of a call; None if they are no decimals. `data` was read as
    `values`."""
    if values is not None:
        return values.scale if values.type in DECIMALS else None
    return included_scale(index, data if isinstance(data, str) else "")


def in_last_digits(miss: Any, scale: int, has_units: bool) -> Any:
    """The result of a miss in units of the last digit; `has_units`: they must be whole."""
    if not isinstance(miss, (int, float, decimal.Decimal, np.number)) or not math.isfinite(miss):
        return miss
    exact = decimal.Decimal(miss.item() if isinstance(miss, np.number) else miss)
    units = exact.scaleb(scale, decimal.Context(prec=100))
    if not has_units:
        return float(units)
    if units != units.to_integral_value():
        raise InvalidArgumentError(f"invalid miss={miss!r}: expected a number with at most {scale} "
                                   "digits behind the point, as the values have")
    return int(units)


def require_whole_sums(sums: Array, means: Array, counts: Array, has_value: Array,
                       scale: int) -> None:
    """An error where a sum has wrapped around: units of the last digit are added up in 64 bits.

    means: of the same values, whose sums have 128 bits.
    counts: of these values, or, where some are null, of the rows: a sum that would fit only because
    of its nulls is an error as well.
    """
    totals = means * counts
    too_large = 2.0**63 * (1 - 2.0**-40)  # below what the rounding of means can hide
    lost = has_value & (abs(totals) >= too_large) & (abs(totals - sums) >= 2.0**62)
    if lost.any():
        query = int(np.argmax(lost))
        raise InvalidArgumentError(
            f"the sum of query {query}, about {totals[query] / 10.0**scale:.6g} without nulls, does not "
            f"fit 64 bits in units of 1E{-scale}: request 'mean' and 'count', or pass the values as "
            "float64")


def decimal_of(units: int, scale: int) -> decimal.Decimal:
    """One number, whose last digit has this scale."""
    return decimal.Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -scale))


def wide_column(units: Array, validity: Array | None, scale: int) -> _core.Column:
    """Decimals with as many digits as Arrow and polars have: units of 64 bits may have 19."""
    halves = np.empty((len(units), 2), np.int64)
    halves[:, 0], halves[:, 1] = units, units >> 63
    return _core.Column.elements("decimal128", halves.reshape(-1).view(np.uint64), "", validity,
                                 scale)
