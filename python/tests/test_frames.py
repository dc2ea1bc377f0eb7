"""Joins of data frames on equal keys and ranges give what pandas and polars give."""

from __future__ import annotations

import decimal
import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pytest

import rtindex

MAKERS = {
    "int": lambda rng: rng.randrange(6), "null": lambda rng: rng.choice([1.0, 2.0, None, 3.0]),
    "str": lambda rng: rng.choice(["a", "b", None, "c"]),
    "time": lambda rng: pd.Timestamp(rng.randrange(5), unit="D"),
}


def frame(rng, kinds, size, name):
    columns = {kind: [MAKERS[kind](rng) for _ in range(size)] for kind in kinds}
    if size and "null" in columns:
        columns["null"][0] = 1.0  # so that the column has a type
    return {**columns, "value": [rng.random() for _ in range(size)], name: [*range(size)]}


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
@pytest.mark.parametrize("kinds", [["int"], ["null"], ["str"], ["time"], ["int", "str"], ["null", "time", "int"]])
def test_merge_is_that_of_pandas(how, kinds):
    rng = random.Random(f"{how}{kinds}")
    for sizes in ((7, 9), (0, 3), (4, 0), (0, 0), (30, 40)):
        left, right = (pd.DataFrame(frame(rng, kinds, size, name)) for size, name in zip(sizes, ("l", "r")))
        if not all(sizes):
            left, right = (pd.DataFrame(frame(rng, kinds, 3, name)).iloc[:size]
                           for size, name in zip(sizes, ("l", "r")))
        found = rtindex.pandas.merge(left, right, how, on=kinds)
        pd.testing.assert_frame_equal(found, pd.merge(left, right, how, on=kinds))
        other = right.rename(columns={kind: f"{kind}_2" for kind in kinds})
        names = [f"{kind}_2" for kind in kinds]
        pd.testing.assert_frame_equal(rtindex.pandas.merge(left, other, how, left_on=kinds, right_on=names),
                                      pd.merge(left, other, how, left_on=kinds, right_on=names))


def test_merge_without_a_partner():
    left, right = pd.DataFrame({"a": [1, 2, None]}), pd.DataFrame({"a": [2, None], "b": [5, 6]})
    assert rtindex.pandas.merge(left, right, "semi")["a"].index.tolist() == [1, 2]
    assert rtindex.pandas.merge(left, right, "anti")["a"].tolist() == [1]
    with pytest.raises(rtindex.Error, match="invalid how='cross'"):
        rtindex.pandas.merge(left, right, "cross")
    with pytest.raises(KeyError):
        rtindex.pandas.merge(left, right, on="x")


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("kinds", [["int"], ["null"], ["str"], ["time"], ["int", "str"]])
@pytest.mark.parametrize("lazy", [False, True])
def test_join_is_that_of_polars(how, kinds, lazy):
    rng = random.Random(f"{how}{kinds}")
    for sizes in ((7, 9), (30, 40)):
        left, right = (pl.DataFrame(frame(rng, kinds, size, name), strict=False)
                       for size, name in zip(sizes, ("l", "r")))
        found = rtindex.polars.join(left.lazy() if lazy else left, right.lazy() if lazy else right, kinds, how)
        if lazy:
            found = found.collect()
        polars.testing.assert_frame_equal(found, left.join(right, on=kinds, how=how), check_row_order=False)


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer", "semi", "anti"])
def test_merge_range(how):
    rng = random.Random(how)
    left = pd.DataFrame({"item": [rng.choice("ab") for _ in range(12)], "low": [rng.randrange(20) for _ in range(12)]})
    left["high"] = left["low"] + 4
    right = pd.DataFrame({"item": [rng.choice("abc") for _ in range(15)], "at": [rng.randrange(30) for _ in range(15)]})
    wanted = [(i, j) for i in range(12) for j in range(15)
              if left["item"][i] == right["item"][j] and left["low"][i] <= right["at"][j] < left["high"][i]]
    found = rtindex.pandas.merge_range(left.assign(i=range(12)), right.assign(j=range(15)), ("low", "high"), "at",
                                       ends="[)", by="item", how=how)
    alone, others = ({*range(12)} - {i for i, _ in wanted}, {*range(15)} - {j for _, j in wanted})
    if how in ("semi", "anti"):
        assert {*found["i"]} == (alone if how == "anti" else {*range(12)} - alone)
        return
    rows = [(None if np.isnan(i) else int(i), None if np.isnan(j) else int(j)) for i, j in zip(found["i"], found["j"])]
    extra = [(i, None) for i in alone if how in ("left", "outer")] + [(None, j) for j in others if how in ("right", "outer")]
    assert sorted(rows, key=str) == sorted(wanted + extra, key=str)
    assert not found["item"].isna().any()


@pytest.mark.parametrize("how", ["right", "outer"])
def test_overlaps_keep_the_right_side(how):
    left = {"item": ["a", "b"], "start": [1, 5], "end": [3, 9]}
    right = {"item": ["a", "a", "c"], "start": [2, 8, 1], "end": [4, 9, 2], "r": [0, 1, 2]}
    found = rtindex.pandas.merge_overlap(pd.DataFrame(left), pd.DataFrame(right), ("start", "end"), ends="[]",
                                         by="item", how=how)
    table = rtindex.polars.join_overlap(pl.DataFrame(left), pl.DataFrame(right), on=("start", "end"), ends="[]",
                                        by="item", how=how)
    for rows in ([None if np.isnan(r) else int(r) for r in found["r"]], table["r"].to_list()):
        assert sorted(rows, key=str) == sorted([0, 1, 2] + [None] * (how == "outer"), key=str)
    assert sorted(found["item"]) == sorted(table["item"]) == sorted(["a", "a", "c"] + ["b"] * (how == "outer"))


def test_accessors():
    import rtindex.pandas
    import rtindex.polars

    series: Any = pd.Series([7, 8, 7], index=["x", "y", "z"], name="key")
    index = series.rtindex.build()
    keys: Any = pd.Series([8, 9], index=["p", "q"], name="wanted")
    assert keys.rtindex.isin(index).to_dict() == {"p": True, "q": False}
    assert keys.rtindex.lookup(index, "count").to_dict() == {"p": 1, "q": 0}
    assert keys.rtindex.nearest(index, "key").tolist() == [8, 8]
    table = pl.DataFrame({"key": [8, 9]})
    expression: Any = pl.col("key")
    calls = expression.rtindex
    assert table.with_columns(n=calls.lookup(index, "count"), found=calls.isin(index),
                              near=calls.nearest(index, "key")).rows() == [(8, 1, True, 8), (9, 0, False, 8)]


RARE = {
    "objects": pd.Series([1, "a", None, 2.5, "1", 1], dtype=object),
    "tuples": pd.Series([(1, 2), (3,), None, (1, 2)], dtype=object),
    "decimals": pd.Series([decimal.Decimal("1.5"), decimal.Decimal(2), None], dtype=object),
    "bytes": pd.Series([b"x", b"a", None, b"x"], dtype=object),
    "categories": pd.Series(["b", "a", None, "b"], dtype="category"),
    "ordered": pd.Series(pd.Categorical(["b", "a", None, "b"], ["b", "a"], ordered=True)),
    "periods": pd.Series(pd.PeriodIndex(["2024-01", "2023-01", None], freq="M")),
    "strings": pd.Series(["b", "a", None, "b"], dtype="string"),
    "Int8": pd.Series([3, 1, None, 3], dtype="Int8"),
    "floats": pd.Series([3, 1, np.nan, 3.5, -0.0, 0.0]),
    "durations": pd.Series(pd.to_timedelta([3, 1, None], unit="s")),
}
MERGES = ["inner", "left", "right", "outer"]


@pytest.mark.parametrize("how", MERGES)
def test_rare_keys_as_pandas_has_them(how):
    pairs = [(name, name) for name in RARE] + [("Int8", "floats"), ("categories", "strings"), ("objects", "floats")]
    for first, second in pairs:
        left = pd.DataFrame({"key": RARE[first], "l": range(len(RARE[first]))})
        right = pd.DataFrame({"key": RARE[second], "r": range(len(RARE[second]))}).iloc[::-1]
        for one, other in ((left, right), (left[:0], right), (left, right[:0])):
            try:
                wanted = pd.merge(one, other, how, on="key")
            except (TypeError, ValueError):
                continue  # two types that pandas does not merge
            pd.testing.assert_frame_equal(rtindex.pandas.merge(one, other, how, on="key"), wanted)


@pytest.mark.parametrize("how", MERGES)
def test_levels_and_arrays_as_pandas_has_them(how):
    names = pd.MultiIndex.from_arrays([[1, 2, 1, 3], [*"abca"]], names=["x", "y"])
    left = pd.DataFrame({"l": range(4)}, index=names)
    right = pd.DataFrame({"x": [1, 3, 5], "y": ["c", "a", "z"], "r": [7, 8, 9]})
    for one, other, options in ((left, right, {"on": ["x", "y"]}), (left, right, {"on": "x"}),
                                (left, right.set_index(["x", "y"]), {"on": ["x", "y"]}),
                                (left.reset_index("x"), right, {"on": ["x", "y"]}),
                                (right, right, {"left_on": np.array([1, 2, 5]), "right_on": "x"})):
        pd.testing.assert_frame_equal(rtindex.pandas.merge(one, other, how, **options),
                                      pd.merge(one, other, how, **options))


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_expressions_and_nested_keys_as_polars_has_them(how):
    left = pl.DataFrame({"a": [1, 2, 3, None], "b": [*"xyzx"], "n": [[1], [2, 3], None, [1]]})
    right = pl.DataFrame({"a": [2, 3, 4], "b": ["y", "q", "x"], "n": [[1], None, [4]]})
    order: Any = "right_left" if how == "right" else "left_right"
    for options in ({"on": pl.col("a")}, {"left_on": pl.col("a") + 1, "right_on": "a"}, {"on": ["a", "b"]},
                    {"on": [pl.col("a"), "b"]}, {"on": "n"}, {"on": ["a", "n"]},
                    {"left_on": ["a", pl.col("b").str.to_uppercase()], "right_on": ["a", "b"]}):
        wanted = left.join(right, how=how, maintain_order=order, **options)
        polars.testing.assert_frame_equal(rtindex.polars.join(left, right, how=how, **options), wanted,
                                          check_row_order=how != "full")
