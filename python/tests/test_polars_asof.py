"""rtindex.polars.join_asof gives what polars' own join_asof gives, also for unsorted rows."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import rtindex
import rtindex.polars

STRATEGIES = ["backward", "forward", "nearest"]
START = np.datetime64("2024-03-30T12:00")

# Columns from small integers, and the tolerances to try.
TYPES: dict[str, tuple[Any, list[Any]]] = {
    "int64": (lambda ticks: pl.Series(ticks - 20), [0, 3]),
    "uint8": (lambda ticks: pl.Series(ticks, dtype=pl.UInt8), [2]),
    "uint64": (lambda ticks: pl.Series(ticks.astype(np.uint64) + np.uint64(2**63)), [3]),
    "float64": (lambda ticks: pl.Series(ticks / 4 - 2), [0.5, 1.0]),
    "float32": (lambda ticks: pl.Series(ticks / 4, dtype=pl.Float32), [0.75]),
    "date": (lambda ticks: pl.Series(START.astype("M8[D]") + ticks), ["2d", "60h"]),
    "ms": (lambda ticks: pl.Series(START.astype("M8[ms]") + ticks), ["3ms", "2ms900us"]),
    "zone": (lambda ticks: pl.Series(START.astype("M8[us]") + ticks).dt.replace_time_zone(
        "Europe/Berlin"), [datetime.timedelta(microseconds=3), 2]),
    "ns": (lambda ticks: pl.Series(START.astype("M8[ns]") + ticks), ["1ns"]),
    "duration": (lambda ticks: pl.Series(ticks, dtype=pl.Duration("us")), ["2us"]),
    "time": (lambda ticks: pl.Series(ticks * 1000, dtype=pl.Time), ["2us"]),
    "int128": (lambda ticks: pl.Series(ticks - 20).cast(pl.Int128), [3, 1.5]),
    "decimal": (lambda ticks: pl.Series(ticks / 4).cast(pl.Decimal(10, 2)), [25, 50]),
    "string": (lambda ticks: pl.Series([f"key {tick:03}" for tick in ticks]), []),
}
GROUPS = {
    "int": lambda codes: pl.Series(codes * 3 - 4),
    "far": lambda codes: pl.Series((codes - 2) * 2**60),
    "str": lambda codes: pl.Series([f"group {code}" for code in codes]),
    "cat": lambda codes: pl.Series([f"group {code}" for code in codes], dtype=pl.Categorical),
    "bool": lambda codes: pl.Series(codes % 2 == 0),
    "day": lambda codes: pl.Series(START.astype("M8[D]") + codes),
}


def some_null(series, random):
    return series.set(pl.Series(random.random(len(series)) < 0.1), None)


def frame(random, rows, make, span, groups=(), nulls=True):
    key = make(random.integers(0, span, rows))
    columns = {"key": some_null(key, random) if nulls else key}
    for name in groups:
        column = GROUPS[name](random.integers(0, 6, rows))
        columns[name] = some_null(column, random) if nulls else column
    return pl.DataFrame(columns)


def sorted_by_polars(left, right, **options):
    """What polars gives for sorted rows without nulls in `right`, in the order of `left`."""
    by = options.get("by") or []
    right = right.filter(pl.col("key").is_not_null()).sort("key", maintain_order=True)
    known = left.with_row_index("row").filter(pl.col("key").is_not_null())
    wanted = known.sort("key", maintain_order=True).join_asof(
        right, on="key", check_sortedness=not by, **options)
    added = wanted.select(pl.exclude(["key", *left.columns]))
    return left.with_row_index("row").join(added, on="row", how="left",
                                           maintain_order="left").drop("row")


def compare(left, right, **options):
    found = rtindex.polars.join_asof(left, right, on="key", **options)
    assert_frame_equal(found, sorted_by_polars(left, right, **options))
    return found


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_type(kind, strategy):
    make, tolerances = TYPES[kind]
    random = np.random.default_rng(1)
    if kind == "string" and strategy == "nearest":
        table = frame(random, 5, make, 9)
        with pytest.raises(Exception, match="nearest"):
            rtindex.polars.join_asof(table, table, on="key", strategy=strategy)
        return
    for span, exact, tolerance in itertools.product((12, 120), (True, False), [None, *tolerances]):
        left = frame(random, 60, make, span)
        right = frame(random, 50, make, span).with_columns(value=pl.int_range(50), text=pl.lit("a"))
        found = compare(left, right, strategy=strategy, allow_exact_matches=exact,
                        tolerance=tolerance)
        assert found["value"].count() > 0 or not exact


@pytest.mark.parametrize("groups", [[name] for name in GROUPS] + [["str", "int"], ["far", "bool"]])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_group(groups, strategy):
    random = np.random.default_rng(2)
    for kind, exact, tolerance in (("int64", True, None), ("int64", False, 2), ("ns", True, "5ns")):
        left = frame(random, 80, TYPES[kind][0], 40, groups).with_columns(value=1.5)
        right = frame(random, 90, TYPES[kind][0], 40, groups).with_columns(value=pl.int_range(90))
        found = compare(left, right, by=groups if len(groups) > 1 else groups[0],
                        strategy=strategy, allow_exact_matches=exact, tolerance=tolerance)
        assert found["value_right"].count() > 0


def test_names():
    left = pl.DataFrame({"a": [1, 5], "x": [3, 4], "b": [5, 6]})
    right = pl.DataFrame({"b": [1, 4], "x": [3, 4], "y": [4, 3]})
    for options in ({"left_on": "a", "right_on": "b"}, {"on": "b"}, {"on": "b", "coalesce": False},
                    {"left_on": "a", "right_on": "b", "coalesce": False},
                    {"left_on": "a", "right_on": "b", "suffix": "_2"}, {"on": pl.col("b")},
                    {"left_on": "a", "right_on": "b", "by": "x"},
                    {"on": "b", "by_left": "x", "by_right": "y"},
                    {"on": "b", "by_left": ["x"], "by_right": ["y"], "coalesce": False}):
        wanted = left.join_asof(right, check_sortedness="by" not in str(options), **options)
        assert_frame_equal(rtindex.polars.join_asof(left, right, **options), wanted)
    with pytest.warns(UserWarning, match="coalesc"):
        found = rtindex.polars.join_asof(left, right, left_on=pl.col("a") + 3, right_on="b")
    assert found["b_right"].to_list() == [4, 4]
    only_keys = rtindex.polars.join_asof(left, right.select("b"), on="b")
    assert_frame_equal(only_keys, left)


def test_widths_and_empty_sides():
    left = pl.DataFrame({"key": [3, 1, 2]}, schema={"key": pl.Int32})
    right = pl.DataFrame({"key": [2], "v": [5]})
    assert rtindex.polars.join_asof(left, right, on="key")["v"].to_list() == [5, None, 5]
    for one, other in ((left, right.clear()), (left.clear(), right), (left.clear(), right.clear())):
        for strategy in STRATEGIES:
            compare(one, other, strategy=strategy)


@pytest.mark.parametrize(("options", "sentence"), [
    ({"on": "key", "strategy": "up"}, "strategy"), ({"on": "nothing"}, "nothing"),
    ({"on": ["key"]}, "on"), ({"left_on": "key"}, "right_on"),
    ({"on": "key", "by_left": "g"}, "by_right"),
    ({"on": "key", "by_left": ["g"], "by_right": ["g", "w"]}, "equal number of columns"),
    ({"left_on": "key", "right_on": "f"}, "don't match"),
    ({"on": "key", "by_left": "g", "by_right": "w"}, "type"),
    ({"on": "time", "tolerance": "1mo"}, "month"), ({"on": "time", "tolerance": "abc"}, "duration"),
    ({"on": "key", "tolerance": "1h"}, "expected a number for keys of type Int64"),
    ({"on": "key", "tolerance": -1}, "expected 0 or more"),
    ({"on": "time", "tolerance": "-5d"}, "expected 0 or more"),
    ({"on": "time", "tolerance": datetime.timedelta(-1)}, "expected 0 or more"),
    ({"on": "g", "tolerance": 1}, "numeric/temporal"),
    ({"on": "g", "by": "w", "strategy": "nearest"}, "keys of type String have no distance"),
    ({"on": "key", "tolerance": [1]}, "expected a number, a string such as '5s'"),
    ({"on": "time", "tolerance": np.timedelta64(1, "s")}, "or a datetime.timedelta"),
    ({"on": "wide"}, "keys beyond 64 bits"), ({"on": "key", "suffix": ""}, "duplicate")])
def test_wrong_use_is_rejected(options, sentence):
    table = pl.DataFrame({"key": [1, 2], "g": ["a", "b"], "w": [1, 2], "f": [1.0, 2.0],
                          "time": pl.Series([0, 1], dtype=pl.Datetime),
                          "wide": pl.Series([1, 2**100], dtype=pl.Int128)})
    with pytest.raises(Exception, match=sentence):
        rtindex.polars.join_asof(table, table, **options)


def test_what_is_no_data_frame():
    table = pl.DataFrame({"key": [1, 2]})
    assert rtindex.polars.join_asof(table, table.lazy(), on="key").equals(table)
    with pytest.raises(rtindex.Error, match="expected a DataFrame of polars, got a list$"):
        rtindex.polars.join_asof([1], table, on="key")


@pytest.mark.parametrize("spec", ["auto", "btree", "sorted", "rx:embree"])
def test_ready_indexes(spec):
    random = np.random.default_rng(3)
    for kind in ("ms", "date", "int64"):
        make, tolerances = TYPES[kind]
        tolerance = tolerances[0]
        left = frame(random, 70, make, 90, ["int", "str"])
        right = frame(random, 70, make, 90, ["int", "str"]).with_columns(value=pl.int_range(70))
        plain = rtindex.build(right["key"], spec)
        grouped = rtindex.build((right["str"], right["int"], right["key"]), spec)
        for strategy in STRATEGIES:
            for options in ({}, {"tolerance": tolerance}, {"allow_exact_matches": False}):
                for index, by in ((plain, None), (grouped, ["str", "int"])):
                    options = {"strategy": strategy, **options, "by": by}
                    found = rtindex.polars.join_asof(left, right, on="key", index=index, **options)
                    assert_frame_equal(found, sorted_by_polars(left, right, **options))


def test_ready_indexes_of_categories():
    groups = {"g": pl.Categorical}
    left = pl.DataFrame({"key": [5, 4], "g": ["b", "a"]}, schema_overrides=groups)
    right = pl.DataFrame({"key": [1, 2], "g": ["a", "b"], "v": [1, 2]}, schema_overrides=groups)
    index = rtindex.build((["a", "b"], [1, 2]))
    found = rtindex.polars.join_asof(left, right, on="key", by="g", index=index)
    assert found["v"].to_list() == [2, 1]


def test_indexes_of_other_frames_are_rejected():
    table = pl.DataFrame({"key": [1, 2], "g": [1, 2]})
    with pytest.raises(rtindex.Error, match="it has 3 rows, and the right side has 2"):
        rtindex.polars.join_asof(table, table, on="key", index=rtindex.build([1, 2, 3]))
    with pytest.raises(rtindex.Error, match="keys have 1 parts, expected 2"):
        rtindex.polars.join_asof(table, table, on="key", by="g", index=rtindex.build([1, 2]))
