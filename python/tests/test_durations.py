"""Durations and times of day as answers: neighbours' keys, sums, minima and maxima."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

SECONDS = np.array([5, 10, 20], "m8[s]")
TEN = datetime.timedelta(seconds=10)


def test_neighbours_that_are_durations():
    index = rtindex.build(SECONDS)
    keys = np.array([12_000, 1_000], "m8[ms]")
    found = index.nearest(keys, "key")
    assert found.dtype == "m8[s]" and found[0] == TEN and np.isnat(found[1])
    assert index.nearest([TEN], "key").tolist() == [TEN]
    series = index.nearest(pd.Series(keys), "key")
    assert series.dtype == "timedelta64[s]" and series.isna().tolist() == [False, True]
    assert index.nearest(pl.Series(keys), "key").to_list() == [TEN, None]
    assert index.nearest(pa.array(keys), "key").to_pylist() == [TEN, None]


def test_neighbours_that_are_times_of_day():
    five, six = datetime.time(5), datetime.time(6)
    for column in ([five], pa.array([five], pa.time32("s")), pa.array([five], pa.time64("ns"))):
        index = rtindex.build(column)
        for keys in ([six, datetime.time(1)], pl.Series([six, datetime.time(1)]),
                     pd.Series([six, datetime.time(1)])):
            assert [*index.nearest(keys, "key")] == [five, None]
        assert index.nearest(pa.array([six, None]), "key").to_pylist() == [five, None]


@pytest.mark.parametrize("of", [lambda data: data, pd.Series, pa.array,
                                lambda data: pl.Series(data.astype("m8[ms]"))])
def test_aggregates_of_durations(of):
    for index, values in ((rtindex.build([1, 1, 2]), of(SECONDS)),
                          (rtindex.build([1, 1, 2], include={"d": of(SECONDS)}), "d")):
        answers = index.lookup([1, 3], ["sum", "min", "max", "mean", "count"], values)
        assert answers.sum.dtype.kind == "m" and np.isnat(answers.sum[1])
        assert answers.sum[0] == datetime.timedelta(seconds=15)
        assert answers.min[0] == SECONDS[0] and answers.max[0] == SECONDS[1]
        assert answers.count.tolist() == [2, 0]
        assert index.lookup(1, "max", values) == TEN and index.lookup(3, "sum", values) is None
        assert index.lookup(pl.Series([1, 3]), "max", values).to_list() == [TEN, None]
        assert index.lookup(pa.array([1, 3]), "max", values).to_pylist() == [TEN, None]
        assert index.lookup(pd.Series([1]), "max", values).tolist() == [pd.Timedelta(TEN)]
        assert index.lookup([3], "sum", values, miss=TEN).tolist() == [TEN]


def test_included_durations_keep_their_unit():
    index = rtindex.build([1, 1, 2], include={"d": SECONDS, "n": [1, 2, 3]})
    index.insert([1], {"d": [datetime.timedelta(minutes=1)], "n": [4]})
    index = pickle.loads(pickle.dumps(index))
    assert index.lookup(1, "max", "d") == datetime.timedelta(minutes=1)
    assert index.lookup(1, "sum", "n") == 7
    with pytest.raises(rtindex.InvalidArgumentError, match="between two ticks"):
        index.lookup([3], "max", "d", miss=datetime.timedelta(milliseconds=1))


@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_nat_needs_no_unit(kind):
    nat = np.array(["NaT"], kind)
    assert rtindex.build(nat).nulls().tolist() == [0]
    index = rtindex.build(np.array([5], f"{kind}[s]"))
    assert index.lookup(nat[0]) is None and index.lookup(nat, "count").tolist() == [0]
    assert index.lookup([nat[0]], "count").tolist() == [0] and index.insert(nat[0]) == 1
    assert index.nulls().tolist() == [1]
    one = datetime.timedelta(seconds=5) if kind == "m8" else datetime.datetime(1970, 1, 1, 0, 0, 5)
    assert rtindex.build([nat[0], one]).lookup(one) == 1
    with pytest.raises(rtindex.Error, match="has no unit"):
        rtindex.build(np.array([5]).view(kind))


def test_months_are_no_durations():
    with pytest.raises(rtindex.Error, match="expected durations in s, .* pass days"):
        rtindex.build(np.array([5], "m8[s]")).lookup(np.timedelta64(1, "M"))


def test_durations_that_a_library_cannot_hold():
    index = rtindex.build([1])
    days = np.array([2**62], "m8[D]")
    assert index.lookup([1], "max", days).tolist() == days.tolist()
    with pytest.raises(rtindex.InvalidArgumentError, match="too long for the durations"):
        index.lookup(pd.Series([1]), "max", days)


def test_durations_beyond_the_unit_of_the_index():
    index = rtindex.build(np.array([5], "m8[ns]"))
    long = np.array([10**12], "m8[s]")
    assert index.lookup(long, "count").tolist() == [0]
    with pytest.raises(rtindex.InvalidArgumentError, match=r"the duration 1.* seconds .*too long for timedelta64\[ns\]"):
        index.insert(long)
