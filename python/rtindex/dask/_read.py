"""Objects of any library as columns that travel, read as an index in memory reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from .._arrays import NATIVE
from .._changes import value_column
from .._columns import column as column_of
from .._core import ArrowAnswer, Column
from .._device import is_device_array
from .._errors import InvalidArgumentError
from .._index import Index
from .._lists import Array
from .._names import as_table, columns_of
from .._query import EndsName, Query
from .._ranked_keys import part_column
from .._times import zone_of_keys
from .._types import DECIMALS, FLOATS, ColumnType
from ._columns import Columns, size

_LOWEST = -(2**63)
_ARROW_UNITS = ("s", "ms", "us", "ns")


class Reader(NamedTuple):
    """How the blocks of a Dask collection are read, on workers. A block is a tuple of what the
    caller's collections hold."""

    nan_as_null: bool | None = None
    template: Index | None = None
    """Of new rows: an index of the same type."""
    names: tuple[str, ...] = ()
    """Of included columns."""

    def keys(self, block: tuple[Any, ...]) -> Columns:
        data = block[0] if len(block) == 1 else block
        if self.template is not None:
            return new_keys(self.template, data)
        _require_one_scale(columns_of(data) or [data])
        sizes = sorted({len(part) for part in columns_of(data)})
        if len(sizes) > 1:
            raise InvalidArgumentError("the parts of a composite key have blocks of different "
                                       f"lengths: {sizes[0]} and {sizes[-1]}")
        return stored(data, self.nan_as_null)

    def values(self, block: tuple[Any, ...]) -> Columns:
        """Value columns side by side."""
        parts = [part for data in block for part in columns_of(data) or [data]]
        if self.template is not None:
            return tuple(new_values(self.template, part, name)[0]
                         for name, part in zip(self.names, parts))
        _require_one_scale(parts)
        return tuple(stored(part, self.nan_as_null)[0] for part in parts)


def stored(data: Any, nan_as_null: bool | None = None) -> Columns:
    """The parts of a column."""
    _require_host(data)
    if _is_plain(data) and not (data.dtype.kind == "f" and nan_as_null):
        return (np.ascontiguousarray(data),)
    data = as_table(data)
    parts = columns_of(data) or [data]
    found = column_of(data, None, nan_as_null)
    return exported(found, [zone_of_keys(part) for part in parts])


def new_keys(index: Index, data: Any) -> Columns:
    """Keys of new rows in the type of the column."""
    _require_host(data)
    return exported(index._new_keys(data), zones_of(index._type))


def new_values(index: Index, values: Any, name: str) -> Columns:
    """Values of new rows in the type of an included column."""
    _require_host(values)
    return exported(value_column(values, index._core, name), [zone_of_keys(values)])


def lookups(index: Index, query: Query) -> Query:
    """The query with its keys, or the ends of its ranges, as columns in the type of the index."""
    for end in (query.lower, query.upper):
        _require_host(end)
    bound = index._bound(replace(query, filter=None))
    zones = zones_of(index._type)

    def end_of(data: Any, found: Column | None) -> Columns | None:
        if found is None:
            return None
        if _is_plain(data) and found.type == NATIVE[data.dtype.str] and not (
                found.type in FLOATS and index._type.nan_as_null):
            return (np.ascontiguousarray(data),)
        return exported(found, zones)

    lower, upper = end_of(query.lower, bound.lower), end_of(query.upper, bound.upper)
    if lower is not None and upper is not None and size(lower) != size(upper):
        raise InvalidArgumentError("expected as many upper ends as lower ends, got "
                                   f"{size(lower)} lower and {size(upper)} upper")
    # Ends that were rounded are part of their ranges, and neighbours themselves.
    is_rounded = [found is not None and found.rounded for found in (bound.lower, bound.upper)]
    ends = ("[" if is_rounded[0] else query.ends[0]) + ("]" if is_rounded[1] else query.ends[1])
    return replace(query, lower=lower, upper=upper, ends=cast(EndsName, ends),
                   exact=bool(query.exact) or query.kind == "nearest" and is_rounded[0])


def found_columns(index: Index, keys: Any) -> Columns:
    """The keys of neighbours, elements as the index stores them, as lookups."""
    parts = keys if isinstance(keys, tuple) else (keys,)
    return tuple(
        exported(part_column(part.tolist() if of.type == "string" else part, of), [of.zone])[0]
        for part, of in zip(parts, index._type.parts or (index._type,)))


def zones_of(key_type: ColumnType) -> list[str]:
    """The zone of each part."""
    return [part.zone for part in key_type.parts or (key_type,)]


def exported(found: Column, zones: Sequence[str]) -> Columns:
    """A column as NumPy and Arrow arrays; `zones`: of its parts."""
    import pyarrow

    if found.type in ("decimal32", "decimal64") and not hasattr(pyarrow, found.type):
        found, _ = found.rescaled("decimal128", "", found.scale, 1, 1, 0, False)
    array = pyarrow.array(ArrowAnswer(found))
    if found.type != "composite":
        return (_part(array, found.type, found.unit, zones[0]),)
    parts, types = array.flatten(), found.part_types
    units = found.unit.split(",") if found.unit else [""] * len(parts)
    of_parts = [*zones, *([""] * len(parts))]
    return tuple(map(_part, parts, types, units, of_parts))


def _part(array: Any, element_type: str, unit: str, zone: str) -> Any:
    import pyarrow
    import pyarrow.compute

    if element_type in ("timestamp64", "duration64") and unit:
        return _times(array.view(pyarrow.int64()), element_type, unit, zone)
    if element_type == "time64" and unit in ("s", "ms"):  # lookups on a column of 32 bits
        ends = np.iinfo(np.int32)
        ticks = array.view(pyarrow.int64())
        clamped = pyarrow.compute.min_element_wise(
            pyarrow.compute.max_element_wise(ticks, ends.min, skip_nulls=False), ends.max,
            skip_nulls=False)
        return clamped.cast(pyarrow.int32()).view(pyarrow.time32(unit))
    if element_type == "int128":
        return _wide_integers(array)
    if array.null_count or element_type not in NATIVE.values():
        return array
    return array.to_numpy(zero_copy_only=False)


def _wide_integers(array: Any) -> Any:
    """Lookups of 128 bits as decimals, which Arrow has: clamped far beyond 64 bits, where no key
    is, so that decimals have room for those beside them."""
    import pyarrow

    wanted = pyarrow.decimal128(38, 0)
    if not len(array):
        return pyarrow.array([], wanted)
    validity, data = array.buffers()
    halves = np.frombuffer(data, np.int64).reshape(-1, 2)[:len(array)].copy()
    np.clip(halves[:, 1], -(2**55), 2**55, out=halves[:, 1])
    return pyarrow.Array.from_buffers(wanted, len(array), [validity, pyarrow.py_buffer(halves)])


def _times(ticks: Any, element_type: str, unit: str, zone: str) -> Any:
    """Times without a zone as an array of NumPy, in which NaT is null."""
    import pyarrow

    is_duration = element_type == "duration64"
    if zone and unit in _ARROW_UNITS:
        return ticks.view(pyarrow.timestamp(unit, zone))
    numbers: Array = (ticks.fill_null(_LOWEST) if ticks.null_count else ticks).to_numpy()
    lowest = numbers == _LOWEST
    if np.count_nonzero(lowest) > ticks.null_count:  # an end of a range, rather than NaT
        if unit in _ARROW_UNITS:
            return ticks.view(pyarrow.duration(unit) if is_duration else pyarrow.timestamp(unit))
        numbers = numbers + (lowest & ~np.asarray(ticks.is_null()))
    return numbers.view(f"{'m' if is_duration else 'M'}8[{unit}]")


def _is_plain(data: Any) -> bool:
    return type(data) is np.ndarray and data.ndim == 1 and data.dtype.str in NATIVE


def _require_host(data: Any) -> None:
    parts = data if isinstance(data, tuple) else (data,)
    if any(is_device_array(part) for part in parts):
        raise InvalidArgumentError("the lookups are in device memory: rtindex.dask expects host "
                                   "memory and moves it to the GPUs of its workers; pass "
                                   "cupy.asnumpy(keys), or tensor.cpu()")


def _require_one_scale(parts: Sequence[Any]) -> None:
    """Rejects Decimal objects of Python, whose scale is that of the block."""
    for part in parts:
        if getattr(part, "dtype", None) == object and len(part) and (
                column_of(part).type in DECIMALS):
            raise InvalidArgumentError(
                "blocks of Decimal objects may have different scales: cast the column to one type, "
                "such as pandas.ArrowDtype(pyarrow.decimal128(18, 2))")
