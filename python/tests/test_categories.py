"""Ordered categories: found by their values, and rejected where their order would count."""

from __future__ import annotations

import datetime
import io

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

SIZES = ["low", "mid", "high"]
ITEMS = ["low", "high", None, "mid", "low"]
ORDERED = pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 1, 0]), SIZES, ordered=True)
COLUMNS = {
    "pandas": pd.Series(pd.Categorical(ITEMS, SIZES, ordered=True)),
    "index": pd.Index(pd.Categorical(ITEMS, SIZES, ordered=True)),
    "polars": pl.Series(ITEMS, dtype=pl.Enum(SIZES)),
    "arrow": ORDERED,
    "pandas with arrow": pd.Series(pd.arrays.ArrowExtensionArray(ORDERED)),
    "duckdb": duckdb.sql("select unnest(['low', 'high', null, 'mid', 'low'])::enum('low', 'mid', 'high') size"),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_equal_categories_are_found(name):
    index = rtindex.build(COLUMNS[name])
    assert index.lookup("low", "count") == 2 and "mid" in index and "tiny" not in index
    assert index.isin(["low", "mid"]).tolist() == [True, False, False, True, True]
    assert not index.is_unique
    assert index.starts_with("m", "count") == 1


@pytest.mark.parametrize("name", COLUMNS)
def test_their_order_is_rejected(name):
    index = rtindex.build(COLUMNS[name])
    file = io.BytesIO()
    index.save(file)
    loaded = rtindex.load(io.BytesIO(file.getvalue()))
    for held in (index, loaded):
        for call in (lambda: held.range("low", "mid"), lambda: held.nearest("mid"), lambda: held.nearest(["mid"]),
                     lambda: held.rank("mid"), lambda: held.select(0), held.min, held.max, lambda: list(held),
                     lambda: held.lookup(["low"], "rows", order="key"), lambda: held.erase_range("low", "mid"),
                     lambda: held.join_asof(["mid"])):
            with pytest.raises(rtindex.UnsupportedError, match="ordered categories.*series.cat.codes"):
                call()


def test_categories_in_alphabetical_order_have_an_order():
    index = rtindex.build(pd.Series(pd.Categorical(["a", "c", "b"], ["a", "b", "c"], ordered=True)))
    assert (index.min(), index.max(), index.range("a", "b", "count")) == ("a", "c", 2)
    unordered = rtindex.build(pd.Series(pd.Categorical(["b", "a"], ["b", "a"])))
    assert unordered.min() == "a"


@pytest.mark.parametrize("values", [[3, 1, 2], [2.5, 1.5], [datetime.date(2024, 2, 1), datetime.date(2024, 1, 1)],
                                    [pd.Timestamp("2024-02-01", tz="UTC"), pd.Timestamp("2024-01-01", tz="UTC")]])
def test_categories_need_not_be_texts(values):
    ordered = pd.Categorical(values, values, ordered=True)
    index = rtindex.build(ordered)
    assert index.lookup(values[1]) == 1
    for call in (index.min, lambda: index.range(values[0], values[1])):
        with pytest.raises(rtindex.UnsupportedError, match="ordered categories"):
            call()
    ascending = pd.Categorical(values, sorted(values), ordered=True)
    assert rtindex.build(ascending).range(min(values), max(values), "count") == len(values)
    keys = rtindex.build([7] * len(values))
    assert keys.lookup(7, "max", ascending) == max(values)
    for name in ("min", "max"):
        with pytest.raises(rtindex.UnsupportedError, match="the values are ordered categories"):
            keys.lookup(7, ["count", name], ordered)
    with pytest.raises(rtindex.UnsupportedError, match="the values are ordered categories"):
        rtindex.build([7] * len(values), include=ordered)


def test_parts_of_keys_and_points():
    frame = pd.DataFrame({"size": COLUMNS["pandas"], "day": range(5)})
    pairs = rtindex.build(frame)
    assert pairs.nearest(("low", 3)) == 0  # the sizes are equal
    assert pairs.lookup(("low",), "count") == 2
    with pytest.raises(rtindex.UnsupportedError, match="range needs the order"):
        pairs.range(("low", 0), ("mid", 9))
    points = rtindex.build(rtindex.points(frame))
    assert points.filter({"size": "low", "day": (1, 9)}, "count") == 1
    assert points.filter({"size": rtindex.isin(["low", "mid"])}, "count") == 3
    for condition in (("low", "mid"), rtindex.between("low")):
        with pytest.raises(rtindex.UnsupportedError, match="a range of 'size' needs the order"):
            points.filter({"size": condition})


def test_intervals_of_ordered_categories_are_rejected():
    start, end = (pd.Categorical([item], ["a", "c", "b"], ordered=True) for item in "ab")
    with pytest.raises(rtindex.UnsupportedError, match="intervals needs the order.*series.cat.codes"):
        rtindex.build(rtindex.intervals(start, end, ends="[]"))
