"""The types of the answers of each call, for type checkers and editors.

Answers follow the keys: one key has one Python object, and a NumPy array, a list, or a Series has an
object of the same library. Everything else is Any.
"""

from __future__ import annotations

import datetime
import decimal
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypedDict, cast, overload

import numpy as np

from ._lists import Array
from ._progress import Progress
from ._query import DirectionName, EndsName, Query
from ._results import Answers, Rows

if TYPE_CHECKING:
    import pandas
    import polars
    from typing_extensions import Unpack

AnswerName = Literal["any", "first", "last", "count", "sum", "mean", "min", "max", "rows", "bitmap",
                     "bitmaps"]
NearestName = Literal["any", "first", "last", "count", "sum", "mean", "min", "max", "rows",
                      "bitmap", "bitmaps", "key"]
OrderName = Literal["key", "-key"]

_RowName = Literal["any", "first", "last"]
_ColumnName = Literal["any", "first", "last", "count", "sum", "mean", "min", "max"]
_NearestColumnName = Literal["any", "first", "last", "count", "sum", "mean", "min", "max", "key"]
# Editors complete the names of a list; a variable that holds one is a list of str.
_Several: TypeAlias = "list[AnswerName] | tuple[AnswerName, ...] | list[str] | tuple[str, ...]"
_SeveralNearest: TypeAlias = "list[NearestName] | tuple[NearestName, ...] | list[str] | tuple[str, ...]"
_Answer: TypeAlias = "AnswerName | Sequence[AnswerName]"
_NearestAnswer: TypeAlias = "NearestName | Sequence[NearestName]"
_OneKey: TypeAlias = (int | float | str | bytes | datetime.date | datetime.time
                      | datetime.timedelta | decimal.Decimal | uuid.UUID | np.generic)
_Plain: TypeAlias = "Array | list[Any]"
_PandasSeries: TypeAlias = "pandas.Series[Any]"
_PolarsSeries: TypeAlias = "polars.Series"
_Series: TypeAlias = "pandas.Series[Any] | polars.Series"


class AnswerOptions(TypedDict, total=False):
    """How to answer, as `Index.answer` describes it."""

    limit: int | None
    order: OrderName | None
    miss: Any
    out: Array | None
    progress: Progress
    max_bitmap_bytes: int


class CallOptions(AnswerOptions, total=False):
    filter: Any


class KeysCall(Protocol):
    """A call with a batch of keys."""

    @overload
    def __call__(self, keys: Any, answer: _Several, values: Any = None, *, matched: bool = False,
                 counters: bool = False, **options: Unpack[CallOptions]) -> Answers: ...

    @overload
    def __call__(self, keys: Any, answer: AnswerName = "any", values: Any = None, *,
                 matched: Literal[True], counters: bool = False,
                 **options: Unpack[CallOptions]) -> Answers: ...

    @overload
    def __call__(self, keys: Any, answer: Literal["bitmaps"],
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, keys: _OneKey | _Plain, answer: Literal["bitmap"],
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, keys: _OneKey, answer: Literal["rows"],
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, keys: _Plain | _Series, answer: Literal["rows"],
                 **options: Unpack[CallOptions]) -> Rows: ...

    @overload
    def __call__(self, keys: _OneKey, answer: Literal["count"],
                 **options: Unpack[CallOptions]) -> int: ...

    @overload
    def __call__(self, keys: _OneKey, answer: _RowName = "any",
                 **options: Unpack[CallOptions]) -> int | None: ...

    @overload
    def __call__(self, keys: _Plain, answer: _ColumnName = "any", values: Any = None,
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, keys: _PandasSeries, answer: _ColumnName = "any", values: Any = None,
                 **options: Unpack[CallOptions]) -> _PandasSeries: ...

    @overload
    def __call__(self, keys: _PolarsSeries, answer: _ColumnName = "any", values: Any = None,
                 **options: Unpack[CallOptions]) -> _PolarsSeries: ...

    @overload
    def __call__(self, keys: Any, answer: _Answer = "any", values: Any = None, *,
                 matched: bool = False, counters: bool = False,
                 **options: Unpack[CallOptions]) -> Any: ...


class RangesCall(Protocol):
    """A call with a batch of ranges. Of two ends, the one that is no single key decides."""

    @overload
    def __call__(self, lower: Any, upper: Any, answer: _Several, values: Any = None, *,
                 ends: EndsName = "[]", matched: bool = False, counters: bool = False,
                 **options: Unpack[CallOptions]) -> Answers: ...

    @overload
    def __call__(self, lower: Any = None, upper: Any = None, answer: AnswerName = "any",
                 values: Any = None, *, ends: EndsName = "[]", matched: Literal[True],
                 counters: bool = False, **options: Unpack[CallOptions]) -> Answers: ...

    @overload
    def __call__(self, lower: Any, upper: Any, answer: Literal["bitmaps"], *,
                 ends: EndsName = "[]", **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, lower: _OneKey | _Plain | None, upper: _OneKey | _Plain | None,
                 answer: Literal["bitmap"], *, ends: EndsName = "[]",
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, lower: _OneKey | None, upper: _OneKey | None, answer: Literal["rows"], *,
                 ends: EndsName = "[]", **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, lower: _Plain | _Series, upper: Any, answer: Literal["rows"], *,
                 ends: EndsName = "[]", **options: Unpack[CallOptions]) -> Rows: ...

    @overload
    def __call__(self, lower: _OneKey | None, upper: _OneKey | None, answer: Literal["count"], *,
                 ends: EndsName = "[]", **options: Unpack[CallOptions]) -> int: ...

    @overload
    def __call__(self, lower: _OneKey | None = None, upper: _OneKey | None = None,
                 answer: _RowName = "any", *, ends: EndsName = "[]",
                 **options: Unpack[CallOptions]) -> int | None: ...

    @overload
    def __call__(self, lower: _Plain, upper: Any = None, answer: _ColumnName = "any",
                 values: Any = None, *, ends: EndsName = "[]",
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, lower: _PandasSeries, upper: Any = None, answer: _ColumnName = "any",
                 values: Any = None, *, ends: EndsName = "[]",
                 **options: Unpack[CallOptions]) -> _PandasSeries: ...

    @overload
    def __call__(self, lower: _PolarsSeries, upper: Any = None, answer: _ColumnName = "any",
                 values: Any = None, *, ends: EndsName = "[]",
                 **options: Unpack[CallOptions]) -> _PolarsSeries: ...

    @overload
    def __call__(self, lower: Any = None, upper: Any = None, answer: _Answer = "any",
                 values: Any = None, *, ends: EndsName = "[]", matched: bool = False,
                 counters: bool = False, **options: Unpack[CallOptions]) -> Any: ...


class NearestCall(Protocol):
    """A call with keys whose neighbours are found."""

    @overload
    def __call__(self, keys: Any, answer: _SeveralNearest, values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 *, matched: bool = False, counters: bool = False,
                 **options: Unpack[CallOptions]) -> Answers: ...

    @overload
    def __call__(self, keys: Any, answer: NearestName = "any", values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 *, matched: Literal[True], counters: bool = False,
                 **options: Unpack[CallOptions]) -> Answers: ...

    @overload
    def __call__(self, keys: _OneKey, answer: Literal["count"], values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 **options: Unpack[CallOptions]) -> int: ...

    @overload
    def __call__(self, keys: _OneKey, answer: _RowName = "any", values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 **options: Unpack[CallOptions]) -> int | None: ...

    @overload
    def __call__(self, keys: _Plain | _Series, answer: Literal["rows"], values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 **options: Unpack[CallOptions]) -> Rows: ...

    @overload
    def __call__(self, keys: _Plain, answer: _NearestColumnName = "any", values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 **options: Unpack[CallOptions]) -> Array: ...

    @overload
    def __call__(self, keys: _PandasSeries, answer: _NearestColumnName = "any", values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 **options: Unpack[CallOptions]) -> _PandasSeries: ...

    @overload
    def __call__(self, keys: _PolarsSeries, answer: _NearestColumnName = "any", values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 **options: Unpack[CallOptions]) -> _PolarsSeries: ...

    @overload
    def __call__(self, keys: Any, answer: _NearestAnswer = "any", values: Any = None,
                 direction: DirectionName = "backward", exact: bool = True, tolerance: Any = None,
                 *, matched: bool = False, counters: bool = False,
                 **options: Unpack[CallOptions]) -> Any: ...


class QueryCall(Protocol):
    """A call with a `Query`, which does not show the type of its keys."""

    @overload
    def __call__(self, query: Query, answer: _SeveralNearest, values: Any = None, *,
                 matched: bool = False, counters: bool = False,
                 **options: Unpack[AnswerOptions]) -> Answers: ...

    @overload
    def __call__(self, query: Query, answer: NearestName = "any", values: Any = None, *,
                 matched: Literal[True], counters: bool = False,
                 **options: Unpack[AnswerOptions]) -> Answers: ...

    @overload
    def __call__(self, query: Query, answer: _NearestAnswer = "any", values: Any = None, *,
                 matched: bool = False, counters: bool = False,
                 **options: Unpack[AnswerOptions]) -> Any: ...


class FilterCall(Protocol):
    """A call with conditions on the columns of points."""

    @overload
    def __call__(self, conditions: Any, answer: _Several, values: Any = None, *,
                 matched: bool = False, limit: int | None = None, miss: Any = None,
                 out: Array | None = None, filter: Any = None,
                 progress: Progress = None, max_bitmap_bytes: int = 2**30
                 ) -> Answers: ...

    @overload
    def __call__(self, conditions: Any, answer: AnswerName = "any", values: Any = None, *,
                 matched: Literal[True], limit: int | None = None, miss: Any = None,
                 out: Array | None = None, filter: Any = None,
                 progress: Progress = None, max_bitmap_bytes: int = 2**30
                 ) -> Answers: ...

    @overload
    def __call__(self, conditions: Any, answer: _Answer = "any", values: Any = None, *,
                 matched: bool = False, limit: int | None = None, miss: Any = None,
                 out: Array | None = None, filter: Any = None,
                 progress: Progress = None, max_bitmap_bytes: int = 2**30
                 ) -> Any: ...


def keys_call(method: Callable[..., Any]) -> KeysCall:
    return cast(KeysCall, method)


def ranges_call(method: Callable[..., Any]) -> RangesCall:
    return cast(RangesCall, method)


def nearest_call(method: Callable[..., Any]) -> NearestCall:
    return cast(NearestCall, method)


def query_call(method: Callable[..., Any]) -> QueryCall:
    return cast(QueryCall, method)


def filter_call(method: Callable[..., Any]) -> FilterCall:
    return cast(FilterCall, method)
