"""rtindex.pandas.merge_asof gives what pandas.merge_asof gives, also for unsorted rows."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rtindex
import rtindex.pandas

DIRECTIONS = ["backward", "forward", "nearest"]
START = np.datetime64("2024-03-30T12:00")


def times(ticks, unit):
    return (START.astype(f"M8[{unit}]") + ticks.astype(f"m8[{unit}]"))


# Columns from small integers, and the tolerances to try.
TYPES: dict[str, tuple[Any, list[Any]]] = {
    "int64": (lambda ticks: ticks - 20, [0, 3]),
    "uint8": (lambda ticks: ticks.astype(np.uint8), [2]),
    "int32": (lambda ticks: ticks.astype(np.int32) - 7, [1]),
    "uint64": (lambda ticks: ticks.astype(np.uint64) + np.uint64(2**63), [3]),
    "float64": (lambda ticks: ticks / 4 - 2, [0.5, 1]),
    "float32": (lambda ticks: (ticks / 4).astype(np.float32), [0.75]),
    "seconds": (lambda ticks: times(ticks, "s"), [pd.Timedelta("3s"), pd.Timedelta("3.7s")]),
    "nanoseconds": (lambda ticks: times(ticks, "ns"), [pd.Timedelta(2)]),
    "zones": (lambda ticks: pd.Series(times(ticks, "ms")).dt.tz_localize("Europe/Berlin"),
              [datetime.timedelta(milliseconds=3)]),
    "durations": (lambda ticks: ticks.astype("m8[us]"), [pd.Timedelta(2, "us")]),
    "Int16": (lambda ticks: pd.array(ticks, dtype="Int16"), [3]),
    "pyarrow": (lambda ticks: pd.Series(times(ticks, "us")).astype("timestamp[us][pyarrow]"),
                [pd.Timedelta(3, "us")]),
}
GROUPS = {
    "int": lambda codes: codes * 3 - 4,
    "far": lambda codes: (codes - 2) * 2**60,
    "str": lambda codes: pd.Series([None if code == 0 else f"group {code}" for code in codes]),
    "object": lambda codes: np.array([(code,) for code in codes.tolist()] + [None], object)[:-1],
    "category": lambda codes: pd.Categorical.from_codes(codes - 1, list("abcdef")),
    "float": lambda codes: np.where(codes == 0, np.nan, codes / 2),
    "bool": lambda codes: codes % 2 == 0,
    "date": lambda codes: np.where(codes == 0, np.datetime64("NaT", "D"), times(codes, "D")),
}


def frame(random, rows, make, span, groups=()):
    columns = {"key": make(random.integers(0, span, rows))}
    for name in groups:
        columns[name] = GROUPS[name](random.integers(0, 6, rows))
    return pd.DataFrame(columns)


def sorted_by_pandas(left, right, **options):
    """What pandas gives for sorted rows, in the order of `left`."""
    order = np.asarray(np.argsort(left["key"], kind="stable"))
    right_order = np.argsort(right["key"], kind="stable")
    wanted = pd.merge_asof(left.iloc[order], right.iloc[right_order], **options)
    back = np.empty_like(order)
    back[order] = np.arange(order.size)
    return wanted.iloc[back].reset_index(drop=True)


def compare(left, right, **options):
    found = rtindex.pandas.merge_asof(left, right, **options)
    pd.testing.assert_frame_equal(found, sorted_by_pandas(left, right, **options))
    return found


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_type(kind, direction):
    make, tolerances = TYPES[kind]
    random = np.random.default_rng(1)
    for span, exact, tolerance in itertools.product((12, 120), (True, False), [None, *tolerances]):
        left = frame(random, 60, make, span)
        right = frame(random, 50, make, span).assign(value=np.arange(50), text="a")
        found = compare(left, right, on="key", direction=direction, allow_exact_matches=exact,
                        tolerance=tolerance)
        assert found["value"].notna().any() or not exact


@pytest.mark.parametrize("groups", [[name] for name in GROUPS] + [["str", "int"], ["far", "bool"]])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_group(groups, direction):
    random = np.random.default_rng(2)
    for make, exact, tolerance in ((TYPES["int64"][0], True, None), (TYPES["int64"][0], False, 2),
                                   (TYPES["nanoseconds"][0], True, pd.Timedelta(5))):
        left = frame(random, 80, make, 40, groups).assign(value=1.5)
        right = frame(random, 90, make, 40, groups).assign(value=np.arange(90))
        found = compare(left, right, on="key", by=groups if len(groups) > 1 else groups[0],
                        direction=direction, allow_exact_matches=exact, tolerance=tolerance)
        assert found["value_y"].notna().any() and list(found.columns[-2:]) == ["value_x", "value_y"]


def test_names_and_indexes():
    """Each is pandas' own for sorted rows, and so are the columns and the index."""
    left = pd.DataFrame({"a": [1, 5, 9], "g": ["x", "y", "x"], "v": [1, 2, 3]}, index=[7, 8, 9])
    right = pd.DataFrame({"b": [0, 4, 8], "h": ["x", "x", "y"], "v": [4, 5, 6]},
                         index=[2, 5, 6])
    for options in (
            {"left_on": "a", "right_on": "b"}, {"left_index": True, "right_index": True},
            {"left_index": True, "right_on": "b"}, {"left_on": "a", "right_index": True},
            {"left_on": "a", "right_on": "b", "left_by": "g", "right_by": "h"},
            {"left_index": True, "right_index": True, "left_by": "g", "right_by": "h"},
            {"left_on": "a", "right_index": True, "left_by": ["g"], "right_by": ["h"]},
            {"left_on": "a", "right_on": "b", "suffixes": (None, "_right")},
            {"left_on": np.array([3, 4, 5]), "right_on": "b"},
            {"left_on": np.array([3, 4, 5]), "right_on": np.array([0, 4, 8])},
            {"left_on": "a", "right_on": np.array([0, 4, 8])},
            {"left_index": True, "right_on": "b", "left_by": "g", "right_by": "h"},
            {"left_on": "i", "right_on": "b"}, {"left_on": "i", "right_index": True},
            {"left_on": "i", "right_on": "j"},
            {"left_on": "a", "right_on": "b", "by": "v", "left_index": False}):
        # In all rows, in some and in none a neighbour is found.
        for offset in (0, 3, 100):
            one, other = left.rename_axis("i"), right.rename_axis("j").assign(b=right["b"] + offset)
            other.index += offset
            pd.testing.assert_frame_equal(rtindex.pandas.merge_asof(one, other, **options),
                                          pd.merge_asof(one, other, **options))
    unsorted = rtindex.pandas.merge_asof(left[::-1], right, left_index=True, right_index=True)
    assert unsorted.index.tolist() == [9, 8, 7] and unsorted["b"].tolist() == [8, 8, 8]


def test_empty_sides():
    left, right = pd.DataFrame({"key": [1, 2]}), pd.DataFrame({"key": [1], "v": [1]})
    for one, other in ((left, right[:0]), (left[:0], right), (left[:0], right[:0])):
        compare(one, other, on="key")


@pytest.mark.parametrize(("options", "sentence"), [
    ({"on": "key", "direction": "up"}, "direction invalid"),
    ({"on": "key", "allow_exact_matches": 5}, "must be boolean"),
    ({"on": "key", "tolerance": 1.5}, "incompatible tolerance"),
    ({"on": "key", "tolerance": -1}, "must be (non-negative|positive)"),
    ({"on": "key", "by": "g", "left_by": "g"}, "Can only pass by OR"),
    ({"on": "key", "left_by": "g"}, "missing right_by"),
    ({"on": "key", "left_by": ["g"], "right_by": ["g", "w"]}, "same length"),
    ({"on": ["key", "w"]}, "can only asof on a key"), ({}, "."),
    ({"on": "nothing"}, "nothing"), ({"on": "g"}, "numeric dtype"),
    ({"left_on": "key", "right_on": "f"}, "incompatible merge keys"),
    ({"on": "key", "left_by": "g", "right_by": "w"}, "incompatible merge keys"),
    ({"on": "f"}, "contain null values on left side")])
def test_wrong_use_is_rejected_as_by_pandas(options, sentence):
    table = pd.DataFrame({"key": [1, 2], "g": ["a", "b"], "w": [1, 2], "f": [1.0, np.nan]})
    with pytest.raises(Exception, match=sentence) as wanted:
        pd.merge_asof(table, table, **options)
    with pytest.raises(type(wanted.value), match=sentence):
        rtindex.pandas.merge_asof(table, table, **options)
    with pytest.raises(type(wanted.value)):
        rtindex.pandas.merge_asof(table, table, **options, index=rtindex.build([1, 2]))


@pytest.mark.parametrize("spec", ["auto", "btree", "sorted", "rx:embree"])
def test_ready_indexes(spec):
    random = np.random.default_rng(3)
    make, tolerances = TYPES["seconds"]
    tolerance = tolerances[1]
    left, right = (frame(random, 70, make, 90, ["int", "str"]).dropna() for _ in range(2))
    right = right.assign(value=np.arange(len(right)))
    plain = rtindex.build(right["key"], spec)
    grouped = rtindex.build((right["str"], right["int"], right["key"]), spec)
    for direction in DIRECTIONS:
        for options in ({}, {"tolerance": tolerance}, {"allow_exact_matches": False}):
            options = {"on": "key", "direction": direction, **options}
            for index, by in ((plain, None), (grouped, ["str", "int"])):
                found = rtindex.pandas.merge_asof(left, right, **options, by=by, index=index)
                pd.testing.assert_frame_equal(found,
                                              sorted_by_pandas(left, right, **options, by=by))


def test_ready_indexes_of_categories():
    left = pd.DataFrame({"key": [5, 4], "g": pd.Categorical(["b", "a"])})
    right = pd.DataFrame({"key": [1, 2], "g": pd.Categorical(["a", "b"]), "v": [1, 2]})
    index = rtindex.build((["a", "b"], [1, 2]))
    found = rtindex.pandas.merge_asof(left, right, on="key", by="g", index=index)
    assert found["v"].tolist() == [2, 1]


def test_indexes_of_other_frames_are_rejected():
    table = pd.DataFrame({"key": [1, 2], "g": [1, 2]})
    merge = rtindex.pandas.merge_asof
    with pytest.raises(rtindex.Error, match="it has 3 rows, and the right side has 2"):
        merge(table, table, on="key", index=rtindex.build([1, 2, 3]))
    with pytest.raises(rtindex.Error, match="keys have 1 parts, expected 2"):
        merge(table, table, on="key", by="g", index=rtindex.build([1, 2]))
    with pytest.raises(rtindex.Error, match="expected an rtindex.Index .* got list"):
        merge(table, table, on="key", index=[1, 2])
    with pytest.raises(rtindex.Error, match="hash"):
        merge(table, table, on="key", index=rtindex.build([1, 2], "hash"))
