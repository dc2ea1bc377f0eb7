"""Indexes: build one over a column, then answer batches of lookups."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from . import _core
from ._columns import column as column_of
from ._core import Error
from ._device import device_rows, is_device_array, library_of, require_one_stream, spec_for
from ._device_calls import answer_on_device
from ._kinds import kind_of
from ._likes import Like, known_parts
from ._lists import Array
from ._out import require_apart, require_fit
from ._paths import Path, path_text
from ._results import Answers, Counters, Join, Memory, Rows, IndexInfo
from ._times import TimeType, ticks_of, time_type

AnswerName = Literal["any", "first", "count", "sum", "min", "max", "rows"]
LookupName = Literal["point", "range"]
JoinName = Literal["inner", "left", "semi", "anti"]

_ROW_ANSWERS = ("any", "first", "count")
_AGGREGATES = ("sum", "min", "max")
_NO_LIMIT = 2**32 - 1


class Index:
    """An index over one column. Any number of threads may look up at the same time."""

    __slots__ = ("_core", "_like", "type", "unit")

    def __init__(self, core: _core.Index):
        self._core = core
        self.type: str = core.type
        """The type of the column's keys, such as "int64" or "string"."""
        self.unit: str = core.unit
        """What the ticks of timestamps are ("us"); empty for other keys."""
        self._like = Like(self.type, self.unit, known_parts(core.part_types, self.unit))

    def lookup(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               miss: float | None = None, out: Array | None = None,
               counters: bool = False) -> Any:
        """Which rows hold a key equal to `keys[i]`?

        `answer` is one name, or several for an `Answers`. `values` is the value column of sum, min
        and max: one per row; left out, the included values are taken. `matched` adds an array that
        tells which lookups matched. `limit` is the most rows that "rows" returns per lookup.
        `miss` is what sum, min and max give for a miss. `out` is a NumPy array that receives the
        answer. `counters` adds what the work consisted of, as `Answers.counters`; "rx" counts.
        """
        return self._answer(keys, None, answer, values, matched, limit, miss, out, counters)

    def range(self, lower: Any, upper: Any, answer: AnswerName | Sequence[AnswerName] = "any",
              values: Any = None, *, matched: bool = False, limit: int | None = None,
              miss: float | None = None, out: Array | None = None,
              counters: bool = False) -> Any:
        """Which rows hold a key in `[lower[i], upper[i]]`, both ends included? As `lookup`."""
        ends = column_of(upper, self._like)
        if isinstance(out, np.ndarray):
            require_apart(out, ends, upper)
        return self._answer(lower, ends, answer, values, matched, limit, miss, out, counters)

    def join(self, keys: Any, how: JoinName = "inner") -> Join:
        """Joins a batch of keys with the column.

        "inner" gives every pair of a lookup and a row with its key; "left" also gives lookups
        without a row, once, with a null (in NumPy: `MISS`); "semi" gives the lookups that have a
        row, "anti" those that have none.
        """
        kind = kind_of(keys, self.type == "composite")
        lookups = column_of(keys, self._like)
        if lookups.on_device:
            raise Error("a join takes keys in host memory: copy them there, or ask for the answer "
                        "'rows', which stays on the GPU")
        if how in ("semi", "anti"):
            found = self._matched(lookups)
            rows = np.flatnonzero(found if how == "semi" else ~found)
            return Join(kind.array(rows, per_lookup=False), None)
        if how not in ("inner", "left"):
            raise Error(f"unknown join '{how}': choose inner, left, semi or anti")
        lists: Any = self._core.answer(lookups, None, None, None, {}, _NO_LIMIT)
        offsets, rows = lists
        starts = offsets
        if how == "left":
            starts = np.zeros_like(offsets)
            np.cumsum(np.maximum(np.diff(offsets), np.uint64(1)), out=starts[1:])
        probe = np.empty(int(starts[-1]), np.int64)
        found = np.empty(probe.size, np.uint32)
        _core.fill_pairs(offsets, rows, starts, probe, found)
        validity = None
        if how == "left" and kind.has_nulls:
            validity = np.packbits(found != _core.MISS, bitorder="little")
        return Join(kind.array(probe, per_lookup=False),
                    kind.array(found, validity, per_lookup=False))

    def update(self, rows: Any, keys: Any) -> None:
        """Gives the named rows new keys: row `rows[i]` now holds `keys[i]`.

        Both lie in host memory, or both on the index's GPU, where they are read as they are.
        """
        new_keys = column_of(keys, self._like)
        if new_keys.on_device:
            require_one_stream(rows, keys)
            self._core.update(device_rows(rows, len(self)), new_keys, library_of(keys).stream(keys))
        else:
            self._core.update(_host_rows(rows, len(self)), new_keys, 0)

    def save(self, path: Path) -> None:
        """Writes the index to a file that `rtindex.load` opens; `*.rtindex` by custom."""
        self._core.save(path_text(path))

    def describe(self) -> str:
        """What the index is, what it chose and why, in lines of text for a person."""
        return self._core.describe()

    def supports(self, answer: AnswerName, lookup: LookupName = "point") -> bool:
        """Whether the index can give this answer to this kind of lookup."""
        return self._core.supports(str(answer), str(lookup))

    @property
    def spec(self) -> str:
        """The full spec: `rtindex.build(column, index.spec)` builds the same index."""
        return self._core.spec

    @property
    def included(self) -> str | None:
        """The type of the included values; None where there are none."""
        return self._core.included

    @property
    def memory(self) -> Memory:
        """Memory held, in bytes."""
        resident, build_peak, parts = self._core.memory()
        return Memory(resident, build_peak, dict(parts))

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        kind = self.spec.partition(",")[0]
        size = _human_bytes(self.memory.resident)
        return f"<rtindex.Index {kind}: {len(self):,} rows of {self.type}, {size}>"

    def _answer(self, keys: Any, upper: _core.Column | None,
                answer: AnswerName | Sequence[AnswerName], values: Any, matched: bool,
                limit: int | None, miss: float | None, out: Array | None,
                counters: bool) -> Any:
        kind = kind_of(keys, self.type == "composite")
        lower = column_of(keys, self._like)
        names = _names(answer)
        row_limit = _limit(limit)
        held = None if values is None else column_of(values)
        times = None
        if "min" in names or "max" in names:
            times = self._times(held, values)
        if times is not None:
            miss = ticks_of(miss, times)
        if lower.on_device:
            if out is not None:
                raise Error("`out` is for lookups in host memory: leave it away")
            if counters:
                raise Error("`counters` is for lookups in host memory: copy them there")
            return answer_on_device(self._core, keys, lower, upper, names,
                                    lambda name: self._dtype(name, held), held, matched,
                                    row_limit, miss)
        answered = self._outputs(names, len(lower), held, times, out)
        if out is not None:
            require_apart(out, lower, keys)
            if held is not None:
                require_apart(out, held, values)
        outputs = {name: _ticks(array) for name, array in answered.items()}
        nullable = kind.has_nulls and miss is None
        if matched or (nullable and any(name not in ("count", "rows") for name in names)):
            outputs["matched"] = np.empty((len(lower) + 7) // 8, np.uint8)
        if counters:
            outputs["counters"] = np.zeros(len(Counters._fields), np.uint64)
        lists: Any = self._core.answer(lower, upper, held, miss, outputs,
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
            answers["matched"] = kind.array(_unpacked(outputs["matched"], len(lower)))
        return Answers(len(lower), answers)

    def _outputs(self, names: Sequence[str], lookups: int, values: _core.Column | None,
                 times: TimeType | None, out: Array | None) -> dict[str, Array]:
        """New arrays for the answers, or the one that the caller brought."""
        if not names:
            raise Error("no answer was asked for: choose any, first, count, sum, min, max or rows")
        if out is not None and (len(names) != 1 or names[0] == "rows"):
            raise Error("`out` receives one answer, and not 'rows': ask for one, or leave it away")
        outputs = {}
        for name in names:
            if name != "rows":
                dtype: Any = self._dtype(name, values)
                if times is not None and name in ("min", "max"):
                    dtype = times.dtype
                outputs[name] = np.empty(lookups, dtype) if out is None else out
                if out is not None:
                    require_fit(out, lookups, dtype)
        return outputs

    def _dtype(self, answer: str, values: _core.Column | None) -> type:
        if answer in _ROW_ANSWERS:
            return np.uint32
        if answer in _AGGREGATES:
            return _class_of((self.included if values is None else values.type) or "uint64")
        raise Error(f"unknown answer '{answer}': choose any, first, count, sum, min, max or rows")

    def _times(self, held: _core.Column | None, values: Any) -> TimeType | None:
        """What the values of a call are, where they are times."""
        if held is None:
            kept = TimeType.from_text(self._core.included_time)
            # Files that C++ wrote tell no unit; that of dates is known.
            return TimeType("D", "") if kept is None and self.included == "date32" else kept
        return time_type(held, values)

    def _matched(self, lookups: _core.Column) -> Array:
        bits = np.empty((len(lookups) + 7) // 8, np.uint8)
        self._core.answer(lookups, None, None, None, {"matched": bits}, None)
        return _unpacked(bits, len(lookups))


def build(column: Any, index: str = "auto", include: Any = None) -> Index:
    """Builds an index over a column, which is not needed afterwards.

    `index` is a spec such as "rx", "rx:embree" or "btree". `include` keeps a value column in key
    order beside the keys, so that sums, minima and maxima over ranges need no `values`.
    """
    if not isinstance(index, str):
        raise Error(f"the spec is {index!r}: pass a string such as \"rx\", or leave it away")
    values = None if include is None else column_of(include)
    times = None if values is None else time_type(values, include)
    keys, stream = column_of(column), 0
    if keys.on_device:
        index, stream = spec_for(column, index), library_of(column).stream(column)
    return Index(_core.build(keys, index, values, "" if times is None else times.text(), stream))


def load(path: Path, verify: Literal["quick", "full"] = "quick") -> Index:
    """Opens an index that `Index.save` wrote; "full" compares every byte with its checksum."""
    if verify not in ("quick", "full"):
        raise Error(f"unknown verification '{verify}': choose quick or full")
    return Index(_core.load(path_text(path), verify == "full"))


def indexes() -> list[IndexInfo]:
    """Every index, usable on this machine or the reason why not."""
    return [IndexInfo(*known) for known in _core.indexes()]


def default_index() -> str:
    """The spec that "auto" stands for on this machine."""
    return _core.default_spec()


def _host_rows(rows: Any, size: int) -> _core.Column:
    if is_device_array(rows):
        raise Error("the rows lie on a GPU and the keys in host memory: move one of them")
    if np.ma.is_masked(rows):
        raise Error("a row of the update is masked: leave it out of the rows and of the keys, such "
                    "as with rows.compressed() and keys[~rows.mask]")
    numbers = np.asarray(rows)
    if numbers.dtype.kind not in "iu" and numbers.size:
        raise Error(f"the rows are {numbers.dtype}: name them by whole numbers")
    if numbers.size and not (0 <= numbers.min() and numbers.max() < size):
        raise Error(f"the update names a row that the column of {size} rows does not have")
    return column_of(np.ascontiguousarray(numbers, np.uint32).reshape(-1))


def _ticks(array: Array) -> Array:
    """The same memory as numbers, where it holds times."""
    return array.view(np.int64) if array.dtype.kind == "M" else array


def _limit(limit: int | None) -> int:
    try:
        row_limit = _NO_LIMIT if limit is None else operator.index(limit)
    except TypeError:
        raise Error(f"the limit {limit!r} is no number of rows: choose a whole number") from None
    if not 0 <= row_limit <= _NO_LIMIT:
        raise Error(f"the limit {limit} is no number of rows: choose 0 to 2^32 - 1")
    return row_limit


def _unpacked(bits: Array, size: int) -> Array:
    return np.unpackbits(bits, count=size, bitorder="little").view(bool)


def _class_of(value_type: str) -> type:
    """The class that values are accumulated in."""
    if value_type.startswith("float"):
        return np.float64
    return np.uint64 if value_type.startswith(("uint", "bool")) else np.int64


def _names(answer: Any) -> tuple[Any, ...]:
    try:
        return (answer,) if isinstance(answer, str) else tuple(answer)
    except TypeError:
        raise Error(f"unknown answer '{answer}': choose any, first, count, sum, min, max or rows, "
                    "or several of them") from None


def _human_bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
