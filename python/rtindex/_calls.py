"""One call that answers a query: from its arguments to its answers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._categories import require_values
from ._columns import column as column_of
from ._decimals import in_last_digits, require_whole_sums, value_scale
from ._device import answer_on_device, bitmaps_on_device
from ._errors import InvalidArgumentError, UnsupportedError
from ._filter import device_array_of
from ._keys import key_answer, key_dtype
from ._kinds import Kind
from ._lists import Array
from ._names import columns_of
from ._query import Query
from ._results import Answers, Counters, Rows
from ._times import TimeType, ticks_of, time_type
from ._types import WIDTHS, ColumnType

_ROW_ANSWERS = ("any", "first", "last", "count")
ROW_ANSWERS = frozenset(("any", "first", "last"))
AGGREGATES = frozenset(("sum", "min", "max"))
VALUE_ANSWERS = AGGREGATES | {"mean"}
"""Answers of values, which are null where all values are."""
_BITMAPS = ("bitmap", "bitmaps")
MAX_BITMAP_BYTES = 2**30
_CHOICES = "any, first, last, count, sum, mean, min, max, rows, bitmap or bitmaps"
_ORDERS = {None: "", "key": "key", "-key": "-key"}
NO_LIMIT = 2**32 - 1


class Options(NamedTuple):
    """How to answer a call, as `Index.answer` describes it."""

    values: Any = None
    matched: bool = False
    limit: int | None = None
    order: str | None = None
    miss: Any = None
    out: Array | None = None
    counters: bool = False
    row_miss: int | None = None
    """The row of a miss; None: MISS or a null."""
    max_bitmap_bytes: int = MAX_BITMAP_BYTES


def answer(index: _core.Index, query: Query, bound: _core.Query, key_type: ColumnType, kind: Kind,
           names: Any, options: Options) -> Any:
    """The answers, in objects of this kind.

    `bound` is the query with its columns in the type of the indexed one, `key_type`.
    """
    names = (names,) if isinstance(names, str) else _names(names)
    if len(names) > 1:
        for name in names:
            if names.count(name) > 1:
                raise InvalidArgumentError(f"the answer {name!r} is requested twice: request it once")
    if "bitmap" in names or "bitmaps" in names:
        return _with_bitmaps(index, query, bound, key_type, kind, names, options)
    limit = NO_LIMIT if options.limit is None else _limit(options.limit)
    order = _order(options.order)
    found_type = key_type if query.kind == "nearest" else None
    if "key" in names and index.interval_ends:
        raise InvalidArgumentError("intervals have no key to return: request a row, and read the "
                                   "start and end there")
    by_name = isinstance(options.values, str)
    included = options.values if by_name else ""
    held = None if options.values is None or by_name else (
        column_of(options.values, None, key_type.nan_as_null))
    if held is not None and ("min" in names or "max" in names):
        require_values(options.values)
    miss, times = options.miss, None
    if not AGGREGATES.isdisjoint(names):
        times = value_times(index, held, options.values)
        if times is not None and not any(times.has(name) for name in names):
            times = None
        if times is not None:
            miss = ticks_of(miss, times)
    scale = _scale(index, kind, names, held, options)
    if scale is not None:
        miss = in_last_digits(miss, scale, not AGGREGATES.isdisjoint(names))
    if bound.on_device:
        _require_host_free(options)
        return answer_on_device(index, device_array_of(query), bound, names,
                                lambda name: _dtype(index, name, held, included, found_type), held,
                                included, options.matched, limit, order, miss, options.row_miss)
    size = len(bound)
    answered = _outputs(index, names, size, held, included, times, found_type, options.out,
                        options.row_miss is not None)
    if options.out is not None:
        for column, data in ((bound.lower, query.lower), (bound.upper, query.upper),
                             (held, options.values)):
            if column is not None:
                _require_apart(options.out, column, data)
    outputs = {name: _ticks(array) for name, array in answered.items()}
    nullable = kind.has_nulls and miss is None
    needs_matched = "key" in names or nullable and any(name not in ("count", "rows")
                                                       for name in names)
    if options.matched or needs_matched:
        outputs["matched"] = np.empty((size + 7) // 8, np.uint8)
    is_one = len(names) == 1 and not options.matched and not options.counters
    # Tables of several answers have nulls, whichever arrays these are in.
    if (nullable or scale is not None or miss is None and not is_one) and (
            not VALUE_ANSWERS.isdisjoint(names)):
        outputs["validity"] = np.empty((size + 7) // 8, np.uint8)
    sums_decimals = scale is not None and "sum" in names
    if sums_decimals:  # to find those that have wrapped around
        for name, dtype in (("mean", np.float64), ("count", np.uint32)):
            if name not in outputs:
                outputs[name] = np.empty(size, dtype)
    if options.counters:
        outputs["counters"] = np.zeros(len(Counters._fields), np.uint64)
    lists: Any
    lists, keys = index.answer(bound, held, included, miss, outputs,
                               limit if "rows" in names else None, order,
                               "key" in names and "key" not in outputs)
    if scale is not None and sums_decimals:
        require_whole_sums(outputs["sum"], outputs["mean"], outputs["count"],
                           unpacked(outputs["validity"], size), scale)
    validity = outputs.get("matched") if nullable else None
    if miss is not None:  # which is a value
        outputs.pop("validity", None)
    of_values = outputs.get("validity")
    zone = "" if times is None else times.zone
    answers: dict[str, Any] = {}
    for name in names:
        if name == "rows":
            answers[name] = kind.rows(Rows(*lists))
        elif name == "key":
            answers[name] = key_answer(outputs.get("key"), keys, key_type, outputs["matched"], kind)
        elif scale is not None and name in AGGREGATES:
            answers[name] = kind.decimals(answered[name], of_values, scale)
        else:
            if scale is not None and name == "mean":
                answered[name] /= 10.0**scale
            answers[name] = kind.array(signed_rows(name, answered[name], kind, options),
                                       None if name == "count" else
                                       of_values if nullable and name in VALUE_ANSWERS else validity,
                                       zone=zone)
    if options.counters:
        answers["counters"] = Counters(*outputs["counters"].tolist())
    if is_one:
        return answers[names[0]]
    if options.matched:
        answers["matched"] = kind.array(unpacked(outputs["matched"], size))
    return Answers(size, answers, {} if nullable else _valid(outputs, names, size))


def _valid(outputs: dict[str, Array], names: Sequence[str], size: int) -> dict[str, Array]:
    """Which entries of an answer are values: those of neighbours' keys and of aggregates."""
    bits = {name: outputs.get("matched" if name == "key" else "validity") for name in names
            if name == "key" or name in VALUE_ANSWERS}
    return {name: unpacked(held, size) for name, held in bits.items() if held is not None}


def _scale(index: _core.Index, kind: Kind, names: Sequence[str], values: _core.Column | None,
           options: Options) -> int | None:
    """The scale of the aggregates, where they are decimals; None where they are plain numbers."""
    if not kind.has_decimals or options.out is not None or VALUE_ANSWERS.isdisjoint(names):
        return None
    return value_scale(index, values, options.values)


def signed_rows(name: str, values: Array, kind: Kind, options: Options) -> Array:
    """Counts as int64 in NumPy and pandas, and rows with a miss of the caller."""
    if name == "count" and (kind.has_signed_counts or options.out is not None):
        values = values.astype(np.int64)
    elif name in ROW_ANSWERS and options.row_miss is not None:
        values = np.where(values == _core.MISS, options.row_miss, values.astype(np.int64))
    else:
        return values
    if options.out is None:
        return values
    options.out[:] = values
    return options.out


def row_miss(names: Any, miss: Any) -> int | None:
    """The row of a miss. A `miss` that no answer of the call has is an error."""
    if miss is None:
        return None
    names = (names,) if isinstance(names, str) else _names(names)
    if ROW_ANSWERS.isdisjoint(names):
        if VALUE_ANSWERS.isdisjoint(names):
            raise InvalidArgumentError(f"invalid miss={miss!r}: {', '.join(map(str, names))} "
                                       "without a match needs none; omit it")
        return None
    try:
        row = operator.index(miss)
    except TypeError:
        row = 2**63
    if not -(2**63) <= row < 2**63:
        raise InvalidArgumentError(f"invalid miss={miss!r}: expected an integer of 64 bits for "
                                   "rows, such as -1")
    return row


def _with_bitmaps(index: _core.Index, query: Query, bound: _core.Query, key_type: ColumnType,
                  kind: Kind, names: tuple[Any, ...], options: Options) -> Any:
    """`answer` where bitmaps are among the answers; these have an entry for each row."""
    if options.out is not None:
        raise InvalidArgumentError("`out` expects one answer for each lookup: omit it")
    others = tuple(name for name in names if name not in _BITMAPS)
    index = index.snapshot()  # called twice below, and others may change it in between
    rows, size = len(index), len(bound)
    if "bitmaps" in names:
        require_bitmap_bytes(size, rows, options.max_bitmap_bytes)
    answers: dict[str, Any] = {}
    valid: dict[str, Array] = {}
    if others or options.matched or options.counters:
        found = answer(index, query, bound, key_type, kind, others or ("any",),
                       options._replace(matched=True))
        answers, valid = dict(found), found._valid
        if not others:
            del answers["any"]
        if not options.matched:
            del answers["matched"]
    for name in names:
        if name not in _BITMAPS:
            continue
        if bound.on_device:
            answers[name] = bitmaps_on_device(index, device_array_of(query), bound, name)
            continue
        bits = index.bitmaps(bound, name == "bitmaps")
        if name == "bitmap":
            answers[name] = kind.mask(unpacked(bits, rows))
        else:
            bits = bits.reshape(size, (rows + 7) // 8)
            answers[name] = np.unpackbits(bits, axis=1, count=rows, bitorder="little").view(bool)
    if len(answers) == 1:
        return answers[names[0]]
    return Answers(size, {name: answers[name] for name in dict.fromkeys((*names, *answers))}, valid)


def require_bitmap_bytes(queries: int, rows: int, max_bytes: Any) -> None:
    """An error if bitmaps of each query, with a byte for each row, need more."""
    try:
        limit = operator.index(max_bytes)
    except TypeError:
        limit = -1
    if limit < 0:
        raise InvalidArgumentError(f"invalid max_bitmap_bytes={max_bytes!r}: expected an integer "
                                   "of 0 or more")
    if queries * rows > limit:
        raise InvalidArgumentError(
            f"the bitmaps of {queries:,} queries over {rows:,} rows take more than {limit:,} bytes: "
            "pass fewer queries, a larger max_bitmap_bytes, or request one bitmap of all queries, "
            "'bitmap'")


def value_times(index: _core.Index, values: _core.Column | None, data: Any) -> TimeType | None:
    """The type of the values of a call, if they are times; `data` was read as `values`."""
    if values is not None:
        return time_type(values, data)
    included, time = included_type(index, data if isinstance(data, str) else "")
    stored = None if included in ("time32", "time64") else TimeType.from_text(time)  # ticks
    # Files written by C++ have no unit; dates need none.
    if included == "duration64" and stored is not None:
        return stored._replace(is_duration=True)
    return TimeType("D") if stored is None and included == "date32" else stored


def included_type(index: _core.Index, name: str) -> tuple[str, str]:
    """The type of an included column, with its unit and time zone; empty where there is none, which
    the index rejects."""
    columns = index.included
    for own, held, time in columns:
        if own == name or not name and len(columns) == 1:
            return held, time
    return "", ""


def class_of(value_type: str) -> type:
    """The type in which values are aggregated."""
    if value_type.startswith("float"):
        return np.float64
    return np.uint64 if value_type.startswith(("uint", "bool")) else np.int64


def unpacked(bits: Array, size: int) -> Array:
    return np.unpackbits(bits, count=size, bitorder="little").view(bool)


def _outputs(index: _core.Index, names: Sequence[str], size: int, values: _core.Column | None,
             included: str, times: TimeType | None, key_type: ColumnType | None,
             out: Array | None, rows_are_signed: bool) -> dict[str, Array]:
    """New arrays for the answers, or the caller's."""
    if not names:
        raise InvalidArgumentError(f"invalid answer=[]: expected {_CHOICES}")
    if out is not None and (len(names) != 1 or names[0] in ("rows", "key")):
        raise InvalidArgumentError("`out` expects one answer other than 'rows' and 'key': choose "
                                   "one, or omit `out`")
    outputs = {}
    for name in names:
        if name != "rows":
            dtype: Any = _dtype(index, name, values, included, key_type)
            if times is not None and times.has(name):
                dtype = times.dtype
            if out is not None:
                _require_fit(out, size, np.int64 if name == "count" or rows_are_signed and
                             name in _ROW_ANSWERS else dtype)
            if dtype is not None:
                is_copied = out is not None and out.dtype != dtype
                outputs[name] = np.empty(size, dtype) if out is None or is_copied else out
    return outputs


def _dtype(index: _core.Index, name: str, values: _core.Column | None, included: str,
           key_type: ColumnType | None) -> Any:
    """The type of an answer's array; None for keys of no native type."""
    if name in _ROW_ANSWERS:
        return np.uint32
    if name == "mean":
        return np.float64
    if name in AGGREGATES:
        return class_of((included_type(index, included)[0] if values is None else values.type)
                        or "uint64")
    if name == "key":
        if key_type is None:
            raise InvalidArgumentError("only nearest returns 'key': request a row, and read "
                                       "the key there")
        return key_dtype(key_type)
    raise InvalidArgumentError(f"invalid answer={name!r}: expected {_CHOICES}"
                               f"{'' if key_type is None else ', or key'}")


def _require_host_free(options: Options) -> None:
    if options.out is not None:
        raise UnsupportedError("`out` expects lookups in host memory: omit it")
    if options.counters:
        raise UnsupportedError("`counters` expects lookups in host memory: copy them there")


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
        width = WIDTHS.get(column.type) or np.dtype(column.type).itemsize
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


def _order(order: Any) -> str:
    if not (order is None or isinstance(order, str)) or order not in _ORDERS:
        raise InvalidArgumentError(f"invalid order={order!r}: expected None, 'key' or '-key'")
    return _ORDERS[order]


def _ticks(array: Array) -> Array:
    """The same memory as integers, if it holds times."""
    return array.view(np.int64) if array.dtype.kind in "mM" else array
