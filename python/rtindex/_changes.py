"""The arguments of calls that change an index: rows, and new included values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ._arrays import NATIVE
from ._calls import included_type
from ._columns import column
from ._core import Column, Index
from ._decimals import included_scale
from ._device import device_rows, first_array, is_device_array, library_of, wrong_rows
from ._errors import InvalidArgumentError
from ._lists import Array, plain_array
from ._names import as_table, columns_of, is_scalar, names_of
from ._nulls import null_count
from ._times import TimeType
from ._types import INTEGERS, ColumnType


def stream_of(**arrays: Any) -> int:
    """The current stream of arrays in device memory; 0 where all are in host memory.

    A change waits for one stream, so that all arrays must be on it.
    """
    for data in arrays.values():
        if type(data) is not np.ndarray:
            break
    else:
        return 0  # the common case
    (name, array), *others = ((name, first_array(data)) for name, data in arrays.items())
    on_device = is_device_array(array)
    stream = library_of(array).stream(array) if on_device else 0
    for other, data in others:
        if is_device_array(data) != on_device:
            there, here = (name, other) if on_device else (other, name)
            raise InvalidArgumentError(f"the {there} are in device memory and the {here} in host "
                                       "memory: move one of them")
        if on_device and library_of(data).stream(data) != stream:
            raise InvalidArgumentError(f"the {name} and the {other} are on different streams: use "
                                       "one library, or make one stream current in both")
    return stream


def row_column(rows: Any, size: int) -> Column:
    """The rows as uint32; `size` is the number of rows of the column."""
    if (type(rows) is np.ndarray and rows.dtype == np.uint32 and rows.shape == (1,)
            and rows.item() < size):
        return Column.elements("uint32", rows)  # changes of one row are many
    if is_device_array(rows):
        return device_rows(rows, size)
    if isinstance(rows, np.ma.MaskedArray) and np.ma.is_masked(rows):
        raise InvalidArgumentError(
            "invalid rows: one is masked; remove it from the rows and of what they get, such as "
            "with rows.compressed() and keys[~rows.mask]")
    if isinstance(rows, (set, frozenset)):
        raise InvalidArgumentError("invalid rows: expected a list, got a set, which has no order: "
                                   "pass sorted(rows)")
    if isinstance(rows, Iterator):
        rows = [*rows]
    try:
        numbers = np.asarray(rows)
    except ValueError:
        raise InvalidArgumentError("invalid rows: pass a flat list of integers") from None
    if numbers.ndim > 1:
        raise InvalidArgumentError(f"invalid rows of {numbers.ndim} dimensions: pass a flat list")
    is_whole = numbers.dtype.kind in "iu" or all(type(row) is int for row in numbers.flat)
    if not is_whole and null_count(rows):
        raise InvalidArgumentError("invalid rows: one is null; remove it, and what it gets")
    if not is_whole:
        mask = "; for a mask, pass np.flatnonzero(mask)" if numbers.dtype.kind == "b" else ""
        raise InvalidArgumentError(f"invalid rows of type {numbers.dtype}: expected integers{mask}")
    wrong = _outside(numbers, size)
    if wrong is not None:
        raise InvalidArgumentError(wrong_rows(size).replace("invalid rows", f"invalid row {wrong}"))
    return column(np.ascontiguousarray(numbers, np.uint32).reshape(-1))


def _outside(numbers: Array, size: int) -> Any:
    """The first number that is no row; None if all are."""
    if not numbers.size or 0 <= numbers.min() and numbers.max() < size:
        return None
    return next(row for row in numbers.flat if not 0 <= row < size)


def named_columns(include: Any) -> list[tuple[str, Any]]:
    """Included columns with their names: of a mapping, of a data frame, of a list of pairs, or one
    column without a name."""
    if include is None:
        return []
    if type(include) is np.ndarray:  # changes of one row are many
        return [("", include)]
    if not isinstance(include, (dict, list, tuple)):
        table = as_table(include)
        columns, names = columns_of(table), names_of(table)
        if columns and len(names) == len(columns):
            return [*zip(names, columns)]
    pairs = [*include.items()] if isinstance(include, Mapping) else include
    if isinstance(pairs, (list, tuple)) and pairs and all(
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)
            and not is_scalar(pair[1]) for pair in pairs):
        return [*pairs]
    if isinstance(include, Mapping):
        raise InvalidArgumentError("invalid included columns: expected names and columns, such as "
                                   "{\"price\": price}")
    return [("", include)]


def value_columns(values: Any, index: Index) -> list[tuple[str, Column]]:
    """The included columns of new rows."""
    return [(name, value_column(column, index, name)) for name, column in named_columns(values)]


def value_column(values: Any, index: Index, name: str = "") -> Column:
    """New values of an included column; Python numbers are converted to their type."""
    wanted, time = included_type(index, name)
    if not wanted:
        return column(values)  # which the index rejects
    if type(values) is np.ndarray and wanted in INTEGERS and wanted == NATIVE.get(values.dtype.str):
        return column(values)  # as it is
    if wanted in INTEGERS and (is_scalar(values) or isinstance(values, (list, tuple))):
        for value in [values] if is_scalar(values) else values:
            if type(value) is int and not -(2**63) <= value < 2**64:
                raise _invalid_value(value, wanted)
    times = TimeType.from_text(time)
    nan_as_null = {"": None, "0": False, "1": True}[index.metadata.get("nan_as_null", "")]
    found = column(values, ColumnType(wanted, "" if times is None else times.unit,
                                      scale=included_scale(index, name) or 0,
                                      zone="" if times is None else times.zone,
                                      nan_as_null=nan_as_null))
    if found.type == wanted or not (is_scalar(values) or isinstance(values, (list, tuple, range))):
        return found
    array, validity = plain_array([values] if is_scalar(values) else list(values), wanted, "")
    if wanted not in NATIVE.values() or array.dtype.kind not in "biuf":
        return found
    return Column.elements(wanted, _cast(array, wanted), "", validity)


def _cast(numbers: Array, wanted: str) -> Array:
    """Numbers in another type; floats may be rounded, whole numbers may not."""
    with np.errstate(invalid="ignore", over="ignore"):
        cast = numbers.astype(wanted)
        lost = cast.astype(numbers.dtype) != numbers
        if cast.dtype.kind == "f" and numbers.dtype.kind == "f":
            lost = np.isfinite(numbers) & ~np.isfinite(cast)
    if cast.dtype.kind in "iu" and numbers.dtype.kind != "b":
        # Integers wrap around, and back again.
        limits = np.iinfo(cast.dtype)
        low, high = int(limits.min), int(limits.max)
        lost |= np.array([not low <= number <= high for number in numbers.tolist()], bool)
    if lost.any():
        raise _invalid_value(numbers[lost][0], wanted)
    return cast


def _invalid_value(value: Any, wanted: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"invalid value {value}: expected {wanted}, the type of the included "
                                "values")
