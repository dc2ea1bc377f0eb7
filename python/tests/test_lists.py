"""Plain Python objects, and arrays of objects: no number changes on its way into a column."""

from __future__ import annotations

import datetime
import decimal
import math

import numpy as np
import pandas as pd
import pytest

import rtindex

HIGH = 2**63
TOP = 2**64 - 1


@pytest.mark.parametrize("make", [
    list, lambda items: np.array(items, object), lambda items: pd.Series(items, dtype=object),
    lambda items: np.ma.MaskedArray(items, [item is None for item in items], object)])
def test_high_numbers_stay_what_they_are(make):
    column = [HIGH, None, 5, TOP, HIGH + 1, TOP - 1]
    index = rtindex.build(make(column))
    assert index.type == "uint64"
    found = index.lookup(make(column), "rows").to_pylist()
    assert found == [[row] if key is not None else [] for row, key in enumerate(column)]
    assert index.lookup([TOP, 6], "count").tolist() == [1, 0]
    assert rtindex.build([1, 2]).lookup(make([HIGH, 2, None]), "count").tolist() == [0, 1, 0]


def test_numbers_of_numpy_in_a_list():
    index = rtindex.build([np.uint64(7), np.int64(-7), 2**62 + 1])
    assert index.type == "int64"
    assert index.lookup([np.uint64(7), np.int64(-7), 2**62], "count").tolist() == [1, 1, 0]
    assert rtindex.build([True, None]).type == "bool"
    assert rtindex.build([0.5, 2**60]).lookup(2.0**60) == 1


@pytest.mark.parametrize(("items", "sentence"), [
    ([0.5, 2**53 + 1], "mixes floats with 9007199254740993"),
    ([0.5, 2**64], "does not fit 64 bits")])
def test_numbers_that_no_type_holds(items, sentence):
    for call in (lambda: rtindex.build(items), lambda: rtindex.build([1]).lookup(items),
                 lambda: rtindex.build([1]).range(items, items),
                 lambda: rtindex.build([1.5]).lookup(np.array(items, object))):
        with pytest.raises(rtindex.Error, match=sentence):
            call()


@pytest.mark.parametrize(("items", "sentence"), [
    ([-1, HIGH], "mixes -1 with 9223372036854775808"),
    ([None, HIGH, -1], "mixes -1 with"),
    ([2**64], "18446744073709551616 does not fit 64 bits"),
    ([1, -HIGH - 1], "-9223372036854775809 does not fit 64 bits")])
def test_integers_beyond_64_bits_are_no_keys(items, sentence):
    for call in (rtindex.build, rtindex.build([1]).insert):
        with pytest.raises(rtindex.Error, match=sentence):
            call(items)


def test_integers_beyond_64_bits_miss_or_clamp():
    for column in ([1, 2], np.array([1], np.uint64), np.array([1.5]), np.array([1], np.int8)):
        index = rtindex.build(column)
        for number in (2**64, -2**63 - 1, 2**200, -2**200):
            assert index.lookup(number) is None and number not in index
            assert index.lookup([number, None, 7]).tolist() == [rtindex.MISS] * 3
        assert index.range(-2**70, 2**70, "count") == len(index)
        assert index.range([-2**200, 2**64], [2**200, None], "count").tolist() == [len(index), 0]
        assert index.range(2**64, None, "count") == 0
    assert rtindex.build([-1, 5]).lookup([-1, HIGH, 5]).tolist() == [0, rtindex.MISS, 1]


@pytest.mark.parametrize(("items", "sentence"), [
    ([datetime.date(2024, 2, 29), 5], "mixes times with 5"),
    ([None, datetime.datetime(2024, 2, 29), "x"], r"mixes datetime objects with 'x' \(element 2\)"),
    ([5, datetime.date(2024, 2, 29)], r"mixes numbers with datetime.date\(2024, 2, 29\) \(element 1\)"),
    ([5, np.datetime64("2024")], r"mixes numbers with .*2024.* \(element 1\)"),
    ([1.5, np.timedelta64(1, "s")], r"mixes numbers with .* \(element 1\)"),
    ([1, "a"], r"mixes numbers with 'a' \(element 1\)"), (["a", None, 1], r"mixes strings with 1 \(element 2\)"),
    (["a", float("nan")], "pass None for a null"), ([1, datetime.time(1)], "mixes numbers with datetime.time"),
    ([decimal.Decimal("NaN")], "expected finite decimals; pass None"),
    ([datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-1)))],
     "outside the years 1 to 9999"),
    (["a", "\ud800"], "half of a surrogate pair")])
def test_lists_that_are_no_column(items, sentence):
    for call in (lambda: rtindex.build(items), lambda: rtindex.build(np.array(items, object))):
        with pytest.raises(rtindex.Error, match=sentence):
            call()


def test_decimals_may_follow_integers():
    half = decimal.Decimal("2.5")
    for items in ([half, 1], [1, half], [1, None, half]):
        index = rtindex.build(items)
        assert index.lookup(half, "count") == index.lookup(1, "count") == 1
        assert index.lookup([1, half, decimal.Decimal("1.5")], "count").tolist() == [1, 1, 0]
    assert rtindex.build([1, 2]).lookup([1, decimal.Decimal("1.5")], "count").tolist() == [1, 0]


def test_decimals_meet_integers_beyond_64_bits():
    index = rtindex.build([decimal.Decimal(HIGH * 2**6), decimal.Decimal("1.5")])
    assert index.lookup(HIGH * 2**6) == 0 and HIGH * 2**6 in index and 2**200 not in index
    assert index.range(0, HIGH * 2**6, "count") == index.range(-2**200, 2**200, "count") == 2
    assert index.lookup([HIGH * 2**6, 2, None, 2**200], "count").tolist() == [1, 0, 0, 0]
    assert index.insert(2**71) == 2 and index.lookup(decimal.Decimal(2**71)) == 2
    with pytest.raises(rtindex.Error, match="at most 38 digits"):
        index.insert(2**200)


def test_half_a_surrogate_pair():
    index = rtindex.build(["a"])
    for keys in ("\ud800", ["\ud800"], np.array(["\ud800"])):
        with pytest.raises(rtindex.Error, match="surrogatepass"):
            index.lookup(keys)
    assert index.lookup("\ud800".encode("utf-8", "surrogatepass")) is None


def test_arrays_without_a_dimension_are_one_key():
    index = rtindex.build([7, 8])
    assert index.lookup(np.array(8)) == 1
    assert index.lookup(np.array(9)) is None
    assert index.range(np.array(7), np.array(8), "count") == 2
    assert rtindex.build([0.5]).lookup(np.array(0.5, object)) == 0
    assert rtindex.build([2.0]).lookup(np.array(2)) == 0
    assert rtindex.build(["a"]).lookup(np.array("a")) == 0
    assert rtindex.build(np.zeros(1, "M8[s]")).lookup(np.array(0, "M8[D]")) == 0
    assert index.lookup(np.ma.masked) is None
    index.update(np.array(0), np.array(9))
    assert index.lookup(9) == 0


def test_a_tuple_of_keys_is_a_list_of_keys():
    index = rtindex.build([26, 25, 29])
    assert index.lookup((29, 24), "count").tolist() == [1, 0]
    assert index.lookup((29,)).tolist() == [2]
    assert index.range((24, 0), (30, 1), "count").tolist() == [3, 0]
    assert index.lookup((29, None, 25), "rows").to_pylist() == [[2], [], [1]]
    assert index.lookup((None, None), "count").tolist() == [0, 0]
    assert index.join((29, 24, 26)).probe.tolist() == [0, 2]
    assert rtindex.build(["a", "b"]).lookup(("b", "c", "a"), "count").tolist() == [1, 0, 1]
    with pytest.raises(rtindex.Error, match="composite"):
        index.lookup((np.array([29]), np.array([24])))


def test_lists_of_numbers_are_read_in_one_pass():
    index = rtindex.build([5, None, -2**63, 2**63 - 1])
    assert (index.type, index.nulls().tolist()) == ("int64", [1])
    assert index.lookup([5, None, -2**63, 2**63 - 1, 4], "count").tolist() == [1, 0, 1, 1, 0]
    assert index.lookup([None, 5.0, None], "count").tolist() == [0, 1, 0]
    assert index.lookup([2**63, 5], "count").tolist() == [0, 1]  # beyond int64
    assert rtindex.build([None, None, 1.5]).nulls().tolist() == [0, 1]
    assert rtindex.build([True, False]).type == "bool"
    assert rtindex.build([1, 2.5]).type == "float64" and rtindex.build([1, True]).type == "int64"
    floats = rtindex.build(np.array([1.0, 3.0], np.float16))
    assert floats.lookup([3, None, 1], "count").tolist() == [1, 0, 1]


def test_one_float_beyond_float32_is_no_infinity():
    index = rtindex.build(np.array([1, np.inf, -np.inf], np.float32))
    for keys in (1e300, -1e300, 10**60):
        assert index.lookup(keys) is None and keys not in index
        assert index.lookup([keys], "count").tolist() == [0]
    assert index.lookup(math.inf) == 1 and index.lookup(-math.inf) == 2
    assert rtindex.build(np.array([np.inf], np.float16)).lookup(1e6) is None
    assert index.range(1e300, None, "count") == index.range([1e300], None, "count")[0] == 1
