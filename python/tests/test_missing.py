"""What is null: None, NaN, NaT and NA in keys, lookups and values of every library."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import listed

import rtindex

NAN = math.nan


@pytest.mark.parametrize("column", [
    pd.Series([1.5, NAN, 2.5]), pd.Series([1.5, NAN, 2.5], dtype=np.float32), pd.Index([1.5, NAN, 2.5]),
    pd.Series([1.5, None, 2.5], dtype=object), pd.Series([1.5, NAN, 2.5], dtype=object),
    pd.Series([1.5, pd.NA, 2.5], dtype=object), pd.Series([1.5, None, 2.5], dtype="Float64"),
    pd.Series(pa.array([1.5, NAN, 2.5]), dtype=pd.ArrowDtype(pa.float64())),
    pd.Series(["a", None, "b"]), pd.Series(["a", NAN, "b"], dtype=object), pd.Series(["a", pd.NA, "b"]),
    pd.Series([datetime.datetime(2024, 1, 1), pd.NaT, datetime.datetime(2024, 1, 2)]),
    pd.Series([datetime.date(2024, 1, 1), pd.NaT, datetime.date(2024, 1, 2)], dtype=object),
    pd.Series(["a", None, "b"], dtype="category"), pd.DataFrame({"a": [1.5, NAN, 2.5], "b": 1})])
def test_pandas_brings_nulls(column):
    index = rtindex.build(column)
    assert index.nulls().tolist() == [1] and index.valid == 2
    assert index.lookup(column, "count").tolist() == [1, 0, 1]
    assert index.insert(column) == 3
    assert index.nulls().tolist() == [1, 4]


@pytest.mark.parametrize("make", [np.array, pl.Series, pa.array, list])
def test_nan_is_a_number_elsewhere(make):
    index = rtindex.build(make([1.5, NAN, 2.5]))
    assert index.nulls().tolist() == []
    assert listed(index.lookup(make([1.5, NAN, 2.5]), "count")) == [1, 1, 1]
    assert index.lookup(pd.Series([1.5, NAN]), "count").tolist() == [1, 0]
    assert NAN in index


@pytest.mark.parametrize("make", [np.array, pl.Series, pa.array, pd.Series, list])
@pytest.mark.parametrize("frame", [False, True])
def test_nan_as_null_overrides(tmp_path, make, frame):
    column = (make([1.5, NAN]), make([1, 1])) if frame else make([1.5, NAN])
    wanted = make([NAN, 1.5])
    wanted = (wanted, make([1, 1])) if frame else wanted
    for nan_as_null in (True, False):
        index = rtindex.build(column, nan_as_null=nan_as_null)
        index.save(tmp_path / "nan.rtindex")
        for each in (index, rtindex.load(tmp_path / "nan.rtindex")):
            assert each.nulls().tolist() == ([1] if nan_as_null else [])
            assert listed(each.lookup(wanted, "count")) == [int(not nan_as_null), 1]
    with pytest.raises(rtindex.Error, match="invalid nan_as_null=1"):
        rtindex.build([1.5], nan_as_null=1)


@pytest.mark.parametrize("column", [[1, 2], [1.5, 2], ["a", "b"], np.array(["2024"], "M8[s]"),
                                    (["a", "b"], [1, 2])])
def test_a_null_lookup_misses(column):
    index = rtindex.build(column)
    for null in (None, pd.NA):
        assert index.lookup(null) is None and null not in index
        assert index.lookup(null, "count") == 0 and index.lookup(null, "rows").tolist() == []
        assert index.nearest(null) is None
    assert index.lookup([None, None]).tolist() == [rtindex.MISS] * 2


VALUES = {
    "pandas": pd.Series([1.0, NAN, 4.0, NAN]), "object": pd.Series([1, None, 4, pd.NA], dtype=object),
    "Int64": pd.Series([1, None, 4, None], dtype="Int64"), "polars": pl.Series([1, None, 4, None]),
    "arrow": pa.array([1, None, 4, None]), "list": [1, None, 4, None],
    "masked": np.ma.masked_array([1, 2, 4, 8], [0, 1, 0, 1]),
    "chunked": pa.chunked_array([[1, None], [4, None]]),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("included", [False, True])
def test_nulls_in_values(name, included):
    values = VALUES[name]
    keys = np.array([7, 7, 7, 8])
    index = rtindex.build(keys, include=values if included else None)
    given = None if included else values
    for found in (index.lookup([7, 8, 9], ["sum", "mean", "min", "max", "count"], given, miss=-1),
                  index.range([7, 8, 9], [7, 8, 9], ["sum", "mean", "min", "max", "count"], given, miss=-1)):
        assert found["sum"].tolist() == [5, -1, -1]
        assert found["mean"].tolist() == [2.5, -1, -1]
        assert found["min"].tolist() == [1, -1, -1] and found["max"].tolist() == [4, -1, -1]
        assert found["count"].tolist() == [3, 1, 0]
    assert index.lookup(pd.Series([7, 8]), "sum", given).isna().tolist() == [False, True]
    assert index.lookup(pa.array([7, 8]), "max", given).to_pylist() == [4, None]
    if included:
        index.set_included([0, 3], [None, 16] if name == "list" else values[1:3])
        assert index.lookup(7, "sum") == 4 and index.lookup(8, "sum") == (16 if name == "list" else 4)
        index.set_included([2], [None])
        assert index.lookup(7, "sum") is None


@pytest.mark.parametrize("make", [np.array, pl.Series, pa.array, list])
def test_nan_is_the_greatest_value_elsewhere(make):
    keys, values = [7, 7, 8], make([1.0, NAN, 4.0])
    for index, given in ((rtindex.build(keys), values), (rtindex.build(keys, include=values), None)):
        assert math.isnan(index.lookup(7, "sum", given)) and math.isnan(index.lookup(7, "max", given))
        assert index.lookup(7, "min", given) == 1.0
    index = rtindex.build(keys, nan_as_null=True)
    assert index.lookup(7, "sum", values) == 1.0


@pytest.mark.parametrize("make", [
    lambda n: pd.Series([None] * n, dtype="category"), lambda n: pd.Categorical([None] * n),
    lambda n: pd.Index(pd.Categorical([None] * n)), lambda n: pa.array([None] * n).dictionary_encode(),
    lambda n: pa.chunked_array([pa.array([None] * n).dictionary_encode()])])
def test_categories_of_which_there_are_none_are_nulls(make):
    assert len(rtindex.build(make(0))) == 0 and rtindex.build(make(2)).nulls().tolist() == [0, 1]
    for keys in (["a", None], [1, None], np.array(["2024-01-01", "NaT"], "M8[us]")):
        index = rtindex.build(keys)
        assert len(index.lookup(make(0), "count")) == 0
        assert np.asarray(index.lookup(make(2), "count")).tolist() == [0, 0]
        assert index.isin(make(2)).tolist() == [False, True]
        assert index.insert(make(2)) == 2 and index.nulls().tolist() == [1, 2, 3]


@pytest.mark.parametrize("values", [5, "a", None, float("nan")])
def test_isin_expects_several_keys(values):
    index = rtindex.build([1, 2, 5])
    with pytest.raises(rtindex.InvalidArgumentError, match="isin expects several keys"):
        index.isin(values)
    assert index.isin([5]).tolist() == [False, False, True]
