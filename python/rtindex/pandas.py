"""Joins of pandas data frames: on equal keys, ranges, overlaps and ASOF; an accessor of Series."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas
from pandas.api.types import is_list_like

from ._asof import index_over, key_of, neighbour_rows
from ._core import MISS
from ._errors import InvalidArgumentError
from ._index import Index, build
from ._interval_sides import has_nulls_alone
from ._lists import Array
from ._overlap import names_of, pairs
from ._pairs import HOW, FrameJoinName, column_of, equal_pairs, joined, require_frame_how
from ._pandas_keys import columns_on, decoded, groups_of, numbers, require_columns
from ._query import DirectionName, EndsName, Query


def merge_asof(left: Any, right: Any, on: Any = None, left_on: Any = None, right_on: Any = None,
               left_index: bool = False, right_index: bool = False, by: Any = None,
               left_by: Any = None, right_by: Any = None, suffixes: Any = ("_x", "_y"),
               tolerance: Any = None, allow_exact_matches: bool = True,
               direction: DirectionName = "backward", *, index: Index | None = None) -> Any:
    """`pandas.merge_asof`, with the same arguments, results and errors.

    Neither side has to be sorted; the result has the order of `left`. Rows of `right` with equal
    keys count in their order.

    index: an index over the `on` column of `right`, or over a tuple of its `by` columns and this
        column, in that order. Without it, one is built for the call.
    """
    # On the first rows pandas checks the arguments and names the columns of the result.
    first = pandas.merge_asof(
        _head(left, left), _head(right, right), on=_head(on, left), left_on=_head(left_on, left),
        right_on=_head(right_on, right), left_index=left_index, right_index=right_index,
        by=_head(by, left), left_by=_head(left_by, left), right_by=_head(right_by, right),
        suffixes=suffixes, tolerance=tolerance, allow_exact_matches=allow_exact_matches,
        direction=direction)
    if on is None and left_on is None and right_on is None and not (left_index or right_index):
        on = left.columns.intersection(right.columns)[0]
    left_side = _Side(left, left_on if on is None else on, left_by if by is None else by)
    right_side = _Side(right, right_on if on is None else on, right_by if by is None else by)
    for side, name in ((left_side, "left"), (right_side, "right")):
        if side.on.isna().any():
            raise ValueError(f"Merge keys contain null values on {name} side")
    rows = _rows(left_side, right_side, index, direction, bool(allow_exact_matches), tolerance)
    if not rows.size:
        return first
    result = _assemble(left_side, right_side, rows, suffixes, first.columns)
    if left_index or right_index:
        result.index = left_side.frame.index
    return result


def merge_overlap(left: Any, right: Any, on: Any = None, left_on: Any = None, right_on: Any = None,
                  *, ends: EndsName, by: Any = None, left_by: Any = None, right_by: Any = None,
                  how: FrameJoinName = "inner", suffixes: Any = ("_x", "_y")) -> Any:
    """Pairs of rows whose intervals overlap, such as bookings and the outages that they touch.

    on, left_on, right_on: the columns of the start and the end, `("start", "end")`, or one column
        of intervals. `left_on` may be one column of points: then rows of `right` whose interval
        contains the point are found.
    ends: which ends belong to the intervals of both sides, such as "[)".
    by, left_by, right_by: columns that must be equal, such as a room or a chromosome.
    how: "inner"; "left", "right" and "outer" keep rows of that side, or of both, that overlap
        nothing; "semi" and "anti" return the rows of `left` with and without an overlap.
    suffixes: of columns with the same name on both sides.

    Rows come in the order of `left`, those of one row in any order. Null starts and ends overlap
    nothing; null values of `by` are equal, as in pandas.
    """
    if on is not None and (left_on is not None or right_on is not None):
        raise ValueError("pass `on`, or `left_on` and `right_on`, not both")
    left_keys, right_keys = (_labels(own if by is None else by) for own in (left_by, right_by))
    require_columns(left, left_keys)
    require_columns(right, right_keys)
    left_points = columns_on(left, left_on if on is None else on, "left", ends)
    right_points = columns_on(right, right_on if on is None else on, "right", ends)
    if len(left_keys) != len(right_keys):
        raise ValueError(f"left_by has {len(left_keys)} columns and right_by {len(right_keys)}")
    groups = [groups_of(left[a], right[b]) for a, b in zip(left_keys, right_keys)]
    points = numbers([*left_points, *right_points])
    probe, rows = pairs([a for a, _ in groups], points[:len(left_points)],
                        [b for _, b in groups], points[len(left_points):], ends, how,
                        (left_on if on is None else on, right_on if on is None else on))
    if rows is None:
        return left.iloc[probe]
    return side_by_side(left, right, probe, rows, left_keys, right_keys, suffixes)


def merge(left: Any, right: Any, how: Any = "inner", on: Any = None, left_on: Any = None,
          right_on: Any = None, left_index: bool = False, right_index: bool = False,
          sort: bool = False, suffixes: Any = ("_x", "_y"), *, indicator: bool | str = False,
          validate: str | None = None) -> Any:
    """`pandas.merge`, with its arguments and results: rows with equal keys, in its order. Null keys
    equal each other. Pandas itself merges on an index and for how="cross", sorts, validates and adds
    an indicator.

    how: as in pandas, or "semi" or "anti", which return the rows of `left` with and without a match.
    """
    options: Any = {"left_index": left_index, "right_index": right_index, "sort": sort,
                    "indicator": indicator, "validate": validate}
    chosen = [name for name, option in options.items() if option not in (False, None)]
    is_own = how in ("semi", "anti")
    if is_own and chosen:
        raise InvalidArgumentError(f"how={how!r} takes no {chosen[0]}: omit it; the keys of an index "
                                   "are columns after reset_index()")
    known: Any = "inner" if is_own else how
    are_frames = all(isinstance(frame, pandas.DataFrame) for frame in (left, right))
    if not is_own and (chosen or how not in HOW or not are_frames):
        return pandas.merge(left, right, known, on, left_on, right_on, suffixes=suffixes, **options)
    left_keys, right_keys = _keys(left, right, on, left_on, right_on)
    if not is_own and not _are_common(left, right, left_keys, right_keys, how):
        return pandas.merge(left, right, known, on, left_on, right_on, suffixes=suffixes)
    # On no rows pandas checks the arguments.
    pandas.merge(left.iloc[:0], right.iloc[:0], known, on, left_on, right_on,
                 suffixes=(None, "_y"))
    groups = [groups_of(left[a], right[b]) for a, b in zip(left_keys, right_keys)]
    probe, rows = equal_pairs([a for a, _ in groups], [b for _, b in groups], how)
    if how in ("semi", "anti"):
        return left.iloc[probe]
    result = side_by_side(left, right, probe, rows, left_keys, right_keys, suffixes)
    if how != "outer" or not len(result):
        return result
    keys = pandas.DataFrame({i: _in_order(_either(left[a], right[b], probe, rows))
                             for i, (a, b) in enumerate(zip(left_keys, right_keys))})
    order = keys.sort_values([*keys.columns], kind="stable", na_position="last").index
    return result.iloc[order].reset_index(drop=True)


def merge_range(left: Any, right: Any, left_on: Any, right_on: Any, *, ends: EndsName = "[]",
                by: Any = None, left_by: Any = None, right_by: Any = None,
                how: FrameJoinName = "inner", suffixes: Any = ("_x", "_y")) -> Any:
    """Pairs of a row of `left` and the rows of `right` whose key is in its range.

    left_on: the columns of the lower and the upper end, `("from", "to")`.
    right_on: the column of keys.
    ends, by, left_by, right_by, how, suffixes: as in `merge_overlap`.

    Rows come in the order of `left`, those of one row in the order of `right`.
    """
    require_frame_how(how)
    lower, upper = names_of(left_on, "right")
    left_keys, right_keys = _labels(left_by if by is None else by), _labels(
        right_by if by is None else by)
    if len(left_keys) != len(right_keys):
        raise ValueError(f"left_by has {len(left_keys)} columns and right_by {len(right_keys)}")
    require_columns(left, [lower, upper, *left_keys])
    require_columns(right, [right_on, *right_keys])
    groups = [groups_of(left[a], right[b]) for a, b in zip(left_keys, right_keys)]
    points = numbers([left[lower], left[upper], right[right_on]])
    leading = [a for a, _ in groups]
    # Nulls alone have the type of the keys.
    low, high = ([None] * len(left) if has_nulls_alone(end) else end for end in points[:2])
    query = Query.range(column_of([*leading, low]), column_of([*leading, high]), ends)
    if len(left) and len(right):
        probe, rows = joined(column_of([*(b for _, b in groups), points[2]]), query, how, len(left),
                             len(right))
    else:
        probe, rows = equal_pairs([left[lower]], [right[right_on]], how)
    if how in ("semi", "anti"):
        return left.iloc[probe]
    return side_by_side(left, right, probe, rows, left_keys, right_keys, suffixes)


def side_by_side(left: Any, right: Any, probe: Array, rows: Array, left_keys: list[Any],
                 right_keys: list[Any], suffixes: Any) -> Any:
    """Rows of both frames beside each other; -1 is a row of nulls. Keys of one name are one
    column."""
    shared = [name for name, other in zip(right_keys, left_keys) if name == other]
    parts = []
    for frame, positions in ((left, probe), (right.drop(columns=shared), rows)):
        # The label -1 does not occur, so that its rows are null.
        whole = frame.reset_index(drop=True)
        taken = whole.reindex(positions) if (positions < 0).any() else whole.iloc[positions]
        parts.append(taken.reset_index(drop=True))
    result = pandas.merge(parts[0], parts[1], left_index=True, right_index=True, how="left",
                          suffixes=suffixes)
    if (probe < 0).any():
        for name in shared:
            result[name] = _either(left[name], right[name], probe, rows)
    return result


def _are_common(left: Any, right: Any, left_keys: list[Any], right_keys: list[Any],
                how: str) -> bool:
    """Whether all keys are columns of one type that pandas sorts as usual. It has rules of its own
    for keys of two types, for levels of an index, and for the order of an outer join by objects or
    categories."""
    if len(left_keys) != len(right_keys):
        return False
    for frame, keys in ((left, left_keys), (right, right_keys)):
        if not isinstance(frame, pandas.DataFrame) or not all(isinstance(key, Hashable) and (frame.columns == key).sum() == 1 for key in keys):
            return False
    for a, b in zip(left_keys, right_keys):
        dtype = left[a].dtype
        if dtype != right[b].dtype:
            return False
        if how == "outer" and (dtype == object or isinstance(
                dtype, (pandas.CategoricalDtype, pandas.PeriodDtype)) or str(dtype).startswith("dictionary")):
            return False
        # Beside missing rows pandas turns their integers into floats.
        if how in ("right", "outer") and isinstance(dtype, (pandas.IntervalDtype, pandas.SparseDtype)):
            return False
    return True


def _either(left: Any, right: Any, probe: Array, rows: Array) -> Any:
    """The values of the left column, or where it has no row those of the right one."""
    both = pandas.concat([left, right], ignore_index=True)
    return both.iloc[np.where(probe < 0, len(left) + rows, probe)].reset_index(drop=True)


def _in_order(keys: Any) -> Any:
    """Keys as pandas sorts those of an outer join: NaT comes first, other nulls last."""
    is_time = isinstance(keys.array, (pandas.arrays.DatetimeArray, pandas.arrays.TimedeltaArray))
    return keys.array.view("i8") if is_time else keys


def _keys(left: Any, right: Any, on: Any, left_on: Any,
          right_on: Any) -> tuple[list[Any], list[Any]]:
    if on is None and left_on is None:
        on = [*left.columns.intersection(right.columns)]
    if on is not None:
        return _labels(on), _labels(on)
    return _key_labels(left_on), _key_labels(right_on)


def _key_labels(on: Any) -> list[Any]:
    return [on] if isinstance(on, _ARRAYS) else _labels(on)


@pandas.api.extensions.register_series_accessor("rtindex")
class SeriesCalls:
    """`series.rtindex`: an index over a Series, and lookups of a Series in an index."""

    def __init__(self, series: Any):
        self._series = series

    def build(self, spec: str = "auto", include: Any = None) -> Index:
        """An index over the Series: `rtindex.build`."""
        return build(self._series, spec, include)

    def lookup(self, index: Index, answer: Any = "any", values: Any = None, **options: Any) -> Any:
        """`index.lookup` of the Series: an answer for each element, with the same labels."""
        return index.lookup(self._series, answer, values, **options)

    def nearest(self, index: Index, answer: Any = "any", values: Any = None, **options: Any) -> Any:
        """`index.nearest` of the Series."""
        return index.nearest(self._series, answer, values, **options)

    def isin(self, index: Index) -> Any:
        """Which elements are keys of an index."""
        return index.lookup(self._series, "count") > 0


def _labels(by: Any) -> list[Any]:
    return [] if by is None else list(by) if is_list_like(by) else [by]


_ARRAYS = (np.ndarray, pandas.api.extensions.ExtensionArray, pandas.Index, pandas.Series)


def _head(value: Any, frame: Any) -> Any:
    """The first row of a frame or of its keys; labels as they are."""
    if isinstance(value, (list, tuple)):
        return type(value)(_head(part, frame) for part in value)
    if isinstance(value, (pandas.DataFrame, *_ARRAYS)) and len(value) == len(frame):
        return getattr(value, "iloc", value)[:1]
    return value


class _Side:
    """A frame and its keys, the `by` columns first. A key is the label of a column or of a level of
    the index, an array, or None for the index itself."""

    def __init__(self, frame: Any, on: Any, by: Any):
        self.frame = frame.to_frame() if isinstance(frame, pandas.Series) else frame
        self.keys = [] if by is None else list(by) if is_list_like(by) else [by]
        self.keys.append(on[0] if isinstance(on, (list, tuple)) else on)
        *self.by, self.on = (self._column(key) for key in self.keys)

    def _column(self, key: Any) -> Any:
        if key is None:
            return pandas.Series(self.frame.index)
        if isinstance(key, _ARRAYS):
            if len(key) != len(self.frame):
                raise KeyError(f"expected {len(self.frame)} keys, got an array of {len(key)}")
            return pandas.Series(key)
        if key in self.frame.columns:
            return self.frame[key]
        return pandas.Series(self.frame.index.get_level_values(key))


def _rows(left: _Side, right: _Side, ready: Index | None, direction: DirectionName, exact: bool,
          tolerance: Any) -> Array:
    """The row of `right` for each row of `left`, -1 without one."""
    left_by, left_on, right_by, right_on = left.by, left.on, right.by, right.on
    if ready is None:
        tolerance = _ticks(tolerance, left_on)
        groups = [groups_of(*pair) for pair in zip(left_by, right_by)]
        left_by, right_by = [codes for codes, _ in groups], [codes for _, codes in groups]
        left_on, right_on = _plain(left_on), _plain(right_on)
    else:
        left_by = [decoded(column) for column in left_by]
    index = index_over(right_by, right_on, ready, len(right.frame))
    rows = neighbour_rows(index, key_of(left_by, left_on), direction, exact, tolerance)
    found = rows.astype(np.intp)
    found[rows == MISS] = -1
    return found


def _assemble(left: _Side, right: _Side, rows: Array, suffixes: Any, labels: Any) -> Any:
    """Both frames side by side, with the columns that pandas adds for keys."""
    shared = [key for key, other in zip(right.keys, left.keys)
              if _is_label(key) and _is_label(other) and key == other
              and key in right.frame.columns]
    # The label -1 does not occur, so that its rows are null.
    found = right.frame.drop(columns=shared).reset_index(drop=True).reindex(rows)
    result = pandas.merge(left.frame.reset_index(drop=True), found.reset_index(drop=True),
                          left_index=True, right_index=True, how="left", suffixes=suffixes)
    is_missing = bool((rows == -1).any())
    for number, values in enumerate((*left.by, left.on)):
        key, other = left.keys[number], right.keys[number]
        if number < len(labels) and labels[number] not in result.columns:
            result.insert(number, labels[number], values.array)
        # pandas completes a key column of the right side from an array or index on the left. It
        # also overwrites any other column there with the name of the left index; this does not.
        elif (is_missing and not _is_label(key) and _is_label(other) and other in result.columns
              and other not in left.frame.columns
              and (key is not None or not left.by or left.frame.index.name == other)):
            result[other] = values.array
    return result


def _is_label(key: Any) -> bool:
    return key is not None and not isinstance(key, _ARRAYS)


def _ticks(tolerance: Any, keys: Any) -> Any:
    """The tolerance in the unit of the keys, as pandas rounds it."""
    dtype = keys.dtype
    if tolerance is None or dtype.kind not in "mM":
        return tolerance
    if isinstance(dtype, np.dtype):
        unit: Any = np.datetime_data(dtype)[0]
    else:
        unit = getattr(dtype, "pyarrow_dtype", dtype).unit
    return int(pandas.Timedelta(tolerance).as_unit(unit).to_timedelta64().astype(np.int64))


def _plain(keys: Any) -> Array:
    """Keys without nulls as numbers: times as their ticks, extension arrays as NumPy's."""
    dtype = keys.dtype
    if isinstance(dtype, pandas.ArrowDtype) and dtype.kind in "mM":
        import pyarrow

        ticks: Array = pyarrow.array(keys.array).cast(pyarrow.int64()).to_numpy(
            zero_copy_only=False)
        return ticks
    if dtype.kind in "mM" or isinstance(dtype, pandas.PeriodDtype):
        return np.asarray(keys.astype(np.int64))
    return np.asarray(keys.to_numpy(getattr(dtype, "numpy_dtype", None)))
