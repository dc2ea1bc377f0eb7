"""Return types of calls."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Any, NamedTuple, overload

import numpy as np

from ._core import MISS, export_lists
from ._errors import InvalidArgumentError
from ._lists import Array, is_missing
from ._times import in_common_unit, is_times

_SHOWN = 10
"""Lookups that notebooks show."""


class Rows:
    """The matching rowIDs of every lookup; lookup i has `rows[offsets[i]:offsets[i + 1]]`."""

    __slots__ = ("offsets", "rows")

    def __init__(self, offsets: Array, rows: Array):
        self.offsets = offsets
        """uint64, one more than lookups."""
        self.rows = rows
        """uint32, lookup by lookup; unordered within one unless the call has an `order`."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, lookup: int) -> Array: ...

    @overload
    def __getitem__(self, lookup: slice) -> Rows: ...

    def __getitem__(self, lookup: int | slice) -> Array | Rows:
        """The rows of one lookup, or those of a slice of the lookups."""
        size = len(self)
        if isinstance(lookup, slice):
            return self._slice(*lookup.indices(size))
        i = lookup + size if lookup < 0 else lookup
        if not 0 <= i < size:
            raise IndexError(f"lookup {lookup} is out of range: the batch has {size}")
        return self.rows[int(self.offsets[i]):int(self.offsets[i + 1])]

    def _slice(self, start: int, stop: int, step: int) -> Rows:
        if step == 1:
            offsets = self.offsets[start:max(start, stop) + 1]
            rows = self.rows[int(offsets[0]):int(offsets[-1])]
            return type(self)(offsets - offsets[0], rows)
        lists = [self[i] for i in range(start, stop, step)]
        lengths = np.cumsum([0, *map(len, lists)]).astype(self.offsets.dtype)
        return type(self)(lengths, np.concatenate([self.rows[:0], *lists]))

    def __iter__(self) -> Iterator[Array]:
        return (self[lookup] for lookup in range(len(self)))

    def take(self, frame: Any) -> Any:
        """The matching rows of a data frame or column, lookup by lookup: of pandas, polars, pyarrow
        or NumPy, or of a list."""
        if isinstance(frame, (list, tuple)):
            return [frame[row] for row in self.rows.tolist()]
        if hasattr(frame, "iloc"):
            return frame.iloc[self.rows]
        return frame.take(self.rows) if hasattr(frame, "take") else frame[self.rows]

    def to_pylist(self) -> list[list[int]]:
        """A list of rowIDs for every lookup."""
        return [rows.tolist() for rows in self]

    def to_arrow(self) -> Any:
        """A pyarrow array of lists (large_list<uint32>), without a copy."""
        import pyarrow

        return pyarrow.array(self)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        return export_lists(self.offsets, self.rows)

    def __repr__(self) -> str:
        shown = ", ".join(str(rows.tolist() if len(rows) <= 5 else [*rows[:5].tolist(), ...])
                          .replace("Ellipsis", "...") for _, rows in zip(range(3), self))
        return (f"<rtindex.Rows: {len(self.rows):,} rows of {len(self):,} lookups: {shown}"
                f"{', ...' if len(self) > 3 else ''}>")


class Counters(NamedTuple):
    """The work of the lookups of a call; 0 for what an index does not count."""

    rays: int
    """Rays that were cast."""
    cells: int
    """Cells of the native grid that were read."""
    tested: int
    """Keys compared with lookups."""
    hits: int
    """Hits that the tracer reported."""


class NoAnswerError(InvalidArgumentError, AttributeError):
    """An answer that the call did not return."""


class Answers:
    """Several answers to one batch, like a named tuple: `answers.sum`, `answers["sum"]`, or unpacked
    in the order of the request, `total, count = index.lookup(keys, ["sum", "count"], values)`.

    `matched` and `counters` follow the answers.
    """

    any: Any
    first: Any
    last: Any
    count: Any
    sum: Any
    mean: Any
    min: Any
    max: Any
    key: Any
    rows: Rows
    bitmap: Any
    bitmaps: Any
    matched: Any
    counters: Counters

    def __init__(self, lookups: int, answers: dict[str, Any],
                 valid: dict[str, Array] | None = None):
        self._lookups = lookups
        # Which entries of an answer are values, where arrays have no nulls.
        self._valid = valid or {}
        self.__dict__.update(answers)

    def __getattr__(self, name: str) -> Any:
        if name in Answers.__annotations__:
            raise NoAnswerError(f"the call did not return '{name}': add it to `answer`")
        raise AttributeError(name)

    def keys(self) -> list[str]:
        """The names of the answers."""
        return [name for name in self.__dict__ if not name.startswith("_")]

    def __len__(self) -> int:
        """The number of answers."""
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        """Whether there is an answer of this name."""
        return name in self.keys()

    def __iter__(self) -> Iterator[Any]:
        return (self.__dict__[name] for name in self.keys())

    @overload
    def __getitem__(self, name: str | int) -> Any: ...

    @overload
    def __getitem__(self, name: slice) -> tuple[Any, ...]: ...

    def __getitem__(self, name: str | int | slice) -> Any:
        return getattr(self, name) if isinstance(name, str) else tuple(self)[name]

    def to_pandas(self) -> Any:
        """A data frame of pandas with a column for each answer that has one entry per lookup, and
        the labels of the lookups."""
        import pandas

        columns = self._columns()
        labels = next((column.index for column in columns.values()
                       if isinstance(column, pandas.Series)), None)
        return pandas.DataFrame({name: pandas.Series(as_pandas(column), index=labels)
                                 for name, column in columns.items()})

    def to_polars(self) -> Any:
        """A data frame of polars with a column for each answer that has one entry per lookup."""
        import polars

        return polars.from_arrow(self.to_arrow())

    def to_arrow(self) -> Any:
        """A table of pyarrow with a column for each answer that has one entry per lookup."""
        import pyarrow

        return pyarrow.table({name: as_arrow(column)
                              for name, column in self._columns().items()})

    def _columns(self) -> dict[str, Any]:
        """The answers with one entry per lookup, in which a miss is a null, as the libraries of
        tables have it."""
        columns = {name: self.__dict__[name] for name in self.keys()
                   if name not in ("bitmap", "bitmaps", "counters")}
        for name, column in columns.items():
            if name in self._valid:
                columns[name] = _masked(column, ~self._valid[name])
            elif (name in ("any", "first", "last") and isinstance(column, np.ndarray)
                  and column.dtype == np.uint32):
                columns[name] = _masked(column, column == MISS)
        return columns

    def _repr_html_(self) -> str:
        columns = {name: _texts(column, self._lookups) for name, column in self._columns().items()}
        head = "".join(f"<th>{name}</th>" for name in columns)
        lines = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in line) + "</tr>"
                        for line in zip(*columns.values()))
        more = f"<p>{self._lookups:,} lookups</p>" if self._lookups > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"

    def __repr__(self) -> str:
        return f"<rtindex.Answers: {', '.join(self.keys())} of {self._lookups:,} lookups>"


def _masked(column: Any, missing: Array) -> Any:
    """The column with nulls, if it is a NumPy array or several of them."""
    if isinstance(column, tuple):
        return tuple(_masked(part, missing) for part in column)
    has_nulls = not isinstance(column, np.ndarray) or column.dtype.kind in "OmM"
    return column if has_nulls else np.ma.masked_array(column, missing)


def as_arrow(column: Any) -> Any:
    """An answer of any kind as an array of pyarrow."""
    import pyarrow

    if isinstance(column, Rows):
        return column.to_arrow()
    if isinstance(column, tuple):  # the parts of composite keys
        parts = [as_arrow(part) for part in column]
        return pyarrow.StructArray.from_arrays(
            [part.combine_chunks() if hasattr(part, "combine_chunks") else part for part in parts],
            [str(i) for i in range(len(parts))])
    if not hasattr(column, "__len__") or isinstance(column, (str, bytes)):
        column = [column]  # of one lookup
    if isinstance(column, pyarrow.ChunkedArray):
        return column
    if isinstance(column, np.ma.MaskedArray):
        return pyarrow.array(column.data, mask=np.ma.getmaskarray(column))
    return pyarrow.array(in_common_unit(column) if is_times(column) else column)


def as_pandas(column: Any) -> Any:
    """An answer of any kind as something that a Series of pandas holds."""
    if isinstance(column, Rows):
        return column.to_pylist()
    if isinstance(column, tuple):
        return [*zip(*(as_pandas(part) for part in column))]
    if is_times(column):
        return in_common_unit(column)
    if isinstance(column, np.ma.MaskedArray):
        import pandas

        nullable: Any = {"f": pandas.arrays.FloatingArray, "b": pandas.arrays.BooleanArray}.get(
            column.dtype.kind, pandas.arrays.IntegerArray)
        return nullable(column.data, np.ma.getmaskarray(column))
    if hasattr(column, "to_pandas"):  # of pyarrow and polars
        return column.to_pandas()
    return column if hasattr(column, "__len__") and not isinstance(column, (str, bytes)) else [column]


def _texts(column: Any, lookups: int) -> list[str]:
    """The first entries of an answer; empty for nulls."""
    if isinstance(column, tuple):
        return [", ".join(parts) if any(parts) else ""
                for parts in zip(*(_texts(part, lookups) for part in column))]
    if not hasattr(column, "__getitem__") or isinstance(column, (str, bytes)):
        return [_text(column)]
    entries = getattr(column, "iloc", column)
    return [_text(entries[i]) for i in range(min(lookups, _SHOWN))]


def _text(entry: Any) -> str:
    if hasattr(entry, "as_py"):  # of pyarrow
        entry = entry.as_py()
    if isinstance(entry, str):
        return entry
    text = "" if entry is np.ma.masked or is_missing(entry) else str(entry)
    return "" if text == "NaT" else text


class MemoryUsage(NamedTuple):
    """Memory of an index, in bytes."""

    resident: int
    """Held as long as the index lives."""
    build_peak: int
    """The peak while it was built."""
    parts: dict[str, int]
    """`resident` by part."""


class Join(NamedTuple):
    """Pairs of matching rows."""

    probe: Any
    """Positions in the batch of keys."""
    column: Any
    """RowIDs of the indexed column; None for semi and anti joins, which return no pairs."""


class IndexInfo(NamedTuple):
    """An index of the library, and whether this machine can use it."""

    spec: str
    available: bool
    reason: str
    """What it runs on, or why it is unavailable and what to do about it."""
