"""What calls give back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ._core import ArrowAnswer, Error
from ._lists import Array


class Rows:
    """The matching rowIDs of every lookup; lookup i has `rows[offsets[i]:offsets[i + 1]]`."""

    __slots__ = ("offsets", "rows")

    def __init__(self, offsets: Array, rows: Array):
        self.offsets = offsets
        """uint64, one more than there are lookups."""
        self.rows = rows
        """uint32, lookup by lookup; in no particular order within one."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, lookup: int) -> Array:
        size = len(self)
        place = lookup + size if lookup < 0 else lookup
        if not 0 <= place < size:
            raise IndexError(f"there is no lookup {lookup}: the batch has {size}")
        return self.rows[int(self.offsets[place]):int(self.offsets[place + 1])]

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
        answer = ArrowAnswer(len(self), self.offsets, self.rows)
        return answer.__arrow_c_array__(requested_schema)

    def __repr__(self) -> str:
        shown = ", ".join(str(rows.tolist() if len(rows) <= 5 else [*rows[:5].tolist(), ...])
                          .replace("Ellipsis", "...") for _, rows in zip(range(3), self))
        return (f"<rtindex.Rows: {len(self.rows):,} rows of {len(self):,} lookups: {shown}"
                f"{', ...' if len(self) > 3 else ''}>")


class Counters(NamedTuple):
    """How much work the lookups of a call were; what an index cannot tell is 0."""

    rays: int
    """Rays that were cast."""
    cells: int
    """Cells of the native tracer's grid that were read."""
    tested: int
    """Keys compared with lookups."""
    hits: int
    """Hits that the tracer reported."""


class Answers:
    """Several answers to one batch, each an attribute: `answers.sum`, `answers.count`."""

    any: Any
    first: Any
    count: Any
    sum: Any
    min: Any
    max: Any
    rows: Rows
    matched: Any
    counters: Counters

    def __init__(self, lookups: int, answers: dict[str, Any]):
        self._lookups = lookups
        self.__dict__.update(answers)

    def __getattr__(self, name: str) -> Any:
        if name in Answers.__annotations__:
            raise Error(f"the answer '{name}' was not asked for in this call: add it to `answer`")
        raise AttributeError(name)

    def __len__(self) -> int:
        return self._lookups

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.__dict__ if not name.startswith("_"))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __repr__(self) -> str:
        return f"<rtindex.Answers: {', '.join(self)} of {self._lookups:,} lookups>"


class Memory(NamedTuple):
    """Memory of an index, in bytes."""

    resident: int
    """Held as long as the index lives."""
    build_peak: int
    """The most held at once while it was built."""
    parts: dict[str, int]
    """What `resident` is made of."""


class Join(NamedTuple):
    """Pairs of rows that belong together: `probe` counts the lookups, `column` the indexed rows."""

    probe: Any
    column: Any
    """None for semi and anti joins, which keep rows of the probe side only."""


class IndexInfo(NamedTuple):
    """An index that the library knows, and whether it can be used here."""

    spec: str
    available: bool
    reason: str
