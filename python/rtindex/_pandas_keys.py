"""The key columns of pandas data frames: checked, and as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas
from pandas.api.types import infer_dtype, is_bool_dtype, is_numeric_dtype, is_timedelta64_dtype

from ._asof import grouped
from ._errors import InvalidArgumentError
from ._intervals import from_pandas
from ._lists import Array
from ._overlap import names_of

_INFERRED = {"string": "text", "bytes": "bytes", "integer": "number", "floating": "number",
             "mixed-integer-float": "number", "boolean": "number", "decimal": "number",
             "datetime": "time", "datetime64": "time", "date": "date", "time": "time of day",
             "timedelta": "duration", "timedelta64": "duration"}


def require_columns(frame: Any, names: Sequence[Any]) -> None:
    """Rejects names that are not those of exactly one column."""
    if not isinstance(frame, pandas.DataFrame):
        raise TypeError(f"expected a DataFrame of pandas, got {type(frame).__module__.split('.')[0]}."
                        f"{type(frame).__name__}")
    for name in names:
        if name not in frame.columns:
            raise KeyError(f"no column {name!r}: expected one of {[*frame.columns]}")
        count = int((frame.columns == name).sum())
        if count > 1:
            times = "twice" if count == 2 else f"{count} times"
            raise InvalidArgumentError(f"the column {name!r} appears {times}: rename one of them")


def columns_on(frame: Any, on: Any, side: str, ends: Any) -> list[Any]:
    """The starts and ends of a side: two columns, or one of intervals; on the left also one column
    of points."""
    if isinstance(on, Hashable) and not isinstance(on, tuple) and on in frame.columns:
        require_columns(frame, [on])
        found = from_pandas(frame[on])
        if found is not None:
            if found.ends != ends:
                raise InvalidArgumentError(f"the column {on!r} has intervals {found.ends}: pass "
                                           f"ends=\"{found.ends}\"")
            return [pandas.Series(found.start), pandas.Series(found.end)]
    names = names_of(on, side)
    require_columns(frame, names)
    return [frame[name] for name in names]


def numbers(columns: list[Any]) -> list[Any]:
    """Points in which NaN is null. Numbers of several types become integers where all of them are
    whole, else floats: pandas stores integers beside a NaN as floats."""
    plain = all(isinstance(one.dtype, np.dtype) and one.dtype.kind in "iuf" for one in columns)
    if not plain or len({one.dtype for one in columns}) == 1:
        return [_nullable(one) for one in columns]
    valid = [one.dropna() for one in columns]
    if all((one == np.floor(one)).all() and (one.abs() <= 2**53).all() if one.dtype.kind == "f"
           else not len(one) or int(one.max()) < 2**63 for one in valid):
        return [np.ma.masked_array(one.fillna(0).to_numpy(np.int64), one.isna())
                for one in columns]
    for one in valid:
        if one.dtype.kind != "f" and len(one) and max(abs(int(one.min())), int(one.max())) > 2**53:
            raise ValueError(f"the column {one.name!r} has integers beyond 2^53, and others have "
                             "fractions: convert them to one type")
    return [_nullable(one.astype(np.float64)) for one in columns]


def _nullable(points: Any) -> Any:
    """Points in which NaN is null."""
    if isinstance(points.dtype, np.dtype) and points.dtype.kind == "f":
        return np.ma.masked_array(points.to_numpy(), points.isna())
    return points


def decoded(column: Any) -> Any:
    """Categories as their values, which an index holds."""
    if isinstance(column.dtype, pandas.CategoricalDtype):
        return column.astype(column.cat.categories.dtype)
    return column


def groups_of(left: Any, right: Any) -> tuple[Any, Any]:
    """Both sides of a `by` column as integers that are equal where the values are; nulls are equal,
    as in pandas."""
    _require_alike(left, right)

    def number() -> tuple[Array, Array]:
        codes, _ = pandas.factorize(pandas.concat([left, right], ignore_index=True),
                                    use_na_sentinel=False)
        return codes[:len(left)], codes[len(left):]

    categorical = [isinstance(side.dtype, pandas.CategoricalDtype) for side in (left, right)]
    if all(categorical):
        known = right.cat.set_categories(left.cat.categories)
        # Nulls are -1; what the left side does not have equals nothing.
        others = np.where(known.isna() & right.notna(), -2, known.cat.codes.to_numpy())
        return left.cat.codes.to_numpy().astype(np.int64), others.astype(np.int64)
    left, right = decoded(left), decoded(right)
    if all(isinstance(side.dtype, np.dtype) and side.dtype.kind in "biu" for side in (left, right)):
        integers = [side.to_numpy(np.uint8 if side.dtype.kind == "b" else None)
                    for side in (left, right)]
        return grouped(integers[0], integers[1], number)
    return number()


def _require_alike(left: Any, right: Any) -> None:
    """Rejects columns of two types of which no values are equal, such as integers and texts."""
    if left.dtype == right.dtype:
        return
    families = [_family(decoded(side)) for side in (left, right)]
    if all(families) and families[0] != families[1]:
        raise InvalidArgumentError(
            f"the columns {left.name!r} and {right.name!r} differ in type, {left.dtype} and "
            f"{right.dtype}, so that no values are equal: convert one of them, such as with "
            ".astype(str)" + (" or pd.to_datetime" if "time" in families else ""))


def _family(column: Any) -> str:
    """What the values are equal to: empty where it is unknown, such as for nulls alone."""
    dtype = column.dtype
    if not len(column) or column.isna().all():
        return ""
    if is_bool_dtype(dtype) or is_numeric_dtype(dtype):
        return "number"
    if is_timedelta64_dtype(dtype):
        return "duration"
    if getattr(dtype, "kind", "") == "M":
        return "time" if getattr(getattr(dtype, "pyarrow_dtype", dtype), "tz", None) is None else (
            "zoned time")
    return _INFERRED.get(infer_dtype(column, skipna=True), "")
