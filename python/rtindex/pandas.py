"""ASOF joins of pandas data frames, with unsorted rows and ready indexes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from pandas.core.reshape import merge as _merge

from ._asof import grouped, index_over, key_of, neighbour_rows
from ._core import MISS
from ._index import Index
from ._lists import Array
from ._lookups import DirectionName


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
    return _Merge(index, left, right, on=on, left_on=left_on, right_on=right_on,
                  left_index=left_index, right_index=right_index, by=by, left_by=left_by,
                  right_by=right_by, suffixes=suffixes, how="asof", tolerance=tolerance,
                  allow_exact_matches=allow_exact_matches, direction=direction).get_result()


# pandas checks the arguments and assembles the result; only the search for rows is replaced, so
# that both are those of the installed version.
class _Merge(_merge._AsOfMerge):  # type: ignore[misc]
    def __init__(self, index: Index | None, *arguments: Any, **options: Any):
        self._ready = index
        super().__init__(*arguments, **options)

    def _get_join_indexers(self) -> tuple[Array, Array]:
        left_on, right_on = (
            frame.index._values if is_index else keys[-1]
            for frame, is_index, keys in (
                (self.left, self.left_index, self.left_join_keys),
                (self.right, self.right_index, self.right_join_keys)))
        for keys, side in ((left_on, "left"), (right_on, "right")):
            if pandas.isna(keys).any():
                raise ValueError(f"Merge keys contain null values on {side} side")
        left_by, right_by = self._by(self.left_join_keys), self._by(self.right_join_keys)
        tolerance = self.tolerance
        if self._ready is None:
            tolerance = _ticks(tolerance, left_on)
            groups = [_groups(*pair) for pair in zip(left_by, right_by)]
            left_by, right_by = [left for left, _ in groups], [right for _, right in groups]
            left_on, right_on = _plain(left_on), _plain(right_on)
        else:
            left_by = [_decoded(column) for column in left_by]
        index = index_over(right_by, right_on, self._ready, len(self.right))
        rows = neighbour_rows(index, key_of(left_by, left_on), self.direction,
                              bool(self.allow_exact_matches), tolerance)
        found = rows.astype(np.intp)
        found[rows == MISS] = -1
        return np.arange(rows.size, dtype=np.intp), found

    def _by(self, keys: Any) -> list[Any]:
        if self.left_by is None:
            return []
        return list(keys) if self.left_index and self.right_index else list(keys[:-1])


def _ticks(tolerance: Any, keys: Any) -> Any:
    """The tolerance in the unit of the keys, as pandas rounds it."""
    dtype = keys.dtype
    if tolerance is None or dtype.kind not in "mM":
        return tolerance
    if isinstance(dtype, np.dtype):
        unit = np.datetime_data(dtype)[0]
    else:
        unit = getattr(dtype, "pyarrow_dtype", dtype).unit
    return int(pandas.Timedelta(tolerance).as_unit(unit).to_timedelta64().astype(np.int64))


def _plain(keys: Any) -> Array:
    """Keys without nulls as numbers: times as their ticks, extension arrays as NumPy's."""
    if hasattr(keys, "asi8"):
        ticks: Array = keys.asi8
        return ticks
    if isinstance(keys.dtype, pandas.ArrowDtype) and keys.dtype.kind in "mM":
        import pyarrow

        array = pyarrow.array(keys)
        ticks = array.cast(pyarrow.int64()).to_numpy(zero_copy_only=False)
        return ticks
    if isinstance(keys, np.ndarray):
        return keys.view(np.int64) if keys.dtype.kind in "mM" else keys
    return np.asarray(keys.to_numpy(getattr(keys.dtype, "numpy_dtype", None)))


def _decoded(column: Any) -> Any:
    """Categories as their values, which an index holds."""
    if isinstance(column, pandas.Categorical):
        return pandas.Series(column).astype(column.categories.dtype)
    return column


def _groups(left: Any, right: Any) -> tuple[Any, Any]:
    """Both sides of a `by` column as integers that are equal where the values are; nulls are equal,
    as in pandas."""
    def number() -> tuple[Array, Array]:
        both = pandas.concat([pandas.Series(left), pandas.Series(right)], ignore_index=True)
        codes, _ = pandas.factorize(both, use_na_sentinel=False)
        return codes[:len(left)], codes[len(left):]

    if isinstance(left, pandas.Categorical):
        return left.codes, right.set_categories(left.categories).codes
    if isinstance(left, np.ndarray) and left.dtype.kind in "biu":
        left, right = (side.view(np.uint8) if side.dtype.kind == "b" else side
                       for side in (left, right))
        return grouped(left, right, number)
    return number()
