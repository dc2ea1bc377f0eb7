"""Joins of data frames on equal keys and ranges give what pandas and polars give."""

from __future__ import annotations

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
