"""Same kind out as in: answers become objects of the library that the lookups came from."""

from __future__ import annotations

import contextlib
import decimal
import sys
from typing import Any

import numpy as np

from ._core import ArrowAnswer, Column
from ._decimals import decimal_of, wide_column
from ._errors import InvalidArgumentError
from ._lists import Array, is_missing, validity_bits
from ._names import is_one_key, is_pandas, is_relation, is_scalar, library_of
from ._times import in_common_unit, time_of_day, with_zone
from ._types import DECIMALS, ColumnType


class Kind:
    """NumPy arrays, also for lists and anything else.

    `has_nulls`: a miss is a null rather than a reserved value. `has_signed_counts`: counts are
    int64, so that their differences do not wrap. `is_one`: answers are objects of Python.
    `has_decimals`: the library has decimals; without them these are units of the last digit.
    `is_raw`: keys stay the elements that an index stores.
    """

    has_nulls = False
    has_signed_counts = True
    has_decimals = False
    is_one = False
    is_raw = False

    def array(self, values: Array, validity: Array | None = None, per_lookup: bool = True,
              zone: str = "") -> Any:
        """The values as an object of this kind; `validity` is the bitmap of valid ones.

        `per_lookup`: there is one value for each lookup, in order. `zone`: the time zone of times,
        for kinds that have time zones.
        """
        return values

    def decimals(self, units: Array, validity: Array | None, scale: int) -> Any:
        """One decimal for each lookup, from units of the last digit; of kinds with decimals."""
        raise NotImplementedError

    def mask(self, values: Array) -> Any:
        """Booleans, one for each row of the index."""
        return self.array(values, per_lookup=False)

    def strings(self, items: list[Any]) -> Any:
        """One string for each lookup; None is a miss."""
        array = np.empty(len(items), object)
        array[:] = items
        return array

    def objects(self, items: list[Any], key_type: ColumnType) -> Any:
        """One key for each lookup, of a type that NumPy has not; None is a miss."""
        return Kind.strings(self, items)

    def times_of_day(self, ticks: Array, validity: Array, key_type: ColumnType) -> Any:
        """One key for each lookup."""
        valid = np.unpackbits(validity, count=ticks.size, bitorder="little")
        return self.objects([time_of_day(tick, key_type.unit) if is_valid else None
                             for tick, is_valid in zip(ticks.tolist(), valid)], key_type)

    def parts(self, parts: tuple[Any, ...]) -> Any:
        """Composite keys, from objects of this kind that hold their parts."""
        return parts

    def rows(self, rows: Any) -> Any:
        return rows


class _NumPy(Kind):
    """What callers get. Decimals are objects of Python; None is a miss."""

    has_decimals = True

    def decimals(self, units: Array, validity: Array | None, scale: int) -> Any:
        return self.strings(_decimal_objects(units, validity, scale))


class _Scalar(Kind):
    """One Python object for one lookup; None is a miss."""

    has_nulls = True
    has_decimals = True
    is_one = True

    def array(self, values: Array, validity: Array | None = None, per_lookup: bool = True,
              zone: str = "") -> Any:
        if not per_lookup:
            return values
        if validity is not None and not validity[0] & 1:
            return None
        item = values[0].item()
        if values.dtype.kind == "m":
            return values[0] if isinstance(item, int) else item  # finer than Python's
        if values.dtype.kind != "M":
            return item
        # Times finer than Python's stay NumPy's, or become those of pandas in a zone.
        return with_zone(values[0] if isinstance(item, int) else item, zone)

    def decimals(self, units: Array, validity: Array | None, scale: int) -> Any:
        return _decimal_objects(units, validity, scale)[0]

    def strings(self, items: list[Any]) -> Any:
        return items[0]

    def objects(self, items: list[Any], key_type: ColumnType) -> Any:
        return items[0]

    def parts(self, parts: tuple[Any, ...]) -> Any:
        return None if None in parts else parts

    def rows(self, rows: Any) -> Any:
        return rows[0]


class _Arrow(Kind):
    has_nulls = True
    has_decimals = True
    has_signed_counts = False

    def __init__(self, data: Any):
        self.chunked = type(data).__name__ == "ChunkedArray"

    def array(self, values: Array, validity: Array | None = None, per_lookup: bool = True,
              zone: str = "") -> Any:
        import pyarrow

        if values.dtype == bool:
            array = pyarrow.array(values, mask=_missing(values, validity))
        else:
            array = pyarrow.array(_arrow_answer(values, validity, zone))
        return self._like_lookups(array)

    def decimals(self, units: Array, validity: Array | None, scale: int) -> Any:
        import pyarrow

        return self._like_lookups(pyarrow.array(ArrowAnswer(wide_column(units, validity, scale),
                                                            "")))

    def strings(self, items: list[Any]) -> Any:
        import pyarrow

        is_text = not any(isinstance(item, bytes) for item in items)
        return self._like_lookups(pyarrow.array(items, pyarrow.string() if is_text
                                                else pyarrow.binary()))

    def objects(self, items: list[Any], key_type: ColumnType) -> Any:
        import pyarrow

        if key_type.type == "binary16":
            return self._like_lookups(pyarrow.array(_uuid_bytes(items), pyarrow.binary(16)))
        # Arrow has no integers of 128 bits, which have up to 39 digits.
        is_decimal = key_type.type in DECIMALS
        return self._like_lookups(pyarrow.array(
            [item if item is None else decimal.Decimal(item) for item in items],
            pyarrow.decimal128(38, key_type.scale) if is_decimal else pyarrow.decimal256(39, 0)))

    def times_of_day(self, ticks: Array, validity: Array, key_type: ColumnType) -> Any:
        import pyarrow

        return self._like_lookups(pyarrow.array(_arrow_times_of_day(ticks, validity, key_type)))

    def _like_lookups(self, array: Any) -> Any:
        import pyarrow

        return pyarrow.chunked_array([array]) if self.chunked else array


class _Polars(Kind):
    has_nulls = True
    has_decimals = True
    has_signed_counts = False

    def __init__(self, data: Any):
        self.name = getattr(data, "name", None) or ""

    def array(self, values: Array, validity: Array | None = None, per_lookup: bool = True,
              zone: str = "") -> Any:
        found = self._series(values, validity, zone)
        return found.alias(self.name) if per_lookup else found

    def decimals(self, units: Array, validity: Array | None, scale: int) -> Any:
        import polars

        return polars.Series(ArrowAnswer(wide_column(units, validity, scale), "")).alias(self.name)

    def _series(self, values: Array, validity: Array | None, zone: str) -> Any:
        import polars

        if values.dtype == bool:
            found = polars.Series(values)
            missing = _missing(values, validity)
            return found if missing is None else found.set(polars.Series(missing), None)
        try:
            return polars.Series(_arrow_answer(values, validity, zone))
        except polars.exceptions.ComputeError:
            if not zone:
                raise
            # Polars has no offsets of half an hour: the same times in UTC.
            return polars.Series(_arrow_answer(values, validity, "UTC"))

    def strings(self, items: list[Any]) -> Any:
        import polars

        is_text = not any(isinstance(item, bytes) for item in items)
        return polars.Series(self.name, items, dtype=polars.String if is_text else polars.Binary)


    def objects(self, items: list[Any], key_type: ColumnType) -> Any:
        import polars

        if key_type.type == "binary16":
            return polars.Series(self.name, _uuid_bytes(items), dtype=polars.Binary)
        if key_type.type in DECIMALS:
            return polars.Series(self.name, items, dtype=polars.Decimal(38, key_type.scale))
        wide = getattr(polars, "Int128" if key_type.type == "int128" else "UInt128", polars.Object)
        return polars.Series(self.name, items, dtype=wide)

    def times_of_day(self, ticks: Array, validity: Array, key_type: ColumnType) -> Any:
        import polars

        return polars.Series(_arrow_times_of_day(ticks, validity, key_type)).alias(self.name)


class _Pandas(Kind):
    has_nulls = True
    has_decimals = True

    def __init__(self, data: Any):
        import pandas

        is_index = isinstance(data, pandas.Index)
        self.labels = data if is_index else getattr(data, "index", None)  # an array has none
        self.name = data.name if isinstance(data, pandas.Series) else None

    def array(self, values: Array, validity: Array | None = None, per_lookup: bool = True,
              zone: str = "") -> Any:
        import pandas

        data: Any = values
        if values.dtype.kind in "mM":
            data = values = in_common_unit(values)
        if values.dtype.kind in "mM":  # a miss is NaT
            data = pandas.Series(values)
            if zone:
                data = data.dt.tz_localize("UTC")
                with contextlib.suppress(KeyError, OSError, ValueError):  # an unknown zone
                    data = data.dt.tz_convert(zone)
            data = data.array
        elif validity is not None:
            if values.dtype == np.float16:  # which pandas has not with nulls
                data = values = values.astype(np.float32)
            nullable = {"f": pandas.arrays.FloatingArray, "b": pandas.arrays.BooleanArray}.get(
                values.dtype.kind, pandas.arrays.IntegerArray)
            data = nullable(values, _missing(values, validity))
        return pandas.Series(data, index=self.labels if per_lookup else None,
                             name=self.name if per_lookup else None)

    def decimals(self, units: Array, validity: Array | None, scale: int) -> Any:
        import pandas

        return pandas.Series(_decimal_objects(units, validity, scale), index=self.labels,
                             name=self.name, dtype=object)

    def mask(self, values: Array) -> Any:
        return values  # selects rows by position, whatever the labels of the frame are

    def strings(self, items: list[Any]) -> Any:
        import pandas

        return pandas.Series(items, index=self.labels, name=self.name)


    def objects(self, items: list[Any], key_type: ColumnType) -> Any:
        import pandas

        return pandas.Series(items, index=self.labels, name=self.name, dtype=object)


class _Dlpack(Kind):
    """PyTorch, JAX and other libraries with `from_dlpack`."""

    has_signed_counts = False

    def __init__(self, namespace: Any):
        self.namespace = namespace

    def array(self, values: Array, validity: Array | None = None, per_lookup: bool = True,
              zone: str = "") -> Any:
        ticks = values.view(np.int64) if values.dtype.kind in "mM" else values
        return self.namespace.from_dlpack(ticks)

    def times_of_day(self, ticks: Array, validity: Array, key_type: ColumnType) -> Any:
        return self.array(ticks)


def _uuid_bytes(items: list[Any]) -> list[Any]:
    return [item if item is None else item.bytes for item in items]


def _decimal_objects(units: Array, validity: Array | None, scale: int) -> list[Any]:
    items: list[Any] = [decimal_of(number, scale) for number in units.tolist()]
    missing = _missing(units, validity)
    return items if missing is None else [None if lost else item
                                          for item, lost in zip(items, missing)]


def _missing(values: Array, validity: Array | None) -> Array | None:
    """Which values are null; None if none can be."""
    if validity is None:
        return None
    valid = np.unpackbits(validity, count=values.size, bitorder="little")
    return ~valid.view(bool)


def _arrow_answer(values: Array, validity: Array | None, zone: str) -> ArrowAnswer:
    element_type, unit = values.dtype.name, ""
    if values.dtype.kind in "mM":
        if validity is None:
            validity = validity_bits(np.isnat(values))
        values, element_type, unit = _arrow_times(values)
    return ArrowAnswer(Column.elements(element_type, values, unit, validity), zone)


def _arrow_times(times: Array) -> tuple[Array, str, str]:
    """Ticks, their type and their unit; days are dates in Arrow."""
    if times.dtype == np.dtype("M8[D]"):
        return _arrow_dates(times), "date32", ""
    times = in_common_unit(times)
    if times.dtype.kind not in "mM":
        return times, times.dtype.name, ""
    element_type = "timestamp64" if times.dtype.kind == "M" else "duration64"
    return times.view(np.int64), element_type, np.datetime_data(times.dtype)[0]


def _arrow_times_of_day(ticks: Array, validity: Array, key_type: ColumnType) -> ArrowAnswer:
    return ArrowAnswer(Column.elements(key_type.type, ticks, key_type.unit, validity), "")


def _arrow_dates(days: Array) -> Array:
    """Arrow's dates have 32 bits; the value of NaT is never read."""
    dates = days.view(np.int64).astype(np.int32)
    lost = (dates != days.view(np.int64)) & ~np.isnat(days)
    if lost.any():
        raise InvalidArgumentError(
            f"the answer {days[lost][0]} is too far from 1970 for Arrow's dates: pass the values "
            'as .astype("datetime64[s]"), or the lookups as a NumPy array')
    return dates


_NUMPY = _NumPy()
_SCALAR = _Scalar()


def kind_of(data: Any, composite: bool = False) -> Kind:
    """The kind of answers for lookups in `data`; `composite`: one key is a tuple."""
    if type(data) is np.ndarray and data.ndim == 1:
        return _NUMPY
    if is_scalar(data) or is_missing(data):
        return _SCALAR
    if isinstance(data, tuple) and data:
        if is_one_key(data):
            return _SCALAR if composite else _NUMPY
        return kind_of(data[0])
    package = library_of(data)
    if package == "pyarrow" or is_relation(data):
        return _Arrow(data)
    if package == "polars":
        return _Polars(data)
    if is_pandas(data):
        return _Pandas(data)
    if hasattr(data, "__dlpack__") and not isinstance(data, np.ndarray):
        get_namespace = getattr(data, "__array_namespace__", None)
        namespace = None if get_namespace is None else get_namespace()
        namespace = namespace or sys.modules.get(package)
        if hasattr(namespace, "from_dlpack"):
            return _Dlpack(namespace)
    return _NUMPY
