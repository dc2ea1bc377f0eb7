"""Indexes: build one over a column, then answer batches of lookups."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
from collections.abc import Callable, Iterator
from typing import IO, Any, Literal, TypeAlias, Union

import numpy as np

from . import _core
from ._categories import positions_text, require_values
from ._changes import named_columns, row_column, stream_of, value_column, value_columns
from ._columns import column as column_of
from ._device import first_array, library_of, spec_for
from ._error_texts import named_errors, timed_errors
from ._errors import CorruptFileError, FileError, InvalidArgumentError
from ._interval_sides import has_nulls_alone
from ._intervals import Intervals, from_pandas, interval_column
from ._overloads import NearestName
from ._names import as_table, columns_of, is_scalar, names_of
from ._ordered import OrderedCalls
from ._points import Points, new_points, point_column
from ._progress import reporting
from ._query import EndsName, QueryName
from ._results import IndexInfo, MemoryUsage
from ._times import time_type, zone_of_keys

Path: TypeAlias = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Index(OrderedCalls):
    """An index over one column.

    Any number of threads may look up and change it at the same time. A lookup answers from the
    index as it was when the call began. A change happens whole or, where it raises, not at all.
    """

    __slots__ = ("__weakref__",)

    def insert(self, keys: Any, values: Any = None) -> int:
        """Appends rows with these keys; returns the rowID of the first one, the others follow.

        keys: one key, or a batch of keys; None is a null key.
        values: one value per key, for an index with included values; of several columns a dict, or
            a list of pairs of a name and a column.

        Keys and values are in host memory, or both in the memory of the index's GPU.
        """
        if self._small is not None and type(keys) is np.ndarray:
            first: Any = self._small.insert(keys, values)
            if first is not NotImplemented:
                return int(first)
        named = value_columns(values, self._core)
        arrays = {f"values {name}".rstrip(): data for name, data in named_columns(values)}
        new = self._new_keys(keys)
        with self._own_errors(new):
            return self._core.insert(new, named, stream_of(keys=keys, **arrays))

    def erase(self, rows: Any) -> None:
        """Erases rows, which match nothing from now on. rowIDs are not reused.

        rows: integers, each named once and not erased before.
        """
        if self._small is not None and type(rows) is np.ndarray and self._small.erase(rows):
            return
        self._core.erase(row_column(rows, len(self)), stream_of(rows=rows))

    def erase_keys(self, keys: Any) -> int:
        """Erases every row that holds one of these keys; returns how many there were."""
        if self._points is not None:
            raise InvalidArgumentError("points are erased by their rows: find these with filter, "
                                       "and pass them to erase")
        if self.interval_ends:
            raise InvalidArgumentError(
                "intervals are erased by their rows: find these with contains or overlaps, such as "
                "erase(np.unique(index.contains(keys, \"rows\").rows))")
        return self._core.erase_keys(column_of(keys, self._point), stream_of(keys=keys))

    def erase_range(self, lower: Any = None, upper: Any = None, ends: EndsName = "[]") -> int:
        """Erases every row whose key is in one of these ranges; returns how many there were.

        lower or upper may be None, which is no limit; not both.
        """
        if lower is None and upper is None:
            raise InvalidArgumentError("expected lower, upper or both: without them the range holds every "
                                       "key; to erase all rows, pass their rowIDs to erase")
        self._require_order()
        rows = self._matching(lower, upper, ends)
        self.erase(rows)
        return len(rows)

    def update(self, rows: Any, keys: Any) -> None:
        """Replaces the keys of rows: row `rows[i]` now holds `keys[i]`; None empties a row.

        Both are in host memory, or both in the memory of the index's GPU, where they stay.
        """
        if (self._small is not None and type(rows) is np.ndarray and type(keys) is np.ndarray
                and self._small.update(rows, keys)):
            return
        stream = stream_of(rows=rows, keys=keys)
        new = self._new_keys(keys)
        with self._own_errors(new):
            self._core.update(row_column(rows, len(self)), new, stream)

    def _own_errors(self, keys: _core.Column) -> contextlib.AbstractContextManager[None]:
        """Errors about new keys, in the caller's words."""
        if self._points is not None:
            return named_errors(self._points.names)
        return timed_errors(keys) if self.interval_ends else contextlib.nullcontext()

    def _new_keys(self, data: Any) -> _core.Column:
        if self._points is not None:
            return new_points(data, self._points.names, self._points.types)
        found = data if isinstance(data, Intervals) else from_pandas(data)
        if found is not None:
            return interval_column(found, self._type)
        if self.interval_ends:
            raise InvalidArgumentError("the index holds intervals: pass rtindex.intervals(start, "
                                       f"end, ends=\"{self.interval_ends}\"), got "
                                       f"{type(data).__name__}")
        return column_of(data, self._type)

    def set_included(self, rows: Any, values: Any, name: str = "") -> None:
        """Replaces the included values of rows: that of row `rows[i]` is now `values[i]`.

        name: the included column; empty where there is one only.

        Both are in host memory, or both in the memory of the index's GPU.
        """
        if (self._small is not None and type(rows) is np.ndarray and type(values) is np.ndarray
                and isinstance(name, str) and self._small.set_included(rows, values, name)):
            return
        stream = stream_of(rows=rows, values=values)
        self._core.set_included(row_column(rows, len(self)),
                                value_column(values, self._core, name), name, stream)

    def merge(self, *, progress: Callable[[float], Any] | None = None) -> None:
        """Merges all segments into one, without the erased rows.

        Changes do this by themselves once they have added enough keys, on a CPU in the background;
        call it before a long time without changes.

        progress: as in `rtindex.progress`.
        """
        with reporting(progress):
            self._core.merge()

    def snapshot(self) -> Index:
        """An index that stays as this one is now. It is made in constant time and shares memory;
        either may be changed without the other."""
        return Index(self._core.snapshot())

    def save(self, path: Path | IO[bytes], *,
             progress: Callable[[float], Any] | None = None) -> None:
        """Writes the index to a file for `rtindex.load`, by custom `*.rtindex`: a path, or a file
        object that is open for writing bytes.

        progress: as in `rtindex.progress`.
        """
        file: Any = path
        with reporting(progress):
            if hasattr(file, "write"):
                _write(file, memoryview(self._core.serialize()))
            else:
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
        text = self._core.describe()
        nulls = len(self.nulls()) if self.interval_ends else 0
        if not nulls:
            return text
        rows = "1 row with a null matches" if nulls == 1 else f"{nulls:,} rows with a null match"
        return f"{text}nulls: {rows} nothing; fill open ends with the greatest value\n"

    def supports(self, answer: NearestName, query: QueryName = "equal") -> bool:
        """Whether the index can return this answer to this kind of query."""
        return self._core.supports(str(answer), str(query))

    @property
    def spec(self) -> str:
        """The full spec: `rtindex.build(column, index.spec)` builds the same index."""
        return self._core.spec

    @property
    def included(self) -> dict[str, str]:
        """The types of the included columns by name, which is "" for a column without a name."""
        return {name: held for name, held, _ in self._core.included}

    @property
    def valid(self) -> int:
        """The number of rows that are neither erased nor null."""
        return self._core.valid

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
        held = f"intervals {self.interval_ends}" if self.interval_ends else self.type
        if self._points is not None:
            held = f"points ({', '.join(self._points.names)})"
        rows = f"{len(self):,} rows of {held}"
        valid = "" if self.valid == len(self) else f", {self.valid:,} valid"
        return f"<rtindex.Index {kind}: {rows}{valid}, {size}>"


def build(column: Any, spec: str = "auto", include: Any = None, *,
          nan_as_null: bool | None = None,
          progress: Callable[[float], Any] | None = None) -> Index:
    """Builds an index over a column, which is not needed afterwards.

    column: keys, `rtindex.points(frame)`, or intervals: `rtindex.intervals(start, end, ends=...)`,
        or an IntervalIndex or IntervalArray of pandas.
    spec: the index and its settings, such as "rx", "rx:embree" or "btree".
    include: a value column to store in key order beside the keys, or several: a data frame, a dict,
        or a list of pairs of a name and a column. sum, mean, min and max over ranges then need no `values`, or
        the name of one of them: `values="price"`.
    nan_as_null: whether NaN is null, in the column and in everything that is passed to this index
        later. None: in objects of pandas it is; elsewhere NaN is a number, the greatest one.
    progress: as in `rtindex.progress`.
    """
    with reporting(progress):
        return _build(column, spec, include, nan_as_null)


def _build(column: Any, spec: str, include: Any, nan_as_null: bool | None,
           more_texts: dict[str, str] | None = None) -> Index:
    spec = spec_text(spec)
    require_flag(nan_as_null)
    if isinstance(column, (dict, set, frozenset, type(None))) or is_scalar(column):
        advice = ("a data frame, or a tuple of its columns" if isinstance(column, dict) else
                  "an array, a list, a Series, or a data frame")
        raise InvalidArgumentError(f"expected a column, got {_one(column)}: pass {advice}")
    column = as_table(column)
    values, times = [], []
    for name, data in named_columns(include):
        require_values(data)
        held = column_of(data, None, nan_as_null)
        time = time_type(held, data)
        values.append((name, held))
        times.append("" if time is None else time.text())
    if isinstance(column, Points):
        with named_errors(column.names):
            return Index(_core.build(point_column(column, (), nan_as_null), spec, values, times, 0,
                                     _texts(column, nan_as_null)))
    found = column if isinstance(column, Intervals) else from_pandas(column)
    stream = 0
    keys = (column_of(column, None, nan_as_null) if found is None
            else interval_column(found, None, nan_as_null))
    if keys.on_device:
        array = first_array(column)
        spec, stream = spec_for(array, spec), library_of(array).stream(array)
    texts = _texts(column if found is None else found, nan_as_null)
    texts |= more_texts or {}
    with timed_errors(None if found is None else keys):
        return Index(_core.build(keys, spec, values, times, stream, texts))


def _texts(column: Any, nan_as_null: bool | None) -> dict[str, str]:
    """What an index stores about its column: time zones, names and the meaning of NaN."""
    texts = {}
    if isinstance(column, Intervals):
        parts = [*column.by, column.start, column.end]
    elif isinstance(column, Points):
        parts = [*column.columns]
        texts["names"] = json.dumps(column.names)
    else:
        parts = columns_of(column) or [column]
        names = names_of(column)
        if names:
            texts["names"] = json.dumps(names)
        first = column[0] if isinstance(column, list) and column else None
        if isinstance(first, tuple):
            parts = [[key and key[i] for key in column] for i in range(len(first))]
    reordered = positions_text(parts)
    if reordered:
        texts["ordered_categories"] = reordered
    zones = [zone_of_keys(part) for part in parts]
    if isinstance(column, Intervals) and zones[-2] != zones[-1]:
        # One side may be text, or nulls alone, whose zone does not count.
        if has_nulls_alone(column.start, nan_as_null):
            zones[-2] = zones[-1]
        elif not has_nulls_alone(column.end, nan_as_null):
            zones[-2] = zones[-2] or zones[-1]
        zones[-1] = zones[-2]
    if any(zones):
        texts["time_zones"] = ",".join(zones)
    if nan_as_null is not None:
        texts["nan_as_null"] = str(int(nan_as_null))
    return texts


def _one(data: Any) -> str:
    return "None" if data is None else f"one {type(data).__name__}" if is_scalar(data) else (
        f"a {type(data).__name__}")


def require_flag(nan_as_null: Any) -> None:
    if nan_as_null is not None and not isinstance(nan_as_null, bool):
        raise InvalidArgumentError(f"invalid nan_as_null={nan_as_null!r}: expected True, False or "
                                   "None")


def load(path: Path | IO[bytes], verify: Literal["quick", "full"] = "quick", *,
         progress: Callable[[float], Any] | None = None) -> Index:
    """Opens a file that `Index.save` wrote; verify="full" checks all bytes that are read. A path is
    mapped into memory; a file object is read and checked.

    progress: as in `rtindex.progress`.
    """
    if verify not in ("quick", "full"):
        raise InvalidArgumentError(f"invalid verify={verify!r}: expected quick or full")
    file: Any = path
    with reporting(progress):
        if hasattr(file, "read"):
            data = file.read()
            if isinstance(data, str):
                raise InvalidArgumentError("invalid file: open it for reading bytes" + _MODE.format("r"))
            with _named_maker():
                return Index(_core.deserialize(data))
        with _named_maker():
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


def path_text(path: Any) -> str:
    """The path as the library reads it."""
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


_MODE = ', such as with open(path, "{}b") or io.BytesIO()'


def _write(file: Any, data: memoryview) -> None:
    """All bytes: a raw file may write fewer in one call."""
    if hasattr(file, "encoding"):
        raise InvalidArgumentError("invalid file: open it for writing bytes" + _MODE.format("w"))
    is_raw = isinstance(file, io.RawIOBase)
    while len(data):
        written = file.write(data)
        if written is None and not is_raw:  # of classes that do not count
            return
        if not written:
            raise FileError(f"the file wrote none of the last {len(data):,} bytes: make it blocking, "
                            "or free space")
        data = data[written:]


@contextlib.contextmanager
def _named_maker() -> Iterator[None]:
    """Errors about files that are no index, with the call of Python that writes one."""
    try:
        yield
    except CorruptFileError as error:
        raise CorruptFileError(str(error).replace("Index::save", "index.save")) from None


def _restored(data: Any) -> Index:
    """The index that was pickled as `data`."""
    return Index(_core.deserialize(data))


def _human_bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            break
        count /= 1024
    return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
