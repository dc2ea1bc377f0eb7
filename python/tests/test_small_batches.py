"""Small batches in NumPy arrays take a short way into the index: they are answered as lists are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rtindex

ANSWERS = ("any", "first", "last", "count", "sum", "min", "max", "mean", "rows")
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def index_of(dtype: str, spec: str = "rx:native@cpu") -> rtindex.Index:
    random = np.random.default_rng(7)
    column = random.integers(0, 100, 400).astype(dtype)
    prices = [None if i % 5 == 0 else float(i % 17) - 3.5 for i in range(400)]
    pieces = random.integers(-9, 9, 400, dtype=np.int16)
    weights = random.integers(0, 9, 400, dtype=np.uint32)
    return rtindex.build(column, spec, include={"price": prices, "pieces": pieces, "weight": weights})


def as_lists(answer):
    if isinstance(answer, rtindex.Rows):
        return [sorted(rows.tolist()) for rows in answer]
    return answer.dtype, repr(answer.tolist())  # NaN equals NaN


def expect_same(small, other) -> None:
    if isinstance(small, rtindex.Answers):
        assert small.keys() == other.keys()
        for name in small.keys():
            assert as_lists(small[name]) == as_lists(other[name]), name
        assert repr(small) == repr(other)
        assert small.to_pandas().equals(other.to_pandas())
    else:
        assert as_lists(small) == as_lists(other)


@pytest.mark.parametrize("dtype", TYPES)
def test_answers_are_those_of_other_batches(dtype):
    index = index_of(dtype)
    random = np.random.default_rng(11)
    keys = random.integers(0, 120, 60).astype(dtype)
    upper = (keys + random.integers(0, 6, 60).astype(dtype)).astype(dtype)
    for values, answer in itertools.product(("price", "pieces", "weight"), ANSWERS):
        # What reports its progress does not take the short way.
        expect_same(index.lookup(keys, answer, values),
                    index.lookup(keys, answer, values, progress=lambda done: None))
        for ends in "[]", "[)", "(]", "()":
            expect_same(index.range(keys, upper, answer, values, ends=ends),
                        index.range(keys, upper, answer, values, ends=ends,
                                    progress=lambda done: None))
    for names in (["count", "sum"], ["mean", "min", "max", "any"], ["first", "last", "count"]):
        expect_same(index.range(keys, upper, names, "price"),
                    index.range(keys, upper, names, "price", progress=lambda done: None))


def test_counts_and_rows_have_their_types():
    index = index_of("int64")
    keys = np.array([3, 200])
    assert index.lookup(keys).dtype == np.uint32
    assert index.lookup(keys, "count").dtype == np.int64
    assert index.lookup(keys, "sum", "pieces").dtype == np.int64
    assert index.lookup(keys, "sum", "weight").dtype == np.uint64
    assert index.lookup(keys, "sum", "price").dtype == np.float64


@pytest.mark.parametrize("keys", [
    np.array([], np.int64), np.arange(20)[::3], np.arange(20).astype(">i8"), np.arange(20, dtype=np.int32),
    np.arange(5000) % 110, np.ma.masked_equal(np.arange(20), 3), np.array([1.0, 2.5]),
], ids=["empty", "strided", "big-endian", "narrow", "many", "masked", "floats"])
def test_other_arrays(keys):
    index = index_of("int64")
    expected = [index.lookup(key, "count") for key in keys.tolist() if key is not None]
    found = index.lookup(keys, "count").tolist()
    assert [count for count, key in zip(found, keys.tolist()) if key is not None] == expected


def test_nan_is_a_key():
    index = rtindex.build(np.array([1.5, np.nan, 2.5]))
    assert index.lookup(np.array([np.nan, 1.5])).tolist() == [1, 0]


def test_an_only_included_column_needs_no_name():
    index = rtindex.build(np.array([1, 2, 2]), include=np.array([5, 6, 7]))
    assert index.lookup(np.array([2, 1]), "sum").tolist() == [13, 5]
    assert index.lookup(np.array([2]), ["sum", "count"])["sum"].tolist() == [13]


@pytest.mark.parametrize("call", [
    lambda index, keys: index.lookup(keys, "total"),
    lambda index, keys: index.lookup(keys, "sum"),
    lambda index, keys: index.lookup(keys, "sum", "cost"),
    lambda index, keys: index.lookup(keys, ["count", "count"]),
    lambda index, keys: index.lookup(keys, []),
    lambda index, keys: index.lookup(keys, "key"),
    lambda index, keys: index.range(keys, keys[:1].repeat(2), "count"),
    lambda index, keys: index.range(keys, keys, "count", ends="[["),
    lambda index, keys: index.lookup(keys.reshape(1, -1), "count"),
])
def test_errors_are_those_of_other_batches(call):
    index = index_of("int64")
    keys = np.array([1, 2, 3])
    with pytest.raises(rtindex.InvalidArgumentError) as small:
        call(index, keys)
    with pytest.raises(rtindex.InvalidArgumentError) as other:
        call(index, keys[::-1])  # strided
    assert str(small.value) == str(other.value)


def test_changes_are_seen():
    index = rtindex.build(np.array([1, 2, 2]), include={"price": np.array([5, 6, 7])})
    before = index.snapshot()
    index.insert(np.array([2]), {"price": np.array([10])})
    index.erase(np.array([1]))
    assert index.lookup(np.array([2]), ["count", "sum"])["sum"].tolist() == [17]
    assert before.lookup(np.array([2]), ["count", "sum"])["sum"].tolist() == [13]
