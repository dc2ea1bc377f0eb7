"""Joins against the oracle, and against what pandas and polars join."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import pairs

import rtindex

HOW = ["inner", "left", "semi", "anti"]


def listed(join, how):
    """The join as the oracle gives it."""
    probe = join.probe.tolist()
    if how in ("semi", "anti"):
        assert join.column is None
        return probe
    return list(zip(probe, join.column))


def without_reserved(found):
    def missing(row):
        return row is None or row is pd.NA or row == rtindex.MISS

    return [(lookup, None if missing(row) else int(row)) for lookup, row in found]


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("make", [np.array, list])
def test_against_the_oracle(make, how, seeded):
    column = [seeded.randrange(50) for _ in range(120)]
    keys = [seeded.randrange(80) for _ in range(90)]
    found = listed(rtindex.build(make(column)).join(make(keys), how), how)
    if how in ("inner", "left"):
        found = sorted(without_reserved(found), key=lambda pair: (pair[0], pair[1] or 0))
    assert found == pairs(column, keys, how)


@pytest.mark.parametrize("how", HOW)
def test_kinds_and_nulls(how):
    column, keys = [3, None, 5, 3], [5, None, 9, 3]
    wanted = pairs(column, keys, how)
    for make, to_list in ((pa.array, lambda found: found.to_pylist()),
                          (pl.Series, lambda found: found.to_list()),
                          (lambda items: pd.Series(items, dtype="Int64"), list)):
        join = rtindex.build(make(column)).join(make(keys), how)
        if how in ("semi", "anti"):
            assert to_list(join.probe) == wanted
        else:
            assert type(join.probe).__module__ == type(join.column).__module__
            found = without_reserved(zip(to_list(join.probe), to_list(join.column)))
            assert sorted(found, key=str) == sorted(wanted, key=str)


def test_against_polars(seeded):
    left = pl.DataFrame({"key": [seeded.randrange(1000) for _ in range(5000)]}).with_row_index("a")
    right = pl.DataFrame({"key": [seeded.randrange(1500) for _ in range(2000)]}).with_row_index("b")
    wanted = left.join(right, on="key", how="left").select("a", "b").sort("a", "b").rows()
    join = rtindex.build(right["key"]).join(left["key"], "left")
    found = pl.DataFrame({"a": join.probe, "b": join.column}).sort("a", "b").rows()
    assert found == wanted


def test_rows_can_be_taken():
    articles = pa.table({"number": [4711, 815], "name": ["soap", "pears"]})
    join = rtindex.build(articles["number"]).join(pa.array([815, 1, 4711]), "left")
    assert articles["name"].take(join.column).to_pylist() == ["pears", None, "soap"]


def test_unknown_joins_are_refused():
    with pytest.raises(rtindex.Error, match="invalid how='outer'"):
        rtindex.build([1]).join([1], "outer")
