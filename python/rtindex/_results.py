"""Return types of calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ._core import export_lists
from ._errors import InvalidArgumentError
from ._lists import Array


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

    def __getitem__(self, lookup: int) -> Array:
        size = len(self)
        i = lookup + size if lookup < 0 else lookup
        if not 0 <= i < size:
            raise IndexError(f"lookup {lookup} is out of range: the batch has {size}")
        return self.rows[int(self.offsets[i]):int(self.offsets[i + 1])]

    def __iter__(self) -> Iterator[Array]:
        return (self[lookup] for lookup in range(len(self)))

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
    """Several answers to one batch, each an attribute: `answers.sum`, `answers.count`."""

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

    def __init__(self, lookups: int, answers: dict[str, Any]):
        self._lookups = lookups
        self.__dict__.update(answers)

    def __getattr__(self, name: str) -> Any:
        if name in Answers.__annotations__:
            raise NoAnswerError(f"the call did not return '{name}': add it to `answer`")
        raise AttributeError(name)

    def __len__(self) -> int:
        return self._lookups

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.__dict__ if not name.startswith("_"))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"<rtindex.Answers: {', '.join(self)} of {self._lookups:,} lookups>"


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
