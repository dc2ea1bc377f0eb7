"""Progress: a callable that receives how far the calls of a thread are."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

from . import _core
from ._errors import InvalidArgumentError

Progress: TypeAlias = "Callable[[float], Any] | None"
"""The parameter `progress` of a call."""


class progress:
    """Within it, the calls of this thread report how far they are.

    callback: called with the share of the work that is done, from 0 to 1, on the thread of the
        call, 20 times a second at most and once with 1 when the work is done. An exception that it
        raises stops the call, which changes nothing then, and propagates.

        >>> with rtindex.progress(lambda done: print(f"{done:.0%}")):
        ...     index = rtindex.build(column)
    """

    __slots__ = ("_before", "_callback")

    def __init__(self, callback: Callable[[float], Any]) -> None:
        if not callable(callback):
            raise InvalidArgumentError("invalid progress: expected a function of one number, got "
                                       f"{type(callback).__name__}")
        self._callback = callback
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = _core.set_progress(self._callback)

    def __exit__(self, *_: object) -> None:
        _core.set_progress(self._before)


def reporting(callback: Progress) -> AbstractContextManager[None]:
    """The context of a call whose parameter `progress` is `callback`."""
    return nullcontext() if callback is None else progress(callback)
