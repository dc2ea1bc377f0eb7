"""Small batches in NumPy arrays take a short way into the index: they are answered as lists are."""

from __future__ import annotations

import itertools
from typing import Any

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


ROW_TYPES = (np.uint32, np.int64)


@pytest.mark.parametrize("row_type", ROW_TYPES)
@pytest.mark.parametrize("dtype", TYPES)
def test_changes_are_those_of_lists(dtype, row_type):
    random = np.random.default_rng(13)
    small, other = index_of(dtype), index_of(dtype)
    kept = random.permutation(400)
    for size in (1, 2, 7):
        keys = random.integers(0, 100, size).astype(dtype)
        values: dict[str, Any] = {
            "weight": random.integers(0, 9, size, dtype=np.uint32), "price": random.random(size),
            "pieces": random.integers(-9, 9, size, dtype=np.int16)}
        assert small.insert(keys, values) == other.insert(keys.tolist(), {
            name: column.tolist() for name, column in values.items()})
        erased, changed, priced = np.split(kept[:3 * size].astype(row_type), 3)
        kept = kept[size:]  # all but those that are erased
        small.erase(erased)
        other.erase(erased.tolist())
        small.update(changed, keys)
        other.update(changed.tolist(), keys.tolist())
        for name, column in values.items():
            small.set_included(priced, column, name)
            other.set_included(priced.tolist(), column.tolist(), name)
        assert len(small) == len(other) and small.valid == other.valid
        every = np.arange(101).astype(dtype)
        for name in values:
            expect_same(small.lookup(every, ["count", "sum", "min", "max", "first"], name),
                        other.lookup(every, ["count", "sum", "min", "max", "first"], name))


def test_an_only_included_column_changes_without_a_name():
    index = rtindex.build(np.array([1, 2]), include=np.array([5, 6]))
    assert index.insert(np.array([3]), np.array([7])) == 2
    index.set_included(np.array([0]), np.array([9]))
    assert index.range(None, None, "sum") == 22
    plain = rtindex.build(np.array([1, 2]))
    assert plain.insert(np.array([3])) == 2


def test_nan_stays_a_key_and_a_value():
    index = rtindex.build(np.array([1.5, 2.5]), include={"price": np.array([1.0, 2.0])})
    index.insert(np.array([np.nan]), {"price": np.array([np.nan])})
    assert index.lookup(np.array([np.nan]), "count").tolist() == [1]
    assert np.isnan(index.lookup(np.array([np.nan]), "sum", "price")).all()


@pytest.mark.parametrize("change", [
    lambda index, row, keys: index.erase(row(400)),
    lambda index, row, keys: index.erase(row(-1)),
    lambda index, row, keys: index.erase(row(2**32)),
    lambda index, row, keys: index.erase(row(3, 3)),
    lambda index, row, keys: index.update(row(400), keys),
    lambda index, row, keys: index.update(row(1, 2), keys),
    lambda index, row, keys: index.set_included(row(400), keys, "pieces"),
    lambda index, row, keys: index.set_included(row(1), keys, "cost"),
    lambda index, row, keys: index.set_included(row(1), keys),
    lambda index, row, keys: index.insert(keys),
    lambda index, row, keys: index.insert(keys, keys),
    lambda index, row, keys: index.insert(keys, {"price": np.array([1.5])}),
    lambda index, row, keys: index.insert(keys, {"price": np.array([1.5, 2.5])}),
    lambda index, row, keys: index.insert(keys, {"cost": np.array([1.5])}),
    lambda index, row, keys: index.insert(keys, {1: np.array([1.5])}),
], ids=str)
def test_errors_of_changes_are_those_of_lists(change):
    index = index_of("int64")
    with pytest.raises(rtindex.Error) as of_arrays:
        change(index, lambda *rows: np.array(rows), np.array([7]))
    with pytest.raises(rtindex.Error) as of_lists:
        change(index, lambda *rows: [*rows], [7])
    assert str(of_arrays.value) == str(of_lists.value)
    assert len(index) == index.valid == 400


def test_other_arrays_of_rows_and_keys():
    index = index_of("int64")
    index.erase(np.array([1], np.uint8))
    index.erase(np.arange(10)[2:8:3])
    index.erase(np.array([], np.int64))
    index.erase(np.array([10, 11]).astype(">i8"))
    assert index.valid == 395
    with pytest.raises(rtindex.Error, match="np.flatnonzero"):
        index.erase(np.array([True, False]))
    index.erase(np.ma.masked_equal(np.array([20, 21]), 99))
    with pytest.raises(rtindex.Error, match="masked"):
        index.erase(np.ma.masked_equal(np.array([22, 23]), 22))
    index.update(np.array([30]), np.array([120], np.int8))
    index.update(np.arange(100, 390)[::-1], np.full(290, 77)[::-1])
    assert index.range(np.array([77]), np.array([77]), "rows").rows[-290:].tolist() == [*range(100, 390)]
    index.set_included(np.array([30]), np.array([2.0]), "price")
    assert index.lookup(np.array([120]), "sum", "price").tolist() == [2.0]


def test_large_changes():
    index = index_of("int64")
    keys = np.full(5000, 200)
    assert index.insert(keys, {"price": keys * 0.5, "pieces": keys.astype(np.int16),
                               "weight": keys.astype(np.uint32)}) == 400
    index.erase(np.arange(400, 5400))
    assert index.valid == 400
