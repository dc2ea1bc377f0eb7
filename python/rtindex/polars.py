"""Joins of polars data frames: on equal keys, overlaps and ASOF; a namespace of expressions."""

from __future__ import annotations

import datetime
import decimal
import inspect
import numbers
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import polars

from ._asof import grouped, index_over, key_of, last_nearest, neighbour_rows
from ._core import MISS
from ._errors import InvalidArgumentError
from ._index import Index
from ._lists import Array
from ._overlap import names_of, pairs
from ._pairs import FrameJoinName, equal_pairs
from ._query import DirectionName, EndsName
from ._results import Answers

_NANOSECONDS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9,
                "h": 3600 * 10**9, "d": 86_400 * 10**9, "w": 7 * 86_400 * 10**9}
_DURATION = re.compile(r"(\d+)(ns|us|µs|ms|mo|s|m|h|d|w|q|y)")
_TICKS = {"ns": 1, "us": 10**3, "ms": 10**6}
_CHECKS_ORDER = "check_sortedness" in inspect.signature(polars.DataFrame.join_asof).parameters


def join_asof(left: Any, right: Any, *, left_on: Any = None,
              right_on: Any = None, on: Any = None, by_left: str | Sequence[str] | None = None,
              by_right: str | Sequence[str] | None = None, by: str | Sequence[str] | None = None,
              strategy: DirectionName = "backward", suffix: str = "_right", tolerance: Any = None,
              allow_parallel: bool = True, force_parallel: bool = False, coalesce: bool = True,
              allow_exact_matches: bool = True, check_sortedness: bool = True,
              index: Index | None = None) -> Any:
    """`polars.DataFrame.join_asof`, with the same arguments and results; lazy for a LazyFrame on the
    left.

    Neither side has to be sorted; the result has the order of `left`. Rows of `right` with equal
    keys count in their order. Equal infinities and NaNs are within every tolerance.
    `check_sortedness` and the options about threads are ignored.

    index: an index over the `right_on` column of `right`, or over a tuple of its `by` columns and
        this column, in that order. Without it, one is built for the call.
    """
    left, right, like_left = _collected(left, right)
    if on is not None:
        left_on = right_on = on
    if by is not None:
        by_left = by_right = by
    if left_on is not None:
        _require_distance(left.clear().select(left_on).to_series().dtype, strategy, tolerance)
    options: dict[str, Any] = {"check_sortedness": False} if _CHECKS_ORDER else {}
    if not coalesce:  # which old versions do not have
        options["coalesce"] = False
    # Without rows, polars checks the arguments and names the columns.
    named = left.clear().join_asof(
        right.clear(), left_on=left_on, right_on=right_on, by_left=by_left, by_right=by_right,
        strategy=strategy, suffix=suffix, tolerance=tolerance, **options)
    by_right = [by_right] if isinstance(by_right, str) else list(by_right or [])
    by_left = [by_left] if isinstance(by_left, str) else list(by_left or [])
    keys, right_keys = (frame.select(name).to_series()
                        for frame, name in ((left, left_on), (right, right_on)))
    rows = _rows(left.select(by_left).get_columns(), right.select(by_right).get_columns(), keys,
                 right_keys, strategy, allow_exact_matches, tolerance, index)
    kept = [name for name in right.columns if name not in by_right]
    new_names = named.columns[left.width:]
    if len(new_names) < len(kept):
        kept.remove(right_keys.name)  # which has the name of the left keys
    taken = right.select(polars.col(kept).gather(rows)) if kept else right.clear().select()
    taken.columns = new_names
    return like_left(left.hstack(taken.get_columns()))


def join_overlap(left: Any, right: Any, *, on: Any = None,
                 left_on: Any = None, right_on: Any = None, ends: EndsName,
                 by: str | Sequence[str] | None = None, by_left: str | Sequence[str] | None = None,
                 by_right: str | Sequence[str] | None = None,
                 how: FrameJoinName | Literal["full"] = "inner", suffix: str = "_right") -> Any:
    """Pairs of rows whose intervals overlap, such as bookings and the outages that they touch.

    on, left_on, right_on: the columns of the start and the end, `("start", "end")`. `left_on` may
        be one column of points: then rows of `right` whose interval contains the point are found.
    ends: which ends belong to the intervals of both sides, such as "[)".
    by, by_left, by_right: columns that must be equal, such as a room or a chromosome.
    how: "inner"; "left", "right" and "full" keep rows of that side, or of both, that overlap
        nothing ("outer" is "full"); "semi" and "anti" return the rows of `left` with and without an
        overlap.
    suffix: of columns of `right` that `left` has as well.

    Rows come in the order of `left`, those of one row in any order. Nulls overlap and equal
    nothing. The result is lazy for a LazyFrame on the left.
    """
    left, right, like_left = _collected(left, right)
    how = "outer" if how == "full" else how
    if on is not None and (left_on is not None or right_on is not None):
        raise InvalidArgumentError("pass `on`, or `left_on` and `right_on`, not both")
    left_names = names_of(left_on if on is None else on, "left")
    right_names = names_of(right_on if on is None else on, "right")
    left_keys, right_keys = (_names(own if by is None else by) for own in (by_left, by_right))
    if len(left_keys) != len(right_keys):
        raise InvalidArgumentError(f"by_left has {len(left_keys)} columns and by_right "
                                   f"{len(right_keys)}: name as many")
    groups = [_groups(left.get_column(a), right.get_column(b))
              for a, b in zip(left_keys, right_keys)]
    probe, rows = pairs([a for a, _ in groups], [left.get_column(name) for name in left_names],
                        [b for _, b in groups], [right.get_column(name) for name in right_names],
                        ends, how, (left_names, right_names))
    if rows is None:
        return like_left(left[probe])
    found = _taken(left, left.columns, probe)
    shared = [name for name in right_keys if name == left_keys[right_keys.index(name)]]
    kept = [name for name in right.columns if name not in shared]
    taken = _taken(right, kept, rows)
    taken.columns = [name + suffix if name in left.columns else name for name in kept]
    if how in ("right", "outer"):  # keys of rows that are on the right only
        alone = polars.Series(probe < 0)
        found = found.with_columns([
            found.get_column(name).zip_with(~alone, _taken(right, [name], rows).to_series())
            for name in shared])
    return like_left(found.hstack(taken.get_columns()))


def join(left: Any, right: Any, on: Any = None, how: str = "inner", *, left_on: Any = None,
         right_on: Any = None, suffix: str = "_right", validate: str = "m:m",
         nulls_equal: bool = False, coalesce: bool | None = None,
         maintain_order: str | None = None) -> Any:
    """`left.join(right, ...)` of polars, with its arguments and results. Rows come in the order of
    `left`, or of `right` for how="right", without `maintain_order`. Polars itself joins with any of
    the last four options, on expressions, and on columns of lists and structs.

    how: "inner", "left", "right", "full", "semi", "anti" or "cross". The result is lazy for a
        LazyFrame on the left.
    """
    left, right, like_left = _collected(left, right)
    options: dict[str, Any] = {"validate": validate, "nulls_equal": nulls_equal,
                               "coalesce": coalesce, "maintain_order": maintain_order}
    usual = {"validate": "m:m", "nulls_equal": False, "coalesce": None, "maintain_order": None}
    options = {name: option for name, option in options.items() if option != usual[name]}

    def by_polars(one: Any, other: Any, **more: Any) -> Any:
        return one.join(other, on=on, how=how, left_on=left_on, right_on=right_on, suffix=suffix,
                        **more)

    # Without rows, polars checks the arguments and names the columns.
    named = by_polars(left.clear(), right.clear(), **options)
    sides = [(left, left_on if on is None else on), (right, right_on if on is None else on)]
    if options or not all(_are_plain(*side) for side in sides) or _are_wide(*sides):
        order = {"maintain_order": "right_left" if how == "right" else "left_right"}
        return like_left(by_polars(left, right, **(order | options)))
    left_keys, right_keys = (_names(own if on is None else on) for own in (left_on, right_on))
    groups = [_groups(left.get_column(a), right.get_column(b))
              for a, b in zip(left_keys, right_keys)]
    probe, rows = equal_pairs([a for a, _ in groups], [b for _, b in groups],
                              "outer" if how == "full" else how)
    if how in ("semi", "anti"):
        return like_left(left[probe])
    own = [name for name in left.columns if how != "right" or name not in left_keys]
    others = [name for name in right.columns if how in ("right", "full") or
              name not in right_keys]
    result = polars.DataFrame([*_taken(left, own, probe).get_columns(), *(
        column.alias(f"{i}") for i, column in enumerate(
            _taken(right, others, rows).get_columns()))])
    result.columns = named.columns
    return like_left(result)


def _collected(left: Any, right: Any) -> tuple[polars.DataFrame, polars.DataFrame,
                                               Callable[[polars.DataFrame], Any]]:
    """Both frames in memory, and what makes a result as lazy as the left one was."""
    is_lazy = isinstance(left, polars.LazyFrame)
    for frame in (left, right):
        if not isinstance(frame, (polars.DataFrame, polars.LazyFrame)):
            library = type(frame).__module__.partition(".")[0]
            of = "" if library == "builtins" else f" of {library}"
            raise InvalidArgumentError("expected a DataFrame of polars, got a "
                                       f"{type(frame).__name__}{of}")
    left, right = (frame.collect() if isinstance(frame, polars.LazyFrame) else frame
                   for frame in (left, right))
    return left, right, polars.DataFrame.lazy if is_lazy else lambda frame: frame


def _are_plain(frame: polars.DataFrame, keys: Any) -> bool:
    """Whether keys are names of columns that an index can hold."""
    if not isinstance(keys, (str, list, tuple)):
        return False
    names = _names(keys)
    return all(isinstance(name, str) and not frame.schema[name].is_nested() for name in names)


def _are_wide(left: tuple[polars.DataFrame, Any], right: tuple[polars.DataFrame, Any]) -> bool:
    """Whether keys of two integer types need more than 64 bits to be compared."""
    types = [[frame.schema[name] for name in _names(keys)] for frame, keys in (left, right)]
    return any(a != b and a.is_integer() and b.is_integer() and not (
        _fits_int64(a) and _fits_int64(b)) for a, b in zip(*types))


def _taken(frame: polars.DataFrame, names: Sequence[str], rows: Array) -> polars.DataFrame:
    """Rows of some columns; -1 is a row of nulls."""
    positions = polars.Series(rows)
    if (rows < 0).any():
        positions = positions.set(positions < 0, None)
    return frame.select([frame.get_column(name).gather(positions) for name in names])


@polars.api.register_expr_namespace("rtindex")
class ExpressionCalls:
    """`pl.col("key").rtindex`: lookups of an expression in an index."""

    def __init__(self, expression: polars.Expr):
        self._expression = expression

    def lookup(self, index: Index, answer: Any = "any", values: Any = None,
               **options: Any) -> polars.Expr:
        """`index.lookup` of the expression: an answer for each element, a struct of several."""
        _require_elementwise(answer, options)
        return self._answered(lambda keys: index.lookup(keys, answer, values, **options))

    def nearest(self, index: Index, answer: Any = "any", values: Any = None,
                **options: Any) -> polars.Expr:
        """`index.nearest` of the expression, as `lookup`."""
        _require_elementwise(answer, options)
        return self._answered(lambda keys: index.nearest(keys, answer, values, **options))

    def isin(self, index: Index) -> polars.Expr:
        """Which elements are keys of an index; null for a null, as `is_in` has it."""
        return self._answered(lambda keys: (index.lookup(keys, "count") > 0).set(
            keys.is_null(), None))

    def _answered(self, call: Callable[[polars.Series], Any]) -> polars.Expr:
        def answers(keys: polars.Series) -> polars.Series:
            return _one_series(call(keys)).alias(keys.name)

        # Answers to no lookups have the type of all others.
        dtype = answers(polars.Series(dtype=polars.Null)).dtype
        return self._expression.map_batches(answers, dtype, is_elementwise=True)


def _require_elementwise(answer: Any, options: dict[str, Any]) -> None:
    names = [answer] if isinstance(answer, str) else [*answer]
    if options.get("counters"):
        names.append("counters")
    for name in ("bitmap", "bitmaps", "counters"):
        if name in names:
            raise InvalidArgumentError(f"an expression expects an entry for each element, which "
                                       f"{name} has not: call the index itself")


def _one_series(answers: Any) -> polars.Series:
    """Answers, or the parts of a composite key, as one column."""
    if isinstance(answers, tuple):
        answers = {str(i): part for i, part in enumerate(answers)}
    if isinstance(answers, (dict, Answers)):
        fields = {name: _one_series(column) for name, column in dict(answers).items()}
        return polars.DataFrame(fields).to_struct()
    return polars.Series(answers)


def _names(by: str | Sequence[str] | None) -> list[str]:
    return [by] if isinstance(by, str) else list(by or [])


def _rows(left_by: list[Any], right_by: list[Any], keys: polars.Series, right_keys: polars.Series,
          strategy: DirectionName, exact: bool, tolerance: Any,
          ready: Index | None) -> polars.Series:
    """The row of each neighbour; null without one."""
    tolerance = _ticks(tolerance, keys.dtype)
    if ready is None:
        groups = [_groups(*pair) for pair in zip(left_by, right_by)]
        left_by, right_by = [left for left, _ in groups], [right for _, right in groups]
        keys, right_keys = _plain(keys), _plain(right_keys)
    elif tolerance is not None and keys.dtype.is_temporal():
        tolerance = np.timedelta64(tolerance, getattr(keys.dtype, "time_unit", "D"))
    if ready is not None:  # categories as their values, which an index holds
        left_by = [column.cast(polars.String) if column.dtype in (polars.Categorical, polars.Enum)
                   else column for column in left_by]
    index = index_over(right_by, right_keys, ready, len(right_keys))
    if strategy == "nearest":
        rows = last_nearest(index, left_by, keys, right_keys, exact, tolerance, _numbers,
                            lambda column, rows: column.gather(rows))
    else:
        rows = neighbour_rows(index, key_of(left_by, keys), strategy, exact, tolerance)
    found = polars.Series(rows)
    return found.set(found == MISS, None) if (rows == MISS).any() else found


def _groups(left: polars.Series, right: polars.Series) -> tuple[Any, Any]:
    """Both sides of a `by` column as integers that are equal where the values are."""
    if left.dtype != right.dtype and _fits_int64(left.dtype) and _fits_int64(right.dtype):
        left, right = left.cast(polars.Int64), right.cast(polars.Int64)
    if left.dtype != right.dtype:
        raise InvalidArgumentError(f"the columns '{left.name}' and '{right.name}' differ in type, "
                                   f"{left.dtype} and {right.dtype}: cast one of them")

    def number() -> tuple[Any, Any]:
        both = polars.concat([left.alias(""), right.alias("")])
        if both.dtype == polars.Categorical:
            codes = both.to_physical()
        else:
            values = both.unique()
            numbers = polars.int_range(len(values), dtype=polars.UInt32, eager=True)
            codes = both.replace_strict(values, numbers, default=None)
            codes = codes.set(both.is_null(), None)  # which equals nothing
        return codes[:len(left)], codes[len(left):]

    return grouped(left, right, number) if left.dtype.is_integer() else number()


def _fits_int64(dtype: Any) -> bool:
    return dtype.is_integer() and str(dtype) not in ("UInt64", "Int128", "UInt128")


def _plain(keys: polars.Series) -> polars.Series:
    """Keys for an index: times as ticks, 128-bit integers and decimals as 64 bits."""
    plain = keys.to_physical()
    if str(plain.dtype) != "Int128":  # a type that old versions do not name
        return plain
    try:
        return plain.cast(polars.Int64)
    except polars.exceptions.InvalidOperationError:
        raise InvalidArgumentError(f"the column '{keys.name}' of type {keys.dtype} has keys beyond "
                                   "64 bits: cast it to Float64") from None


def _numbers(keys: polars.Series) -> Array:
    """Keys that have distances; those of nulls are never read."""
    return keys.to_physical().fill_null(0).to_numpy()


def _ticks(tolerance: Any, dtype: Any) -> Any:
    """The tolerance as a number, in the unit of a column of times."""
    if isinstance(tolerance, datetime.timedelta):
        nanoseconds = tolerance // datetime.timedelta(microseconds=1) * 1000
    elif isinstance(tolerance, str):
        nanoseconds = sum(int(number) * _NANOSECONDS[unit]
                          for number, unit in _DURATION.findall(tolerance))
    elif isinstance(tolerance, float) and dtype.is_integer():
        return int(tolerance)  # distances are whole
    else:
        return tolerance
    if dtype == polars.Date:
        return nanoseconds // _NANOSECONDS["d"]
    return nanoseconds // _TICKS[getattr(dtype, "time_unit", None) or "ns"]  # Time has nanoseconds


def _require_distance(dtype: Any, strategy: Any, tolerance: Any) -> None:
    """Rejects arguments for which polars has no error."""
    if strategy == "nearest" and dtype in (polars.String, polars.Binary, polars.Boolean):
        raise InvalidArgumentError(f"invalid strategy='nearest': keys of type {dtype} have no "
                                   "distance; use backward or forward")
    if tolerance is None:
        return
    is_duration = isinstance(tolerance, (str, datetime.timedelta))
    is_number = isinstance(tolerance, (numbers.Real, decimal.Decimal))
    if not is_duration and (not is_number or isinstance(tolerance, np.timedelta64)):
        raise InvalidArgumentError(f"invalid tolerance={tolerance!r}: expected a number, a string "
                                   "such as '5s' or a datetime.timedelta")
    is_negative = tolerance.startswith("-") if isinstance(tolerance, str) else (
        tolerance < datetime.timedelta(0) if is_duration else tolerance < 0)
    if is_negative:
        raise InvalidArgumentError(f"invalid tolerance={tolerance!r}: expected 0 or more")
    if is_duration and not dtype.is_temporal():
        raise InvalidArgumentError(f"invalid tolerance={tolerance!r}: expected a number for keys "
                                   f"of type {dtype}")
