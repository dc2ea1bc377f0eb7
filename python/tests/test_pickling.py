"""Indexes travel: through pickle, copy, and between processes."""

from __future__ import annotations

import concurrent.futures
import copy
import datetime
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import workers

import rtindex

USABLE = [known.spec for known in rtindex.indexes() if known.available]
NOON = datetime.datetime(2024, 2, 29, 12)
TIMES = [NOON, NOON + datetime.timedelta(seconds=5), None]

COLUMNS = {
    "int64": np.array([7, -3, 7]),
    "uint8 with nulls": pa.array([7, None, 7], pa.uint8()),
    "float64": np.array([0.5, np.nan, -np.inf]),
    "string": ["a string of many letters", None, "b"],
    "timestamp in a zone": pa.array(TIMES, pa.timestamp("us", "Europe/Berlin")),
    "timestamp of pandas": pd.Series(TIMES).dt.tz_localize("Asia/Tokyo"),
    "timestamp in tens of milliseconds": np.array(TIMES, "M8[10ms]"),
    "date": pl.Series([NOON.date(), None, NOON.date()]),
    "composite": pa.table({"name": ["a", "b", None], "time": pa.array(TIMES, pa.timestamp("ms"))}),
    "empty": np.array([], np.int32),
}
WAYS: dict[str, Any] = {
    **{f"protocol {number}": lambda index, number=number: pickle.loads(pickle.dumps(index, number))
       for number in range(pickle.HIGHEST_PROTOCOL + 1)},
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def facts(index):
    return (type(index), index.spec, index.type, index.time_unit, index.included, len(index),
            index._type, index._core.included)


@pytest.mark.parametrize("spec", USABLE)
@pytest.mark.parametrize("name", COLUMNS)
def test_every_column_of_every_index(name, spec):
    column = COLUMNS[name]
    index = rtindex.build(column, spec)
    wanted = index.lookup(column, "rows").to_pylist()
    for way in ("protocol 5", "deepcopy"):
        again = WAYS[way](index)
        assert facts(again) == facts(index)
        assert again.lookup(column, "rows").to_pylist() == wanted


@pytest.mark.parametrize("way", WAYS)
def test_every_way(way):
    index = rtindex.build(np.arange(1000) % 10)
    again = WAYS[way](index)
    assert facts(again) == facts(index)
    assert again.range(2, 3, "count") == 200
    again.update([0], [77])
    assert 77 in again and 77 not in index  # they share nothing
    index.update([1], [78])
    assert 78 in index and 78 not in again
    twice = WAYS[way](again)
    assert 77 in twice and twice.lookup(0, "count") == 99


@pytest.mark.parametrize("spec", ["rx:native@cpu", "sorted@cpu", "btree@cpu"])
def test_included_values(spec):
    times = pd.Series(TIMES[:2] * 2).dt.tz_localize("Europe/Berlin")
    index = rtindex.build([1, 1, 2, 3], spec, include=times)
    again = pickle.loads(pickle.dumps(index))
    assert again.included == {"": "timestamp64"}
    found = again.lookup(pd.Series([1, 9]), "max")
    assert str(found.dtype) == str(index.lookup(pd.Series([1, 9]), "max").dtype)
    assert str(found.dtype.tz) == "Europe/Berlin" and found[0] == times[1]
    numbers = rtindex.build([1, 1, 2, 3], spec, include=np.array([0.5, 1.5, 2.5, 3.5]))
    assert copy.copy(numbers).range(1, 2, "sum") == 4.5


def test_loaded_indexes(tmp_path):
    rtindex.build(["a", "b"]).save(tmp_path / "index.rtindex")
    index = rtindex.load(tmp_path / "index.rtindex")
    assert pickle.loads(pickle.dumps(index)).lookup("b") == 1
    assert copy.copy(index).lookup("b") == 1


def test_out_of_band_buffers():
    index = rtindex.build(np.arange(100_000)[::-1].copy())
    buffers: list[Any] = []
    small = pickle.dumps(index, 5, buffer_callback=buffers.append)
    assert len(small) < 1000 and sum(buffer.raw().nbytes for buffer in buffers) > 100_000
    assert pickle.loads(small, buffers=buffers).lookup(99_999) == 0
    received = [bytes(buffer) for buffer in buffers]
    assert pickle.loads(small, buffers=received).lookup(99_999) == 0


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"x" + data[1:],
                                    lambda data: b"", lambda data: data[:100]])
def test_damaged_pickles(damage):
    data = rtindex.build(np.arange(1000))._core.serialize().tobytes()
    with pytest.raises(rtindex.CorruptFileError):
        rtindex._core.deserialize(damage(data))


@pytest.mark.parametrize("name", ["int64", "string", "composite", "timestamp in a zone"])
def test_between_processes(name, pool):
    column = COLUMNS[name]
    index = rtindex.build(column)
    wanted = index.lookup(column, ["first", "count"])
    spec, unit, found = pool.submit(workers.look_up, index, column).result()
    assert (spec, unit) == (index.spec, index.time_unit)
    for answer in ("first", "count"):
        assert str(found[answer]) == str(wanted[answer])
    built = pool.submit(workers.build, "btree").result()
    assert built.lookup([1, 2, 3], "count").tolist() == [1, 2, 0]


@pytest.fixture(scope="module")
def pool():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, context) as pool:
        yield pool


def test_multiprocessing():
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    child = context.Process(target=workers.look_up_in, args=(there,))
    child.start()
    here.send((rtindex.build([5, 6, 6]), np.array([6, 7])))
    spec, _, found = here.recv()
    child.join()
    assert found.count.tolist() == [2, 0] and spec == rtindex.default_spec()


def test_joblib():
    joblib = pytest.importorskip("joblib")
    index = rtindex.build([5, 6, 6])
    calls = [joblib.delayed(workers.look_up)(index, np.array([key])) for key in (5, 6)]
    assert [found.count.tolist() for _, _, found in joblib.Parallel(2)(calls)] == [[1], [2]]


def test_what_calls_return_pickles():
    index = rtindex.build([5, 6, 6])
    answers = pickle.loads(pickle.dumps(index.lookup([6, 7], ["count", "rows"], matched=True)))
    assert answers.count.tolist() == [2, 0] and sorted(answers.rows[0]) == [1, 2]
    assert answers.keys() == ["count", "rows", "matched"]
    for result in (index.memory_usage(), index.join([6]), rtindex.indexes()):
        assert str(pickle.loads(pickle.dumps(result))) == str(result)
    assert copy.deepcopy(answers).count.tolist() == [2, 0]
