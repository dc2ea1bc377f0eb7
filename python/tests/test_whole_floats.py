"""Floats look up columns of integers by value, as Python, and so the oracle, compares the two."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from oracle import matches

import rtindex

LIMITS = {name: (np.iinfo(name).min, np.iinfo(name).max)
          for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
EVERYWHERE = [0.0, -0.0, 3.0, 2.5, -2.5, -1.0, 127.0, 128.0, 255.5, 300.0, 2.0**31, 2.0**32 - 1,
              2.0**53, 2.0**53 + 2, 2.0**62, 2.0**63, -(2.0**63), -(2.0**63) * 1.5, 2.0**64,
              2.0**64 - 2048, 1e300, -1e300, math.inf, -math.inf, math.nan, 5e-324, -5e-324]
KINDS = {
    "list": list,
    "numpy": np.array,
    "strided": lambda items: np.repeat(items, 2)[::2],
    "big endian": lambda items: np.array(items, ">f8"),
    "pandas": pd.Series,
    "pandas Float64": lambda items: pd.Series(items, dtype="Float64"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "chunked": lambda items: pa.chunked_array([items[:1], [], items[1:]], pa.float64()),
}


def rows_of(found):
    return [sorted(rows) for rows in found.to_pylist()]


@pytest.mark.parametrize("name", LIMITS)
def test_against_the_oracle(name, seeded):
    low, high = LIMITS[name]
    inside = [int(number) for number in EVERYWHERE if low <= number <= high]
    column = [low, low + 1, high - 1, high, *inside]
    index = rtindex.build(np.array(column, name))
    ends = [(seeded.choice(EVERYWHERE), seeded.choice(EVERYWHERE)) for _ in range(300)]
    lower, upper = map(list, zip(*ends))
    assert rows_of(index.lookup(np.array(EVERYWHERE), "rows")) == matches(
        column, EVERYWHERE, EVERYWHERE)
    assert rows_of(index.range(np.array(lower), np.array(upper), "rows")) == matches(
        column, lower, upper)
    with np.errstate(over="ignore"):
        narrow = np.array(EVERYWHERE, np.float32).tolist()
    assert rows_of(index.lookup(np.array(narrow, np.float32), "rows")) == matches(
        column, narrow, narrow)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind):
    make = KINDS[kind]
    index = rtindex.build([1, 2, 3, 2**53 + 2])
    keys, lower, upper = [3.0, 2.5, 2.0**53 + 2], [2.5, -math.inf, 0.5], [3.5, 2.5, 0.75]
    assert rows_of(index.lookup(make(keys), "rows")) == [[2], [], [3]]
    assert rows_of(index.range(make(lower), make(upper), "rows")) == [[2], [0, 1], []]
    assert type(index.lookup(make(keys))) is type(index.lookup(make([1, 2, 3]))) or kind == "list"


def test_nulls_and_nan():
    index = rtindex.build([1, 2, 3])
    for keys in ([3.0, None], pd.Series([3, None]), pa.array([3.0, None]), pl.Series([3.0, None]),
                 np.ma.MaskedArray([3.0, 2.0], [False, True]), np.array([3, np.nan])):
        assert np.asarray(index.lookup(keys, "count")).tolist() == [1, 0]
        assert np.asarray(index.range(keys, keys, "count")).tolist() == [1, 0]
        assert np.asarray(index.join(keys, "semi").probe).tolist() == [0]


def test_one_float():
    index = rtindex.build([1, 2, 3])
    assert index.lookup(3.0) == 2 and index.lookup(np.float32(3)) == 2
    assert index.lookup(2.5) is None and index.lookup(math.nan) is None
    assert index.range(1.5, 3.0, "count") == 2 and index.range(1.5, math.inf, "count") == 2
    assert index.range(2.9, 2.1, "count") == 0 and index.range(math.nan, 3.0, "count") == 0
    assert rtindex.build([True, False]).lookup(1.0) == 0


def test_composites():
    table = pa.table({"a": [1, 1, 2, 3], "b": [5, 6, 5, 5]})
    index = rtindex.build(table)
    assert index.lookup((1.0, 6.0)) == 1 and index.lookup((1.5, 6)) is None
    assert index.lookup([(1, 5.5), (2.0, 5)], "count").tolist() == [0, 1]
    floats = pa.table({"a": [1.0, 2.5, 3.0], "b": [6, 5, 5]})
    for keys in (floats, pl.DataFrame(floats), floats.to_pandas(), floats.to_struct_array()):
        assert np.asarray(index.lookup(keys, "count")).tolist() == [1, 0, 1]
    assert rows_of(index.range([(1, 5.5), (1.0, -math.inf)], [(2, 5.5), (1, 5.5)], "rows")) == [
        [1, 2], [0]]
    assert index.range((1, math.nan), (2, 5), "count") == 0


@pytest.mark.parametrize(("lower", "upper"), [
    ((1.5, 5), (3, 5)), ((1, 5), (2.5, 5)), ((-math.inf, 5), (3, 5)), ((1, 1e300), (3, 5)),
    ((1, 5), (3, -1e300))])
def test_ends_that_tuples_cannot_have(lower, upper):
    """Rounding them would lose or add tuples."""
    index = rtindex.build((np.array([1, 2, 3]), np.array([5, 5, 5])))
    says = "expected a whole number of 64 bits|the last part of an end .* cannot hold it"
    with pytest.raises(rtindex.InvalidArgumentError, match=says):
        index.range(lower, upper)


def test_updates_take_no_floats():
    index = rtindex.build([1, 2, 3])
    with pytest.raises(rtindex.InvalidArgumentError, match="float64 .*int64"):
        index.update([0], [9.0])
    assert index.lookup(1) == 0


def test_other_columns_take_no_floats():
    for column in (["a"], np.zeros(1, "M8[s]"), pa.array([1], pa.date32())):
        with pytest.raises(rtindex.InvalidArgumentError, match="cannot be compared"):
            rtindex.build(column).lookup([1.0])


def test_answers_may_go_over_the_lookups():
    """The lookups are converted first: their memory is not read any more."""
    index = rtindex.build([1, 2, 3])
    keys = np.array([3.0, 9.0])
    assert index.lookup(keys, "sum", [1.5, 2.5, 3.5], miss=0, out=keys).tolist() == [3.5, 0]


def test_integers_on_floats():
    """A column of integers with a null is one of floats in pandas; its keys are still integers."""
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    index = rtindex.build(pd.Series([1, None, 3]))
    assert index.type == "float64"
    for keys in (np.array([3, 2, 1]), np.array([3, 2, 1], np.uint8), pd.Series([3, 2, 1]),
                 pd.Series([3, 2, 1], dtype="Int64"), pl.Series([3, 2, 1]), pa.array([3, 2, 1])):
        assert [*np.asarray(index.lookup(keys, "count"))] == [1, 0, 1]
    assert index.range(np.array([1]), np.array([2]), "count").tolist() == [1]
    assert index.lookup(pd.Series([3, None], dtype="Int64"), "any").isna().tolist() == [False, True]
    assert index.lookup(np.array([], int)).size == 0
    with pytest.raises(rtindex.Error, match=r"exact up to 2\^53"):
        index.lookup(np.array([2**60 + 1]))


def test_nulls_alone():
    pl, pa = (pytest.importorskip(name) for name in ("polars", "pyarrow"))
    index = rtindex.build([1, 2])
    assert index.lookup(pl.Series([None, None]), "count").to_list() == [0, 0]
    assert index.lookup(pa.nulls(2), "count").to_pylist() == [0, 0]
    assert rtindex.build(pl.Series([None, None])).valid == 0
