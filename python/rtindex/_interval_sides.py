"""Starts and ends of intervals in one type, where one side is text, has nulls alone, or holds whole
numbers as floats because it has nulls."""

from __future__ import annotations

from typing import Any

from ._columns import column
from ._core import Column
from ._device import is_device_array
from ._errors import InvalidArgumentError
from ._lists import times_of
from ._names import is_pandas
from ._nulls import null_count
from ._times import zone_of_keys
from ._types import DECIMALS, INTEGERS, TIMES, ColumnType


def in_one_type(given: tuple[Any, Any], sides: tuple[Column, Column],
                wanted: tuple[ColumnType | None, ColumnType | None],
                nan_as_null: bool | None) -> tuple[list[Column], list[str]]:
    """The starts and the ends, which were read as `sides`, and their time zones. Nulls have the
    type of the other side; ISO texts beside times are times; whole numbers that pandas holds as
    floats, because one is missing, are integers beside integers; decimals have the larger scale."""
    found, zones = [*sides], [zone_of_keys(data) for data in given]
    if (sides[0].type == sides[1].type and sides[0].scale == sides[1].scale
            and bool(zones[0]) == bool(zones[1])):
        return found, zones
    if sides[0].type in DECIMALS and sides[1].type in DECIMALS:
        return _in_one_scale(sides), zones
    # Of two sides of nulls alone, times count.
    for own, other in ((1, 0), (0, 1)) if sides[0].type in TIMES else ((0, 1), (1, 0)):
        data, there = given[own], sides[other]
        if is_device_array(data):
            continue
        if has_nulls_alone(data, nan_as_null):
            found[own] = column([None] * len(sides[own]),
                                ColumnType(there.type, there.unit, scale=there.scale))
            zones[own] = zones[other]
            break
        if sides[own].type == "string" and there.type in ("date32", "timestamp64"):
            try:
                times, zones[own] = times_of(texts(data))
            except InvalidArgumentError as error:
                raise InvalidArgumentError(f"the {('starts', 'ends')[own]} of the intervals are "
                                           f"text: {error}; convert other formats with "
                                           "pd.to_datetime") from None
            found[own] = column(times, wanted[own])
            break
        if sides[own].type.startswith("float") and there.type in INTEGERS:
            whole = _whole_numbers(data, nan_as_null)
            if whole is not None:
                found[own] = column(whole)
                break
    return found, zones


def _in_one_scale(sides: tuple[Column, Column]) -> list[Column]:
    """Decimals of 128 bits with as many digits behind the point as the side that has more."""
    scale = max(side.scale for side in sides)
    found = []
    for name, side in zip(("starts", "ends"), sides):
        more = scale - side.scale
        fits = more <= 18  # powers of ten in 64 bits
        if fits:
            wide, rejected = side.rescaled("decimal128", "", scale, 10**more, 1, 0, False)
            found.append(wide)
            fits = rejected is None
        if not fits:
            raise InvalidArgumentError(f"the {name} of the intervals do not fit 38 digits with "
                                       f"{scale} behind the point, as the other side has: round "
                                       "one of the columns")
    return found


def _whole_numbers(data: Any, nan_as_null: bool | None) -> Any:
    """A column of pandas that has floats only because a number is missing, as integers; None of
    others."""
    if not is_pandas(data) or nan_as_null is False:
        return None
    numbers = data.dropna().to_numpy()
    if len(numbers) == len(data) or (abs(numbers) > 2.0**53).any() or (numbers % 1 != 0).any():
        return None
    return data.astype("Int64")


def has_nulls_alone(data: Any, nan_as_null: bool | None = None) -> bool:
    if is_pandas(data) and nan_as_null is False or not hasattr(data, "__len__"):
        return False
    return null_count(data, nan_as_null is True) == len(data)


def texts(data: Any) -> list[Any]:
    """Texts and None."""
    for name in ("to_pylist", "to_list", "tolist"):  # of Arrow, polars and pandas, NumPy
        if hasattr(data, name):
            return [item if isinstance(item, str) else None for item in getattr(data, name)()]
    return [*data]
