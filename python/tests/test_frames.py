"""Joins of data frames on equal keys and ranges give what pandas and polars give."""

from __future__ import annotations

import decimal
import random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
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
    for options in ({"indicator": True}, {"validate": "1:1"}, {"sort": True}, {"left_index": True}):
        with pytest.raises(rtindex.Error, match=f"takes no {[*options][0]}"):
            rtindex.pandas.merge(left, right, "anti", **options)
    with pytest.raises(ValueError, match="x"):
        rtindex.pandas.merge(left, right, "x")
    with pytest.raises(KeyError):
        rtindex.pandas.merge(left, right, on="x")


@pytest.mark.parametrize("how", ["inner", "left", "right", "outer"])
def test_merge_has_the_options_of_pandas(how):
    left = pd.DataFrame({"a": [3, 1, None, 1], "l": [0, 1, 2, 3]}, index=[1, 2, 1, 5])
    right = pd.DataFrame({"a": [None, 1, 4], "r": [5, 6, 7]}, index=[1, 5, 6])
    cases = [{"left_index": True, "right_index": True}, {"left_on": "a", "right_index": True},
             {"on": "a", "sort": True}, {"on": "a", "indicator": True}, {"on": "a", "indicator": "side"},
             {"on": "a", "validate": "m:1"}, {"on": "a", "sort": True, "suffixes": ("_1", "_2")}]
    for options in cases:
        pd.testing.assert_frame_equal(rtindex.pandas.merge(left, right, how, **options),
                                      pd.merge(left, right, how, **options))
    with pytest.raises(pd.errors.MergeError):
        rtindex.pandas.merge(left, right, how, on="a", validate="1:1")
    pd.testing.assert_frame_equal(rtindex.pandas.merge(left, right["a"], how), pd.merge(left, right["a"], how))
    pd.testing.assert_frame_equal(rtindex.pandas.merge(left, right, "cross"), pd.merge(left, right, "cross"))


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
def test_join_has_the_options_of_polars(how):
    left = pl.DataFrame({"a": [3, 1, None, 1], "l": [0, 1, 2, 3]})
    right = pl.DataFrame({"a": [None, 1, 4], "r": [5, 6, 7]})
    cases: list[Any] = [{"nulls_equal": True}, {"coalesce": True}, {"coalesce": False},
                        {"maintain_order": "left"}, {"maintain_order": "right_left"}, {"validate": "m:1"},
                        {"nulls_equal": True, "coalesce": False}]
    for options in cases:
        if "validate" in options and how in ("right", "semi", "anti"):
            continue  # which polars does not have
        wanted = left.join(right, on="a", how=how, **options)
        found = rtindex.polars.join(left, right, "a", how, **options)
        # The order of the left leaves that of rows of the right alone open.
        in_order = options.get("maintain_order") == ("right_left" if how in ("right", "full") else "left")
        polars.testing.assert_frame_equal(found, wanted, check_row_order=in_order)
        lazy = rtindex.polars.join(left.lazy(), right.lazy(), "a", how, **options)
        polars.testing.assert_frame_equal(lazy.collect(), found, check_row_order=in_order)
    if how not in ("semi", "anti"):
        with pytest.raises(pl.exceptions.ComputeError):
            rtindex.polars.join(left, right, "a", how, validate="1:1")
    assert rtindex.polars.join(left, right, how="cross").rows() == left.join(right, how="cross").rows()


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


def test_expressions_in_lazy_frames():
    index = rtindex.build([7, 8, 7])
    frame = pl.DataFrame({"k": [8, 9, None], "other": ["a", "b", "c"]})
    column: Any = pl.col("k")
    key = column.rtindex
    calls = {"any": key.lookup(index), "first": key.lookup(index, "first"), "count": key.lookup(index, "count"),
             "rows": key.lookup(index, "rows", order="key"), "sum": key.lookup(index, "sum", [1.5, 2.5, 3.5]),
             "isin": key.isin(index), "near": key.nearest(index, "key"), "matched": key.lookup(index, "count", matched=True),
             "several": key.lookup(index, ["first", "rows", "max"], [1, 2, 3]), "signed": key.lookup(index, miss=-1)}
    types = {"any": pl.UInt32, "first": pl.UInt32, "count": pl.UInt32, "rows": pl.List(pl.UInt32), "sum": pl.Float64,
             "isin": pl.Boolean, "near": pl.Int64, "matched": pl.Struct({"count": pl.UInt32, "matched": pl.Boolean}),
             "several": pl.Struct({"first": pl.UInt32, "rows": pl.List(pl.UInt32), "max": pl.Int64}), "signed": pl.Int64}
    rows = {"any": [1, None, None], "first": [1, None, None], "count": [1, 0, 0], "rows": [[1], [], []],
            "sum": [2.5, None, None], "isin": [True, False, None], "near": [8, 8, None],
            "matched": [{"count": 1, "matched": True}, *[{"count": 0, "matched": False}] * 2],
            "several": [{"first": 1, "rows": [1], "max": 2}, *[{"first": None, "rows": [], "max": None}] * 2],
            "signed": [1, -1, -1]}
    lazy = frame.lazy().with_columns(**calls)
    assert {name: held for name, held in lazy.collect_schema().items() if name in calls} == types
    assert lazy.collect().select([*calls]).to_dict(as_series=False) == rows
    assert frame.with_columns(**calls).select([*calls]).to_dict(as_series=False) == rows
    assert lazy.select(key.lookup(index, "rows")).collect_schema() == {"k": pl.List(pl.UInt32)}


def test_filters_by_expressions():
    index = rtindex.build(["a", "c"])
    frame = pl.DataFrame({"k": ["a", "b", None, "c"], "n": [1, 2, 3, 4]})
    column: Any = pl.col("k")
    isin = column.rtindex.isin(index)
    for wanted, condition in (([1, 4], isin), ([2], ~isin), ([4], isin & (pl.col("n") > 1))):
        assert frame.filter(condition)["n"].to_list() == wanted
        assert frame.lazy().filter(condition).collect()["n"].to_list() == wanted
        assert frame.lazy().filter(condition).select("n").collect(engine="streaming")["n"].to_list() == wanted
    assert frame.lazy().group_by(isin).len().collect_schema() == {"k": pl.Boolean, "len": pl.get_index_type()}
    pairs: Any = pl.struct("k", "n")
    both = rtindex.build(frame)
    assert frame.lazy().select(pairs.rtindex.lookup(both)).collect()["k"].to_list() == [0, 1, None, 3]
    nearest = frame.lazy().select(pairs.rtindex.nearest(both, ["key", "count"]))
    assert nearest.collect().rows()[3] == ({"key": {"0": "c", "1": 4}, "count": 1},)
    assert nearest.collect_schema() == nearest.collect().schema


@pytest.mark.parametrize("answer", ["bitmap", ["count", "bitmap"], "bitmaps"])
def test_an_expression_has_no_answers_of_whole_batches(answer):
    column: Any = pl.col("k")
    key = column.rtindex
    with pytest.raises(rtindex.Error, match="expects an entry for each element, which bitmap"):
        key.lookup(rtindex.build([1]), answer)
    with pytest.raises(rtindex.Error, match="which counters has not"):
        key.nearest(rtindex.build([1]), counters=True)


@pytest.mark.parametrize("lazy", [(True, True), (True, False), (False, True)])
def test_joins_of_lazy_frames(lazy):
    def held(frame, is_lazy):
        return frame.lazy() if is_lazy else frame

    left = pl.DataFrame({"id": [1, 2], "start": [1, 8], "end": [3, 9]})
    right = pl.DataFrame({"start": [2, 20], "end": [4, 30], "name": ["x", "y"]})
    calls = [lambda a, b: rtindex.polars.join_asof(a, b, on="start"),
             *(lambda a, b, how=how: rtindex.polars.join_overlap(a, b, on=("start", "end"), ends="[]", how=how)
               for how in ("inner", "left", "semi", "outer"))]
    for call in calls:
        found = call(held(left, lazy[0]), held(right, lazy[1]))
        assert isinstance(found, pl.LazyFrame) == lazy[0]
        polars.testing.assert_frame_equal(found.lazy().collect(), call(left, right))
    with pytest.raises(rtindex.Error, match="expected a DataFrame of polars, got a DataFrame of pandas"):
        rtindex.polars.join_overlap(left, pd.DataFrame(), on=("start", "end"), ends="[]")


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
    "dictionaries": pd.Series(["b", "a", None, "b"], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "intervals": pd.Series(pd.arrays.IntervalArray.from_breaks([0, 1, 2])),
    "sparse": pd.Series(pd.arrays.SparseArray([1, 2])),
}
MERGES = ["inner", "left", "right", "outer"]


@pytest.mark.parametrize("how", MERGES)
def test_rare_keys_as_pandas_has_them(how):
    pairs = [(name, name) for name in RARE] + [("Int8", "floats"), ("categories", "strings"), ("objects", "floats")]
    for first, second in pairs:
        left = pd.DataFrame({"key": RARE[first], "l": range(len(RARE[first]))})
        right = pd.DataFrame({"key": RARE[second], "r": range(len(RARE[second]))}).iloc[::-1]
        for one, other in ((left, right), (left[:0], right), (left, right[:0]), (left[1:], right), (left, right[1:])):
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


@pytest.mark.parametrize("how", ["inner", "left", "right", "full", "semi", "anti"])
@pytest.mark.parametrize("types", [("UInt64", "Int64"), ("Int32", "UInt64"), ("UInt8", "Int16"), ("Int128", "Int64")])
def test_polars_joins_integers_of_two_types(how, types):
    left, right = (pl.DataFrame({"k": pl.Series(keys, dtype=getattr(pl, name)), side: range(3)})
                   for keys, name, side in zip(([1, 2, 5], [5, 2, 7]), types, "lr"))
    order = {"maintain_order": "right_left" if how == "right" else "left_right"}
    polars.testing.assert_frame_equal(rtindex.polars.join(left, right, "k", how), left.join(right, "k", how, **order))
