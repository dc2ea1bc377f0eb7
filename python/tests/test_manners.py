"""Open ends, `in`, and the arguments that callers expect."""

from __future__ import annotations

import datetime
import inspect
import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex
from rtindex import _device

USABLE = [known.spec for known in rtindex.indexes() if known.available]
DAY = datetime.date(2024, 2, 29)
NOON = datetime.datetime(2024, 2, 29, 12)

# Columns with their smallest and largest keys first, and a key between.
COLUMNS = {
    **{name: (np.array([np.iinfo(name).min, np.iinfo(name).max, 7], name), 7)
       for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    "bool": (np.array([False, True, True]), True),
    "float32": (np.array([-np.inf, np.nan, 0.5], np.float32), 0.5),
    "float64": (np.array([-np.inf, np.nan, 0.5]), 0.5),
    "date32": (pa.array([-2**31, 2**31 - 1, 19782], pa.date32()), DAY),
    "timestamp64": (pa.array([-2**63, 2**63 - 1, 1709208000], pa.timestamp("s")), NOON),
    "string": ([b"", b"\xff" * 1000, b"b"], b"b"),
    "long strings": (["", "\U0010ffff" * 40, "b" * 100], "b" * 100),
    "composite": ((np.array([-2**63, 2**63 - 1, 5]), np.array(["", "z", "b"])), (5, "b")),
}


@pytest.mark.parametrize("spec", USABLE)
@pytest.mark.parametrize("name", COLUMNS)
def test_open_ends(name, spec):
    column, middle = COLUMNS[name]
    index = rtindex.build(column, spec)
    if not index.supports("count", "range"):
        return
    assert index.range(None, None, "count") == 3
    assert index.range(answer="count") == 3
    assert index.range(middle, None, "count") == 2
    assert index.range(lower=middle, answer="count") == 2
    assert index.range(None, middle, "count") == (2 if name != "bool" else 3)
    assert index.range([middle, middle], None, "count").tolist() == [2, 2]
    assert sorted(index.range(None, [middle], "rows")[0]) == ([0, 2] if name != "bool" else
                                                             [0, 1, 2])


def test_open_ends_of_every_kind():
    index = rtindex.build(np.array([1, 2, 3]))
    for make, listed in ((np.array, np.ndarray.tolist), (pa.array, lambda found: found.to_pylist()),
                         (pl.Series, pl.Series.to_list), (pd.Series, pd.Series.tolist),
                         (lambda items: pa.chunked_array([items[:1], items[1:]]),
                          lambda found: found.to_pylist())):
        ends = make([2, 3, 9])
        above = index.range(ends, None, "count")
        assert type(above).__module__ == type(ends).__module__ and listed(above) == [2, 1, 0]
        assert listed(index.range(None, ends, "count")) == [2, 3, 3]
    labels = index.range(None, pd.Series([2], index=["a"]), "count")
    assert labels.index.tolist() == ["a"]
    with_nulls = index.range([2, None], None, "count")
    assert with_nulls.tolist() == [2, 0]  # inside a batch None is a null


def test_open_ends_with_other_arguments():
    index = rtindex.build(np.array([1, 2, 3]), include=np.array([10, 20, 30]))
    assert index.range(None, None, "sum") == 60
    assert index.range(2, None, "sum", miss=0) == 50
    assert index.range(None, 0, "sum") is None
    answers = index.range([2, 4], None, ["count", "rows"], matched=True, limit=1)
    assert answers.matched.tolist() == [True, False] and len(answers.rows[0]) == 1
    out = np.empty(1, np.int64)
    assert index.range(None, [2], "sum", out=out).tolist() == [30]
    with pytest.raises(rtindex.InvalidArgumentError, match="shares memory"):
        index.range(None, out, "sum", out=out)
    assert len(index.range([], None, "count")) == 0
    assert rtindex.build([1, None, 3]).range(None, None, "count") == 2  # nulls never match
    assert rtindex.build([]).range(None, None, "count") == 0


class FakeArray:
    """An array in device memory, as far as a call inspects it."""

    __cuda_array_interface__: dict = {}
    ndim = 1

    def __init__(self, size, dtype, value=None):
        self.size, self.dtype, self.value = size, dtype, value

    def __len__(self):
        return self.size


class FakeLibrary(_device.Library):
    def contiguous(self, data):
        return data

    def dtype(self, data):
        return data.dtype

    def pointer(self, data):
        return 4096


@pytest.fixture
def on_device(monkeypatch):
    """Calls return the lookups that they would answer in device memory."""
    monkeypatch.setattr(_device, "library_of", lambda data: FakeLibrary())
    monkeypatch.setattr("rtindex._calls.answer_on_device", lambda *arguments: arguments[2])


@pytest.mark.usefixtures("on_device")
@pytest.mark.parametrize("dtype", ["int32", "uint64", "float32"])
def test_open_ends_in_device_memory(dtype):
    index = rtindex.build(np.zeros(3, dtype))
    for ends in ((FakeArray(5, dtype), None), (None, FakeArray(5, dtype))):
        lookups = index.range(*ends)
        assert len(lookups) == 5 and lookups.on_device


@pytest.mark.usefixtures("on_device")
def test_floats_in_device_memory_are_rejected():
    index = rtindex.build([1, 2])
    for call in (lambda: index.lookup(FakeArray(1, "float64")),
                 lambda: index.range(FakeArray(1, "float32"), None)):
        with pytest.raises(rtindex.InvalidArgumentError, match="float.* convert them there"):
            call()


def test_pictures_of_open_ends():
    picture = rtindex.draw([1, 2, 3], ranges=[(2, None)])
    assert "range [2, " in picture.svg


@pytest.mark.parametrize("spec", USABLE)
def test_in(spec):
    for column, middle in COLUMNS.values():
        index = rtindex.build(column, spec)
        assert middle in index
        assert index.lookup(middle) is not None
    index = rtindex.build([1, 2, None], spec)
    assert 1 in index and np.int8(2) in index and np.array(2) in index and 2.0 in index
    assert 3 not in index and -1 not in index and 1.5 not in index and math.nan not in index
    pairs = rtindex.build((["a", "b"], [1, 2]), spec)
    assert ("a", 1) in pairs and ("a", 2) not in pairs and ("a", None) not in pairs
    assert "b" in rtindex.build(["a", "b"], spec) and "c" not in rtindex.build(["a", "b"], spec)
    times = rtindex.build(np.array([NOON], "M8[s]"), spec)
    assert NOON in times and pd.Timestamp(NOON) in times and DAY not in times
    assert None not in times and 2**64 not in index


@pytest.mark.parametrize(("column", "key"), [
    ([1], "1"), ([1], [1]), ([1], (1,)), ([1], np.array([1])), ([1], pd.Series([1])),
    ([1], object()), (["a"], 1), (["a"], 1.0), (np.zeros(1, "M8[s]"), 0), ((["a"], [1]), "a"),
    ((["a"], [1]), ("a",)), ((["a"], [1]), (1, "a")), ((["a"], [1]), ["a", 1]),
    (np.zeros(1, "M8[s]"), datetime.datetime.now(datetime.timezone.utc))])
def test_in_rejects_what_is_not_a_key(column, key):
    """A wrong type is an error, never False."""
    with pytest.raises(rtindex.InvalidArgumentError):
        key in rtindex.build(column)  # noqa: B015


def parameters(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


def test_names_of_arguments():
    options = ["matched", "limit", "order", "miss", "out", "counters"]
    nearest = ["direction", "exact", "tolerance"]
    filtered = [*options, "filter", "progress", "max_bitmap_bytes"]
    assert parameters(rtindex.Index.lookup) == ["keys", "answer", "values", *filtered]
    assert parameters(rtindex.Index.range) == ["lower", "upper", "answer", "values", "ends",
                                               *filtered]
    assert parameters(rtindex.Index.nearest) == ["keys", "answer", "values", *nearest,
                                                 *filtered]
    assert parameters(rtindex.Index.starts_with) == ["prefixes", "answer", "values", *filtered]
    assert parameters(rtindex.Index.answer) == ["query", "answer", "values", *options, "progress",
                                                "max_bitmap_bytes"]
    assert parameters(rtindex.Index.join) == ["query", "how", "order", "progress"]
    assert parameters(rtindex.Index.join_batches) == ["query", "how", "max_pairs", "order"]
    assert parameters(rtindex.Index.join_range) == ["lower", "upper", "how", "ends", "order",
                                                    "progress"]
    assert parameters(rtindex.Index.join_asof) == ["keys", *nearest, "how", "order", "progress"]
    assert parameters(rtindex.Query.range) == ["lower", "upper", "ends", "filter"]
    assert parameters(rtindex.Query.nearest) == ["keys", *nearest, "filter"]
    assert parameters(rtindex.Index.update) == ["rows", "keys"]
    assert parameters(rtindex.build) == ["column", "spec", "include", "nan_as_null", "progress"]
    assert parameters(rtindex.draw)[:4] == ["column", "keys", "ranges", "spec"]
    index = rtindex.build(column=[1, 2], spec="btree", include=[5, 6])
    assert index.lookup(keys=[2], answer="sum", values=[7, 8]).tolist() == [8]
    assert index.range(upper=[2], lower=[2], answer="sum").tolist() == [6]
    assert index.join(query=[2], how="semi").probe.tolist() == [0]
