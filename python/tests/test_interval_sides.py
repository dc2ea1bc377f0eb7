"""Starts and ends of intervals whose types differ."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rtindex


def test_whole_numbers_that_pandas_holds_as_floats():
    starts = pd.Series([1, 5, 2**53 + 1])
    ends = pd.Series([4, np.nan, 2**53])
    index = rtindex.build(rtindex.intervals(starts[:2], ends[:2], ends="[]"))
    assert index.contains([4, 5], "count").tolist() == [1, 0]
    index = rtindex.build(rtindex.intervals(ends[:2], pd.Series([9, 9]), ends="[)"))
    assert index.contains([8], "rows")[0].tolist() == [0]
    assert index.contains(8.5, "count") == 1


@pytest.mark.parametrize("ends", [[4, np.nan, 6.5], [4, np.nan, 2.0**54], [4, 5, 6.0]])
def test_other_floats_are_rejected_beside_integers(ends):
    with pytest.raises(rtindex.InvalidArgumentError, match="int64 values and end with float64"):
        rtindex.build(rtindex.intervals(pd.Series([1, 2, 3]), pd.Series(ends), ends="[]"))
    with pytest.raises(rtindex.InvalidArgumentError, match="int64 values and end with float64"):
        rtindex.build(rtindex.intervals(np.array([1, 2, 3]), np.array(ends), ends="[]"))


@pytest.mark.parametrize("of", [list, lambda items: pa.array(items, pa.decimal128(20, 3))])
def test_decimals_of_two_scales(of):
    starts = [Decimal("1.5"), Decimal("2.2"), None]
    ends = of([Decimal("1.755"), Decimal("3.125"), Decimal("4.125")])
    index = rtindex.build(rtindex.intervals(starts, ends, ends="[]"))
    keys = [Decimal("1.755"), Decimal("1.7551"), Decimal("3.125"), Decimal("4")]
    assert index.contains(keys, "count").tolist() == [1, 0, 1, 0]
    assert index.contains(3, "any") == 1
    index.insert(rtindex.intervals([Decimal("4")], [Decimal("4.5")], ends="[]"))
    assert index.contains(Decimal("4"), "any") == 3


def test_dictionaries_of_another_integer_type():
    codes = pa.array([0, None, 1], pa.int8())
    starts = pa.DictionaryArray.from_arrays(codes, pa.array([1, 5], pa.int32()))
    index = rtindex.build(rtindex.intervals(starts, np.array([4, 9, 9]), ends="[]"))
    assert index.contains([1, 4, 5, 9], "count").tolist() == [1, 1, 1, 1]
    assert index.nulls().tolist() == [1]


@pytest.mark.parametrize("starts, ends", [("1e25", "1.1234567890123456"),
                                          ("1.5", "1.12345678901234567890123")])
def test_decimals_too_far_apart(starts, ends):
    with pytest.raises(rtindex.InvalidArgumentError, match="do not fit 38 digits"):
        rtindex.build(rtindex.intervals([Decimal(starts)], [Decimal(ends)], ends="[]"))


def test_neighbours_of_times_between_two_ticks():
    days = np.array(["2024-01-01", "2024-02-01"], "M8[D]")
    index = rtindex.build(rtindex.intervals(days, days + 9, ends="[]"))
    for direction in ("nearest", "backward", "forward"):
        with pytest.raises(rtindex.InvalidArgumentError, match="build the intervals in the finer"):
            index.nearest(np.datetime64("2024-01-15T12"), direction=direction)
    with pytest.raises(rtindex.UnsupportedError, match="intervals, which have no order"):
        index.rank(days)
