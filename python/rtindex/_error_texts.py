"""Errors of the library in the words of the caller: names of columns, and times instead of ticks."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

import numpy as np

from ._core import Column
from ._errors import InvalidArgumentError

_COLUMN = re.compile(r"column (\d+) of the points")
_TICKS = re.compile(r"(ends at|starts at) (-?\d+)\b(?!-)")  # no date
_MIDNIGHT = ("if it passes midnight, split it there into two rows, one to 23:59:59.999999 and one "
             "from 00:00")


@contextlib.contextmanager
def named_errors(names: Sequence[str]) -> Iterator[None]:
    """The columns of points by their names, which the library does not have."""
    try:
        yield
    except InvalidArgumentError as error:
        text = _COLUMN.sub(lambda found: f"column {names[int(found[1]) - 1]!r}", str(error))
        if text == str(error):
            raise
        raise InvalidArgumentError(text) from None


@contextlib.contextmanager
def timed_errors(intervals: Column | None) -> Iterator[None]:
    """The ends of intervals as times, whose unit the library does not have."""
    try:
        yield
    except InvalidArgumentError as error:
        unit = "" if intervals is None else _unit(intervals)
        text = str(error) if not unit else _TICKS.sub(
            lambda found: f"{found[1]} {np.array(int(found[2])).view(f'M8[{unit}]')}", str(error))
        if intervals is not None and intervals.part_types[-1:] in (["time32"], ["time64"]):
            text = text.replace("swap them", _MIDNIGHT)
        if text == str(error):
            raise
        raise InvalidArgumentError(text) from None


def _unit(intervals: Column) -> str:
    """Of the ends; empty where they are no times."""
    kind = intervals.part_types[-1] if intervals.part_types else ""
    if kind == "date32":
        return "D"
    return intervals.unit.split(",")[-1] if kind == "timestamp64" else ""
