"""One call of `Index.lookup` or `Index.range`: from its arguments to its answers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._columns import column as column_of
from ._columns import columns_of
from ._device import answer_on_device
from ._errors import InvalidArgumentError, UnsupportedError
from ._kinds import Kind
from ._lists import Array
from ._results import Answers, Counters, Rows
from ._times import TimeType, ticks_of, time_type

_ROW_ANSWERS = ("any", "first", "count")
_AGGREGATES = ("sum", "min", "max")
_CHOICES = "any, first, count, sum, min, max or rows"
NO_LIMIT = 2**32 - 1


def answer(index: _core.Index, lower: _core.Column, upper: _core.Column | None, lower_data: Any,
           upper_data: Any, kind: Kind, names: Any, values: Any, matched: bool, limit: int | None,
           miss: Any, out: Array | None, counters: bool) -> Any:
    """The answers, in objects of the given kind.

    Without `upper` the lookups are points. The data are the objects that the columns view, None for
    an open end. The other arguments are those of `Index.lookup`.
    """
    names = (names,) if isinstance(names, str) else _names(names)
    row_limit = NO_LIMIT if limit is None else _limit(limit)
    held = None if values is None else column_of(values)
    times = None
    if "min" in names or "max" in names:
        times = value_times(index, held, values)
        if times is not None:
            miss = ticks_of(miss, times)
    if lower.on_device:
        if out is not None:
            raise UnsupportedError("`out` takes lookups in host memory: omit it")
        if counters:
            raise UnsupportedError("`counters` takes lookups in host memory: copy them there")
        keys = upper_data if lower_data is None else lower_data
        return answer_on_device(index, keys, lower, upper, names,
                                lambda name: _dtype(index, name, held), held, matched, row_limit,
                                miss)
    size = len(lower)
    answered = _outputs(index, names, size, held, times, out)
    if out is not None:
        for column, data in ((lower, lower_data), (upper, upper_data), (held, values)):
            if column is not None and data is not None:
                _require_apart(out, column, data)
    outputs = {name: _ticks(array) for name, array in answered.items()}
    nullable = kind.has_nulls and miss is None
    if matched or (nullable and any(name not in ("count", "rows") for name in names)):
        outputs["matched"] = np.empty((size + 7) // 8, np.uint8)
    if counters:
        outputs["counters"] = np.zeros(len(Counters._fields), np.uint64)
    lists: Any = index.answer(lower, upper, held, miss, outputs,
                              row_limit if "rows" in names else None)
    validity = outputs.get("matched") if nullable else None
    zone = "" if times is None else times.zone
    answers: dict[str, Any] = {
        name: kind.rows(Rows(*lists)) if name == "rows" else
        kind.array(answered[name], None if name == "count" else validity, zone=zone)
        for name in names
    }
    if counters:
        answers["counters"] = Counters(*outputs["counters"].tolist())
    if len(names) == 1 and not matched and not counters:
        return answers[names[0]]
    if matched:
        answers["matched"] = kind.array(_unpacked(outputs["matched"], size))
    return Answers(size, answers)


def matched(index: _core.Index, keys: _core.Column) -> Array:
    """Which point lookups have a row."""
    bits = np.empty((len(keys) + 7) // 8, np.uint8)
    index.answer(keys, None, None, None, {"matched": bits}, None)
    return _unpacked(bits, len(keys))


def value_times(index: _core.Index, values: _core.Column | None, data: Any) -> TimeType | None:
    """The type of the values of a call, if they are times; `data` was read as `values`."""
    if values is not None:
        return time_type(values, data)
    stored = TimeType.from_text(index.included_time)
    # Files written by C++ have no unit; dates need none.
    return TimeType("D", "") if stored is None and index.included == "date32" else stored


def class_of(value_type: str) -> type:
    """The type in which values are aggregated."""
    if value_type.startswith("float"):
        return np.float64
    return np.uint64 if value_type.startswith(("uint", "bool")) else np.int64


def _outputs(index: _core.Index, names: Sequence[str], size: int, values: _core.Column | None,
             times: TimeType | None, out: Array | None) -> dict[str, Array]:
    """New arrays for the answers, or the caller's."""
    if not names:
        raise InvalidArgumentError(f"invalid answer=[]: expected {_CHOICES}")
    if out is not None and (len(names) != 1 or names[0] == "rows"):
        raise InvalidArgumentError("`out` takes one answer other than 'rows': choose one, or omit "
                                   "`out`")
    outputs = {}
    for name in names:
        if name != "rows":
            dtype: Any = _dtype(index, name, values)
            if times is not None and name in ("min", "max"):
                dtype = times.dtype
            if out is not None:
                _require_fit(out, size, dtype)
            outputs[name] = np.empty(size, dtype) if out is None else out
    return outputs


def _dtype(index: _core.Index, name: str, values: _core.Column | None) -> type:
    if name in _ROW_ANSWERS:
        return np.uint32
    if name in _AGGREGATES:
        return class_of((index.included if values is None else values.type) or "uint64")
    raise InvalidArgumentError(f"invalid answer={name!r}: expected {_CHOICES}")


def _require_fit(out: Any, size: int, dtype: Any) -> None:
    if type(out) is not np.ndarray or out.dtype != dtype or out.shape != (size,):
        raise InvalidArgumentError(f"invalid `out`: expected a NumPy array of {size} "
                                   f"{np.dtype(dtype)}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise InvalidArgumentError("invalid `out`: expected a contiguous, writeable array")


def _require_apart(out: Array, column: _core.Column, data: Any) -> None:
    """Answers must not overwrite lookups or values; `data` was read as `column`."""
    if column.type == "composite" or column.chunks > 1:
        for piece in columns_of(data) if column.type == "composite" else _chunks_of(data):
            _require_apart(out, column_of(piece), piece)
        return
    if column.type == "string":
        shared = isinstance(data, np.ndarray) and np.may_share_memory(out, data)
    else:
        width = {"date32": 4, "timestamp64": 8}.get(column.type) or np.dtype(column.type).itemsize
        start = out.__array_interface__["data"][0]
        end = column.address + len(column) * width
        shared = column.address < start + out.nbytes and start < end
    if shared:
        raise InvalidArgumentError("invalid `out`: it shares memory with the lookups or the "
                                   "values, which are read while it is written; pass another array")


def _chunks_of(data: Any) -> Any:
    return data.get_chunks() if hasattr(data, "get_chunks") else getattr(data, "chunks", [])


def _names(answer: Any) -> tuple[Any, ...]:
    try:
        return tuple(answer)
    except TypeError:
        raise InvalidArgumentError(f"invalid answer={answer!r}: expected {_CHOICES}, or a list of "
                                   "them") from None


def _limit(limit: Any) -> int:
    try:
        rows = operator.index(limit)
    except TypeError:
        rows = -1
    if not 0 <= rows <= NO_LIMIT:
        raise InvalidArgumentError(f"invalid limit={limit!r}: expected an integer from 0 to "
                                   "2^32 - 1")
    return rows


def _ticks(array: Array) -> Array:
    """The same memory as integers, if it holds times."""
    return array.view(np.int64) if array.dtype.kind == "M" else array


def _unpacked(bits: Array, size: int) -> Array:
    return np.unpackbits(bits, count=size, bitorder="little").view(bool)
