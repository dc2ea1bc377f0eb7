"""One call whose lookups lie on a GPU: its answers are written there, on the caller's stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._device import library_of
from ._results import Answers, Rows


def answer_on_device(index: _core.Index, keys: Any, lower: _core.Column,
                     upper: _core.Column | None, names: Sequence[str],
                     dtype_of: Callable[[str], Any], values: _core.Column | None, matched: bool,
                     limit: int, miss: Any) -> Any:
    """As `Index.lookup` and `Index.range`; `dtype_of` gives the type of an answer's array."""
    library = library_of(keys)
    size = len(lower)
    arrays: dict[str, Any] = {
        name: library.empty(size, dtype_of(name).__name__, keys) for name in names if name != "rows"
    }
    if matched and "any" not in arrays:
        arrays["any"] = library.empty(size, "uint32", keys)

    def call(outputs: dict[str, Any], rows_capacity: int = 0) -> None:
        addresses = {name: library.pointer(array) for name, array in outputs.items()}
        index.answer_on_device(lower, upper, values, miss, addresses, rows_capacity, limit,
                               library.stream(keys))

    answers: dict[str, Any] = {}
    if "rows" in names:
        # Twice: how many there are is known only on the GPU.
        offsets = library.empty(size + 1, "uint64", keys)
        call({"offsets": offsets})
        total = int(offsets[-1])
        rows = library.empty(total, "uint32", keys)
        call({**arrays, "offsets": offsets, "rows": rows}, total)
        answers["rows"] = Rows(offsets, rows)
    else:
        call(arrays)
    answers.update({name: arrays[name] for name in names if name != "rows"})
    if len(names) == 1 and not matched:
        return answers[names[0]]
    if matched:
        answers["matched"] = library.is_hit(arrays["any"])
    return Answers(size, answers)
