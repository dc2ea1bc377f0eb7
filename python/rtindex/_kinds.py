"""Same kind out as in: what answers are wrapped into, by the object that brought the lookups."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ._columns import is_pandas, is_scalar
from ._core import ArrowAnswer
from ._lists import Array

_ARROW_FORMATS = {"uint32": "I", "int64": "l", "uint64": "L", "float64": "g"}


class Kind:
    """NumPy arrays, which are also what lists and everything unknown get.

    `has_nulls`: a miss is a null, in place of a reserved value.
    """

    has_nulls = False

    def array(self, values: Array, validity: Array | None = None,
              per_lookup: bool = True) -> Any:
        """The values; `validity` is a bitmap of those that are not null, where nulls are known.
        `per_lookup`: there is one value for each lookup, in their order."""
        return values

    def rows(self, rows: Any) -> Any:
        return rows


class _Scalar(Kind):
    """One lookup gives one Python object; None is a miss."""

    has_nulls = True

    def array(self, values: Array, validity: Array | None = None,
              per_lookup: bool = True) -> Any:
        if not per_lookup:
            return values
        return None if validity is not None and not validity[0] & 1 else values[0].item()

    def rows(self, rows: Any) -> Any:
        return rows[0]


class _Arrow(Kind):
    has_nulls = True

    def __init__(self, data: Any):
        self.chunked = type(data).__name__ == "ChunkedArray"

    def array(self, values: Array, validity: Array | None = None,
              per_lookup: bool = True) -> Any:
        import pyarrow

        if values.dtype == bool:
            array = pyarrow.array(values)
        else:
            array = pyarrow.array(_arrow_answer(values, validity))
        return pyarrow.chunked_array([array]) if self.chunked else array


class _Polars(Kind):
    has_nulls = True

    def array(self, values: Array, validity: Array | None = None,
              per_lookup: bool = True) -> Any:
        import polars

        return polars.Series(values if values.dtype == bool else _arrow_answer(values, validity))


class _Pandas(Kind):
    has_nulls = True

    def __init__(self, data: Any):
        self.labels = getattr(data, "index", data)

    def array(self, values: Array, validity: Array | None = None,
              per_lookup: bool = True) -> Any:
        import pandas

        data: Any = values
        if validity is not None:
            missing = np.unpackbits(validity, count=values.size, bitorder="little") == 0
            is_float = values.dtype.kind == "f"
            nullable = pandas.arrays.FloatingArray if is_float else pandas.arrays.IntegerArray
            data = nullable(values, missing)
        return pandas.Series(data, index=self.labels if per_lookup else None)


class _Dlpack(Kind):
    """PyTorch, JAX and whatever else takes arrays through `from_dlpack`."""

    def __init__(self, namespace: Any):
        self.namespace = namespace

    def array(self, values: Array, validity: Array | None = None,
              per_lookup: bool = True) -> Any:
        return self.namespace.from_dlpack(values)


def _arrow_answer(values: Array, validity: Array | None) -> ArrowAnswer:
    return ArrowAnswer(_ARROW_FORMATS[values.dtype.name], values.size, values, validity)


_NUMPY = Kind()
_SCALAR = _Scalar()
_POLARS = _Polars()


def kind_of(data: Any) -> Kind:
    """The kind of answers for lookups that came as `data`."""
    if type(data) is np.ndarray and data.ndim == 1:
        return _NUMPY
    if is_scalar(data):
        return _SCALAR
    if isinstance(data, tuple) and data:
        return _SCALAR if all(map(is_scalar, data)) else kind_of(data[0])
    package = type(data).__module__.partition(".")[0]
    if package == "pyarrow":
        return _Arrow(data)
    if package == "polars":
        return _POLARS
    if is_pandas(data):
        return _Pandas(data)
    if hasattr(data, "__dlpack__") and not isinstance(data, np.ndarray):
        namespace = data.__array_namespace__() if hasattr(data, "__array_namespace__") else None
        namespace = namespace or sys.modules.get(package)
        if hasattr(namespace, "from_dlpack"):
            return _Dlpack(namespace)
    return _NUMPY
