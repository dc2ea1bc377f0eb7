"""Every kind of object brings a column and lookups, and gets its own kind back."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex

COLUMN = [26, 25, 29, 23, 29, 27]
LOOKUPS = [29, 24, 23]
FIRST = [2, None, 3]


def torch_tensor(items):
    return pytest.importorskip("torch", exc_type=ImportError).tensor(items)


def jax_array(items):
    return pytest.importorskip("jax.numpy", exc_type=ImportError).array(items)


def chunked(items):
    return pa.chunked_array([items[:1], [], items[1:]], pa.int64())


# How a list becomes an object, and the answer a list, where a miss is None.
NULLABLE = {
    "pyarrow": (pa.array, pa.Array, lambda found: found.to_pylist()),
    "chunked": (chunked, pa.ChunkedArray, lambda found: found.to_pylist()),
    "polars": (pl.Series, pl.Series, lambda found: found.to_list()),
    "pandas": (pd.Series, pd.Series, lambda found: found.astype(object).where(found.notna(), None)
               .tolist()),
    "pandas index": (pd.Index, pd.Series, lambda found: found.astype(object)
                     .where(found.notna(), None).tolist()),
    "pandas Int64": (lambda items: pd.Series(items, dtype="Int64"), pd.Series,
                     lambda found: found.astype(object).where(found.notna(), None).tolist()),
}
RESERVED: dict[str, tuple[Any, Any]] = {
    "numpy": (np.array, np.ndarray),
    "list": (list, np.ndarray),
    "buffer": (lambda items: array.array("q", items), np.ndarray),
    "memoryview": (lambda items: memoryview(array.array("i", items)), np.ndarray),
    "torch": (torch_tensor, "torch"),
    "jax": (jax_array, "jax"),
}


@pytest.mark.parametrize("kind", NULLABLE)
def test_misses_are_nulls(kind):
    make, out, listed = NULLABLE[kind]
    index = rtindex.build(make(COLUMN))
    found = index.lookup(make(LOOKUPS), "first")
    assert isinstance(found, out)
    assert listed(found) == FIRST
    assert listed(index.lookup(make(LOOKUPS), "sum", make([1, 2, 3, 4, 5, 6]))) == [8, None, 4]
    assert listed(index.lookup(make(LOOKUPS), "max", np.arange(6.0))) == [4.0, None, 3.0]
    assert listed(index.lookup(make(LOOKUPS), "count")) == [2, 0, 1]
    assert listed(index.range(make([23, 24]), make([25, 24]), "min", np.arange(6))) == [1, None]
    answers = index.lookup(make(LOOKUPS), ["any", "count"], matched=True)
    assert listed(answers.matched) == [True, False, True]


@pytest.mark.parametrize("kind", RESERVED)
def test_misses_are_reserved_values(kind):
    make, out = RESERVED[kind]
    index = rtindex.build(make(COLUMN))
    found = index.lookup(make(LOOKUPS), "first")
    if isinstance(out, str):
        assert type(found).__module__.partition(".")[0] in (out, "jaxlib")
    else:
        assert type(found) is out
    assert np.asarray(found).tolist() == [2, rtindex.MISS, 3]
    assert np.asarray(index.lookup(make(LOOKUPS), "count")).tolist() == [2, 0, 1]


def test_every_kind_gets_row_lists():
    index = rtindex.build(COLUMN)
    for make in (np.array, list, pa.array, chunked, pl.Series, pd.Series):
        rows = index.lookup(make(LOOKUPS), "rows")
        assert isinstance(rows, rtindex.Rows)
        assert [sorted(found) for found in rows.to_pylist()] == [[2, 4], [], [3]]
        assert rows.to_arrow().to_pylist() == rows.to_pylist()
        assert str(rows.to_arrow().type) == "large_list<item: uint32>"
        assert pl.Series(rows).to_list() == rows.to_pylist()


def test_pandas_keeps_the_labels():
    keys = pd.Series(LOOKUPS, index=["x", "y", "z"])
    found = rtindex.build(COLUMN).lookup(keys, "first")
    assert found.index.tolist() == ["x", "y", "z"]
    assert found["x"] == 2 and found["y"] is pd.NA


@pytest.mark.parametrize("dtype", ["Int64", "int64", "int64[pyarrow]", pd.SparseDtype("int64")])
@pytest.mark.parametrize("make", [pd.array, pd.Series, pd.Index])
def test_arrays_of_pandas(make, dtype):
    column, lookups = (make(items, dtype=dtype) for items in (COLUMN, LOOKUPS))
    found = rtindex.build(column).lookup(lookups, "first")
    assert found.isna().tolist() == [False, True, False] and found.dropna().tolist() == [2, 3]
    assert found.index.tolist() == (LOOKUPS if make is pd.Index else [0, 1, 2])
    assert rtindex.build(pd.DataFrame({"a": column, "b": column})).lookup((29, 29), "count") == 2


def test_categoricals_and_other_arrays_of_pandas():
    categories = pd.Categorical(["a", "b"])
    for data in (categories, pd.Series(categories), pd.Index(categories)):
        assert rtindex.build(data).lookup(["b", "a"]).tolist() == [1, 0]
        assert rtindex.build(["b", "a"]).lookup(data).tolist() == [1, 0]
    times = pd.Series(np.array(["2024-02-29", "NaT"], "M8[s]")).dt.tz_localize("Europe/Berlin")
    assert rtindex.build(times.array).lookup(times.array, "count").tolist() == [1, 0]
    assert rtindex.build(pd.array(["a", None])).lookup(["a"]).tolist() == [0]


def test_one_key_gives_one_object():
    index = rtindex.build(COLUMN)
    assert index.lookup(29, "first") == 2
    assert type(index.lookup(29, "first")) is int
    assert index.lookup(np.int16(23)) == 3
    assert index.lookup(24) is None
    assert index.lookup(24, "count") == 0
    assert index.range(23, 25, "sum", np.arange(6.0)) == 4.0
    assert sorted(index.lookup(29, "rows")) == [2, 4]


def test_a_miss_value_stands_in_for_null():
    index = rtindex.build(COLUMN)
    found = index.lookup(pa.array(LOOKUPS), "sum", np.arange(6), miss=-1)
    assert found.to_pylist() == [6, -1, 3] and found.null_count == 0


def test_chunks_of_every_size(seeded):
    column = np.arange(100_000)
    index = rtindex.build(column)
    keys = np.array([seeded.randrange(-1000, 101_000) for _ in range(50_000)])
    cuts = sorted(seeded.sample(range(len(keys)), 9)) + [len(keys)]
    pieces = [keys[a:b] for a, b in zip([0, *cuts], cuts)]
    found = index.lookup(pa.chunked_array(pieces), ["any", "count", "rows"], matched=True)
    plain = index.lookup(keys, ["any", "count", "rows"], matched=True)
    hit = (keys >= 0) & (keys < 100_000)
    assert plain.matched.tolist() == hit.tolist()
    assert found.matched.to_pylist() == hit.tolist()
    assert found.any.to_pylist() == [int(key) if ok else None for key, ok in zip(keys, hit)]
    assert found.count.to_pylist() == plain.count.tolist()
    assert found.rows.to_pylist() == plain.rows.to_pylist()


def test_range_ends_in_different_chunks():
    index = rtindex.build(np.arange(10))
    lower = pa.chunked_array([[1, 2], [3, 9]])
    upper = pa.chunked_array([[4], [2, 1, 20]])
    assert index.range(lower, upper, "count").to_pylist() == [4, 1, 0, 1]
