"""Sums, minima, maxima and means of decimals."""

from __future__ import annotations

import decimal
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import listed

import rtindex

D = decimal.Decimal
PRICES = [D("1.99"), D("2.50"), D("-7.00"), None]
VALUES = {"list": PRICES, "arrow": pa.array(PRICES, pa.decimal128(12, 2)),
          "polars": pl.Series(PRICES), "pandas": pd.Series(PRICES, dtype=object)}
LOOKUPS = {"list": [1, 2, 3, 9], "numpy": np.array([1, 2, 3, 9]),
           "pandas": pd.Series([1, 2, 3, 9], list("abcd"), name="k"),
           "polars": pl.Series("k", [1, 2, 3, 9]), "arrow": pa.array([1, 2, 3, 9]),
           "chunked": pa.chunked_array([[1, 2], [3, 9]])}
SUMS = [D("4.49"), D("-7.00"), None, None]


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("lookups", LOOKUPS)
def test_aggregates_of_decimals_are_decimals(lookups, values):
    index = rtindex.build([1, 1, 2, 3])
    keys = LOOKUPS[lookups]
    found = index.lookup(keys, ["sum", "min", "max", "mean", "count"], VALUES[values])
    for name, wanted in (("sum", SUMS), ("min", [D("1.99"), *SUMS[1:]]),
                         ("max", [D("2.50"), *SUMS[1:]])):
        assert listed(found[name]) == wanted
        assert str(listed(found[name])[1]) == "-7.00"
    assert [round(mean, 3) for mean in listed(found.mean)[:2]] == [2.245, -7]
    assert listed(found["count"]) == [2, 1, 1, 0]
    assert listed(index.lookup(keys, "sum", VALUES[values], miss=D("0.50")))[2:] == [D("0.50")] * 2
    assert listed(index.lookup(keys, "sum", VALUES[values], miss=-1))[2:] == [D(-1)] * 2
    if lookups == "pandas":
        assert found.sum.index.tolist() == list("abcd") and found.sum.name == "k"
    assert found.to_polars().schema["sum"].is_decimal()


def test_one_decimal():
    index = rtindex.build([1, 1, 2, 3], include={"price": PRICES, "count": [1, 2, 3, 4]})
    for one in (index, pickle.loads(pickle.dumps(index)), index.snapshot()):
        assert one.lookup(1, "sum", "price") == D("4.49") and one.lookup(3, "sum", "price") is None
        assert one.range(1, 2, "max", "price") == D("2.50")
        assert one.lookup([1], "sum", "count").tolist() == [3]
    assert index.lookup(1, "mean", "price") == pytest.approx(2.245)
    large = [D(2**62), D(2**62 - 1)]  # 19 digits
    assert rtindex.build([1, 1]).lookup(pl.Series([1]), "sum", large).to_list() == [D(2**63 - 1)]


@pytest.mark.parametrize("index, included", [("btree", False), ("btree", True), ("hash", False), ("rx", True)])
def test_sums_that_do_not_fit_are_an_error(index, included):
    large = [D(2**62), D(2**62 - 1), D(2**62), D(2**62), D(-2**62), D(-2**62), None, D(-2**62), D(1)]
    keys = [1, 1, 2, 2, 3, 3, 4, 4, 4]
    values: Any = "v" if included else large
    built = rtindex.build(keys, index, include={"v": large} if included else None)
    fits = built.lookup([1, 3, 4, 9], "sum", values, miss=0)
    assert fits.tolist() == [2**63 - 1, -2**63, 1 - 2**62, 0]
    with pytest.raises(rtindex.InvalidArgumentError,
                       match="the sum of query 1, about 9.22337e[+]18 without nulls, does not fit 64 bits"):
        built.lookup([1, 2], "sum", values)
    with pytest.raises(rtindex.InvalidArgumentError, match="the sum of query 0"):
        built.lookup(pl.Series([2]), ["sum", "min"], values)
    assert built.lookup([2], "mean", values).tolist() == [2.0**62]
    built.insert([4] * 3, {"v": [D(-2**62)] * 3} if included else None)
    with pytest.raises(rtindex.InvalidArgumentError, match="the sum of query 0"):
        built.lookup([4], "sum", values if included else [*large, *[D(-2**62)] * 3])


def test_included_decimals_change():
    index = rtindex.build([1, 2], include=[D("1.99"), D("2.50")])
    index.insert([1, 1], [D("0.01"), D("1.0")])
    index.insert([2], pa.array([D("5.00")], pa.decimal128(5, 2)))
    assert index.lookup([1, 2], "sum").tolist() == [D("3.00"), D("7.50")]
    index.set_included([0], [D(4)])
    assert index.lookup(1, "sum") == D("5.01")
    with pytest.raises(rtindex.Error, match="no decimal with 2 digits"):
        index.insert([3], [D("0.001")])


def test_units_of_the_last_digit():
    index = rtindex.build([1, 1, 2, 3])
    out = np.empty(2, np.int64)
    for values in VALUES.values():
        index.lookup(np.array([1, 9]), "sum", values, miss=5, out=out)
        assert out.tolist() == [449, 5]
    with pytest.raises(rtindex.Error, match="invalid miss=.*at most 2 digits"):
        index.lookup([9], "sum", PRICES, miss=D("0.001"))


def test_decimals_in_sql():
    duckdb = pytest.importorskip("duckdb")
    from rtindex.duckdb import register

    with duckdb.connect() as connection:
        register(connection, "total", rtindex.build([1, 1, 2, 3]), "sum", PRICES)
        found = connection.sql("SELECT total(k) AS t FROM (VALUES (1), (9)) v(k)")
        assert str(found.types[0]) == "DECIMAL(38,2)" and found.fetchall() == [(D("4.49"),), (None,)]
