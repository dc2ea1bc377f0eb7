"""Indexes: build one over a column, then answer batches of lookups."""

from __future__ import annotations

import os
import pickle
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, Union

import numpy as np

from . import _core
from ._calls import NO_LIMIT
from ._calls import answer as answer_call
from ._calls import matched as matched_lookups
from ._changes import row_column, stream_of, value_column
from ._columns import column as column_of
from ._columns import is_scalar, open_end
from ._device import library_of, open_device_end, spec_for
from ._errors import InvalidArgumentError, UnsupportedError
from ._kinds import kind_of
from ._lists import Array
from ._results import IndexInfo, Join, MemoryUsage
from ._times import time_type
from ._types import ColumnType, known_parts

AnswerName = Literal["any", "first", "count", "sum", "min", "max", "rows"]
LookupName = Literal["point", "range"]
JoinName = Literal["inner", "left", "semi", "anti"]
Path: TypeAlias = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Index:
    """An index over one column.

    Any number of threads may look up and change it at the same time. A lookup answers from the
    index as it was when the call began. A change happens whole or, where it raises, not at all.
    """

    __slots__ = ("_core", "_lower", "_point", "_type", "_upper", "time_unit", "type")

    def __init__(self, core: _core.Index):
        self._core = core
        self.type: str = core.type
        """The type of the column, such as "int64" or "string"."""
        self.time_unit: str = core.unit
        """The unit of a column of timestamps ("us"); empty for other types."""
        self._type = ColumnType(self.type, core.unit, known_parts(core.part_types, core.unit))
        self._point, self._lower, self._upper = (
            self._type.for_lookups(direction) for direction in (0, 1, -1))

    def lookup(self, keys: Any, answer: AnswerName | Sequence[AnswerName] = "any",
               values: Any = None, *, matched: bool = False, limit: int | None = None,
               miss: Any = None, out: Array | None = None, counters: bool = False) -> Any:
        """Answers a batch of point lookups: which rows hold a key equal to `keys[i]`?

        keys: one key, or a batch of keys.
        answer: one name, or several for an `Answers` with an attribute each.
        values: the value column of sum, min and max, one value per row (`len(index)` of them);
            None takes the included values.
        matched: add a boolean array of the lookups that matched.
        limit: the maximum number of rows that "rows" returns per lookup.
        miss: the result of sum, min and max for a lookup without a match.
        out: a NumPy array that receives the answer.
        counters: add `Answers.counters`, which counts rays, cells and hits (rx).
        """
        found = column_of(keys, self._point)
        kind = kind_of(keys, self.type == "composite")
        return answer_call(self._core, found, None, keys, None, kind, answer, values, matched,
                           limit, miss, out, counters)

    def range(self, lower: Any = None, upper: Any = None,
              answer: AnswerName | Sequence[AnswerName] = "any", values: Any = None, *,
              matched: bool = False, limit: int | None = None, miss: Any = None,
              out: Array | None = None, counters: bool = False) -> Any:
        """Answers a batch of range lookups: which rows hold a key in `[lower[i], upper[i]]`?

        lower, upper: the ends, both inclusive. None leaves that end of all ranges open; None inside
            a batch is a null, and matches nothing.

        The other arguments are those of `lookup`.
        """
        low = None if lower is None else column_of(lower, self._lower)
        high = None if upper is None else column_of(upper, self._upper)
        if low is None:
            low = self._open_end(high, upper, False)
        if high is None:
            high = self._open_end(low, lower, True)
        data = upper if lower is None else lower
        # Without an end there is one range, from the first key to the last.
        kind = kind_of(0 if data is None else data, self.type == "composite")
        return answer_call(self._core, low, high, lower, upper, kind, answer, values, matched,
                           limit, miss, out, counters)

    def __contains__(self, key: Any) -> bool:
        """Whether a row holds the key: one key, a tuple for a composite column."""
        if not is_scalar(key) and not (self.type == "composite" and isinstance(key, tuple)):
            raise InvalidArgumentError(f"`in` takes one key, got {type(key).__name__}: look up "
                                       "several with lookup(keys, matched=True)")
        return bool(matched_lookups(self._core, column_of(key, self._point)).all())

    def join(self, keys: Any, how: JoinName = "inner") -> Join:
        """Joins a batch of keys with the column.

        "inner" returns every pair of a lookup and a matching row; "left" adds lookups without a
        match, once, with a null (in NumPy: `MISS`); "semi" returns the lookups with a match, "anti"
        those without.
        """
        kind = kind_of(keys, self.type == "composite")
        lookups = column_of(keys, self._point)
        if lookups.on_device:
            raise UnsupportedError("join takes keys in host memory: copy them there, or look up "
                                   "the answer 'rows', which stays in device memory")
        if how in ("semi", "anti"):
            found = matched_lookups(self._core, lookups)
            rows = np.flatnonzero(found if how == "semi" else ~found)
            return Join(kind.array(rows, per_lookup=False), None)
        if how not in ("inner", "left"):
            raise InvalidArgumentError(f"invalid how={how!r}: expected inner, left, semi or anti")
        lists: Any = self._core.answer(lookups, None, None, None, {}, NO_LIMIT)
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

    def insert(self, keys: Any, values: Any = None) -> int:
        """Appends rows with these keys; returns the rowID of the first one, the others follow.

        keys: one key, or a batch of keys; None is a null key.
        values: one value per key, for an index with included values.

        Keys and values are in host memory, or both in the memory of the index's GPU.
        """
        if values is None:
            return self._core.insert(column_of(keys, self._type), None, stream_of(keys=keys))
        return self._core.insert(column_of(keys, self._type), value_column(values, self._core),
                                 stream_of(keys=keys, values=values))

    def erase(self, rows: Any) -> None:
        """Erases rows, which match nothing from now on. rowIDs are not reused.

        rows: integers, each named once and not erased before.
        """
        self._core.erase(row_column(rows, len(self)), stream_of(rows=rows))

    def erase_keys(self, keys: Any) -> int:
        """Erases every row that holds one of these keys; returns how many there were."""
        return self._core.erase_keys(column_of(keys, self._point), stream_of(keys=keys))

    def update(self, rows: Any, keys: Any) -> None:
        """Replaces the keys of rows: row `rows[i]` now holds `keys[i]`; None empties a row.

        Both are in host memory, or both in the memory of the index's GPU, where they stay.
        """
        stream = stream_of(rows=rows, keys=keys)
        self._core.update(row_column(rows, len(self)), column_of(keys, self._type), stream)

    def set_included(self, rows: Any, values: Any) -> None:
        """Replaces the included values of rows: that of row `rows[i]` is now `values[i]`.

        Both are in host memory, or both in the memory of the index's GPU.
        """
        stream = stream_of(rows=rows, values=values)
        self._core.set_included(row_column(rows, len(self)), value_column(values, self._core),
                                stream)

    def merge(self) -> None:
        """Merges what changes have added into one structure, without the erased rows.

        Changes do this by themselves when enough has come together; call it before a long time
        without changes.
        """
        self._core.merge()

    def snapshot(self) -> Index:
        """An index that stays as this one is now. It is made in constant time and shares memory;
        either may be changed without the other."""
        return Index(self._core.snapshot())

    def save(self, path: Path) -> None:
        """Writes the index to a file for `rtindex.load`, by custom `*.rtindex`."""
        self._core.save(path_text(path))

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # The content of a file, from protocol 5 on in a buffer that a pickler may send out of band.
        data: Any = self._core.serialize()
        return _restored, (pickle.PickleBuffer(data) if protocol >= 5 else data.tobytes(),)

    def __copy__(self) -> Index:
        return Index(self._core.copy())

    def __deepcopy__(self, memo: Any) -> Index:
        return Index(self._core.copy())

    def describe(self) -> str:
        """Lines of text: the index, its settings and why they were chosen."""
        return self._core.describe()

    def supports(self, answer: AnswerName, lookup: LookupName = "point") -> bool:
        """Whether the index can return this answer to this kind of lookup."""
        return self._core.supports(str(answer), str(lookup))

    @property
    def spec(self) -> str:
        """The full spec: `rtindex.build(column, index.spec)` builds the same index."""
        return self._core.spec

    @property
    def included(self) -> str | None:
        """The type of the included values; None without any."""
        return self._core.included

    @property
    def live(self) -> int:
        """The number of rows that are neither erased nor null."""
        return self._core.live

    def memory_usage(self) -> MemoryUsage:
        """Memory of the index, in bytes."""
        resident, build_peak, parts = self._core.memory_usage()
        return MemoryUsage(resident, build_peak, dict(parts))

    def build_profile(self) -> dict[str, float]:
        """The steps of the last build or update, where the index measures them (rx:optix): names
        that end in `_ms` are times, names that end in `_bytes` are memory."""
        return dict(self._core.build_profile())

    def __len__(self) -> int:
        """The number of rows, null and erased ones included: value columns have so many entries."""
        return len(self._core)

    def __repr__(self) -> str:
        kind = self.spec.partition(",")[0]
        size = _human_bytes(self.memory_usage().resident)
        rows = f"{len(self):,} rows of {self.type}"
        live = "" if self.live == len(self) else f", {self.live:,} live"
        return f"<rtindex.Index {kind}: {rows}{live}, {size}>"

    def _open_end(self, other: _core.Column | None, data: Any, upper: bool) -> _core.Column:
        """An open end for the ranges whose other ends are given as `data`."""
        if other is not None and other.on_device:
            return open_device_end(self._type, data, upper)
        return open_end(self._type, 1 if other is None else len(other), upper)


def build(column: Any, spec: str = "auto", include: Any = None) -> Index:
    """Builds an index over a column, which is not needed afterwards.

    spec: the index and its settings, such as "rx", "rx:embree" or "btree".
    include: a value column to store in key order beside the keys; sum, min and max over ranges
        then need no `values`.
    """
    spec = spec_text(spec)
    values = None if include is None else column_of(include)
    times = None if values is None else time_type(values, include)
    keys, stream = column_of(column), 0
    if keys.on_device:
        spec, stream = spec_for(column, spec), library_of(column).stream(column)
    return Index(_core.build(keys, spec, values, "" if times is None else times.text(), stream))


def load(path: Path, verify: Literal["quick", "full"] = "quick") -> Index:
    """Opens a file that `Index.save` wrote; verify="full" checks every byte."""
    if verify not in ("quick", "full"):
        raise InvalidArgumentError(f"invalid verify={verify!r}: expected quick or full")
    return Index(_core.load(path_text(path), verify == "full"))


def indexes() -> list[IndexInfo]:
    """All indexes, those that this machine can use and the others with the reason."""
    return [IndexInfo(*info) for info in _core.indexes()]


def default_spec() -> str:
    """The spec that "auto" selects on this machine."""
    return _core.default_spec()


def spec_text(spec: Any) -> str:
    if not isinstance(spec, str):
        raise InvalidArgumentError(f"invalid spec={spec!r}: expected a string such as \"rx\"")
    return spec


def path_text(path: Path) -> str:
    """The path as the library takes it."""
    try:
        text = os.fsdecode(path)
        text.encode()
    except TypeError:
        raise InvalidArgumentError("invalid path: expected a str, bytes or Path, got "
                                   f"{type(path).__name__}") from None
    except UnicodeEncodeError:
        raise InvalidArgumentError(f"invalid path {path!r}: expected UTF-8; rename the file or its "
                                   "folder") from None
    if "\0" in text:
        raise InvalidArgumentError(f"invalid path {text!r}: file names cannot contain NUL")
    return text


def _restored(data: Any) -> Index:
    """The index that was pickled as `data`."""
    return Index(_core.deserialize(data))


def _human_bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
