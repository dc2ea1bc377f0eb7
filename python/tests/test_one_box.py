"""Filters of one query have a short way into the index, with the answers of the long one."""

from __future__ import annotations

import contextlib
import datetime
import math
import zoneinfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rtindex

DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)
ROWS = [0, 1, 2, 3, 4, 5, None, 1]
COLUMNS = {
    **{name: np.array([0, 1, 2, 3, 4, 5, 6, 1], name)
       for name in ("int8", "int32", "uint8", "uint64", "float16", "float32", "float64", "bool")},
    "nulls": ROWS, "nan": pd.Series(ROWS, dtype=float), "nan is a number": np.array(ROWS, float),
    "string": ["", "a", "ä", "2024-02-29", "b", "c", None, "a"],
    "category": pd.Series(["a", "b", "a", "c", "a", "b", None, "b"], dtype="category"),
    "ordered": pd.Series(pd.Categorical([*"abacabcb"], [*"cba"], ordered=True)),
    **{f"M8[{unit}]": np.datetime64("2024-02-28", unit) + np.arange(8) * np.timedelta64(1, "D")
       for unit in ("D", "h", "s", "ms", "us", "ns")},
    "date": pa.array([DAY, None] * 4),
    "zoned": pa.array([NOON, None] * 4, pa.timestamp("us", "Europe/Berlin")),
    "decimal": pa.array([1, None] * 4, pa.decimal128(5, 1)),
}
VALUES = [
    0, 1, 5, -1, 2**63 - 1, 2**63, -2**63, 2**64, 2**53 + 1, 1.0, 1.5, -0.0, math.nan, math.inf, 4e38, True, None,
    "", "a", "ä", "\ud800", b"a", "2024-02-29", "2024-02-30", "2024-2-29", "2024-02-29T12:00:00", "2024-02-29 00:00:00",
    "2024-02-29T24:00:00", "2024-02-29T00:00:00+01:00", "0000-01-01", "2024-02-29T12", DAY, NOON, datetime.date.min,
    datetime.date.max, NOON.replace(microsecond=1), NOON.replace(tzinfo=zoneinfo.ZoneInfo("UTC")), pd.Timestamp(NOON),
    np.int64(1), np.datetime64("2024-02-29"), [1, 2],
]
CONDITIONS = [
    *VALUES, *[(value, None) for value in VALUES], *[(None, value) for value in VALUES],
    *[rtindex.between(value, value, ends) for value in VALUES for ends in ("[)", "(]", "[]")],
    (1, 5), (5, 1), rtindex.between(1, 5, "()"), ("a", "b"), (DAY, NOON), ("2024-02-29", "2024-03-02"), (), (1, 2, 3),
    rtindex.isin([]), rtindex.isin([1, 5, 1, -7]), rtindex.isin([1, None]), rtindex.isin([2**63]), rtindex.isin(["a", "b"]),
    rtindex.isin((1, 2)), rtindex.isin([*range(100)]), rtindex.isin([1.0]), rtindex.isin([True]), rtindex.is_null(),
    rtindex.is_null, [1, 2],
]


def outcome(call):
    try:
        found = call()
        return found.tolist() if isinstance(found, np.ndarray) else found
    except rtindex.Error as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", COLUMNS)
def test_one_filter_has_the_answers_of_a_batch(name):
    index = rtindex.build(rtindex.points(x=COLUMNS[name], y=[*range(8)]), "rx:native@cpu")
    plain = index.snapshot()
    plain._box = None
    for condition in CONDITIONS:
        for conditions in ({"x": condition}, {"y": (1, 6), "x": condition}):
            for answer in ("any", "first", "last", "count", "rows", "nonsense"):
                found, wanted = (outcome(lambda each=each: each.filter(conditions, answer))
                                 for each in (index, plain))
                assert repr(found) == repr(wanted), (conditions, answer)


@pytest.mark.parametrize("conditions", [{}, {"z": 1}, {1: 1}, {"x": 1, "z": 1}, None, [("x", 1)], {"x": 1, "y": 1}])
def test_other_conditions_have_the_answers_of_a_batch(conditions):
    index = rtindex.build(rtindex.points(x=[1, 2, 3], y=[1, 1, 1]), "rx:native@cpu")
    plain = index.snapshot()
    plain._box = None
    found, wanted = (outcome(lambda each=each: each.filter(conditions, "count")) for each in (index, plain))
    assert repr(found) == repr(wanted)


def test_one_filter_sees_changes_and_reports_progress():
    index = rtindex.build(rtindex.points(x=[1, 2], y=[1, 1]), "rx:native@cpu")
    index.insert({"x": [1, 1], "y": [1, 2]})
    assert index.filter({"x": 1, "y": (1, 1)}, "count") == 2
    index.erase([0])
    assert index.filter({"x": 1, "y": 1}) == 2
    seen: list[float] = []
    with rtindex.progress(seen.append):
        index.filter({"x": 1}, "count")
    assert seen[-1] == 1


def test_strings_of_a_dict_that_changes_are_kept():
    index = rtindex.build(rtindex.points(x=["a" * 40, "b"], t=pa.array([NOON] * 2, pa.timestamp("us", "UTC"))), "rx:native@cpu")
    conditions: dict[str, object] = {"x": ("a" * 40).upper().lower()}

    class Zone(datetime.tzinfo):
        def utcoffset(self, _):
            conditions["x"] = "b"
            return datetime.timedelta(0)

        def dst(self, _):
            return None

        def tzname(self, _):
            return None

    conditions["t"] = NOON.replace(tzinfo=Zone())
    assert index.filter(conditions, "count") in (0, 1)


class _Name(str):
    """Equals "a", and no other name of its type."""

    def __eq__(self, other: object) -> bool:
        return other == "a" if type(other) is str else self is other

    def __hash__(self) -> int:
        return hash("a")


def test_names_that_equal_the_same_column():
    index = rtindex.build(rtindex.points(a=[1, 2, 3], b=[1, 2, 3]))
    conditions = {_Name(i): (i - 20, 20) for i in range(20)}
    assert len(conditions) == 20
    with contextlib.suppress(rtindex.InvalidArgumentError):
        index.filter(conditions, "count")


def test_conditions_that_a_time_zone_moves():
    class Zone(datetime.tzinfo):
        left = 30

        def utcoffset(self, dt):
            if self.left:
                self.left -= 1
                conditions["t"] = conditions.pop("t")
            return datetime.timedelta(0)

        def dst(self, dt):
            return None

        def tzname(self, dt):
            return None

    times = pa.array([NOON, None], pa.timestamp("us", "UTC"))
    index = rtindex.build(rtindex.points(t=times, n=[1, 2]))
    conditions: dict[str, object] = {}
    conditions |= {"t": (NOON.replace(tzinfo=Zone()), None), "n": 1}
    assert index.filter(conditions, "count") == 1
