"""Nothing is copied on the way in, and answers are written where the caller sees them."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
import weakref

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rtindex
from rtindex._columns import column

SIZE = 1 << 20


def address(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float32",
                                   "float64"])
def test_numpy_is_read_where_it_lies(dtype):
    keys = np.ones(100, dtype)
    assert column(keys).address == address(keys)
    part = keys[10:90]
    assert column(part).address == address(part) == address(keys) + 10 * keys.itemsize
    keys.flags.writeable = False
    assert column(keys).address == address(keys)


def test_other_kinds_are_read_where_they_lie():
    keys = np.arange(1000)
    assert column(pa.array(keys)).address == address(keys)
    assert column(pa.array(keys)[7:]).address == address(keys) + 7 * 8
    for series in (pd.Series(keys), pl.Series(keys)):
        assert column(series).address == address(series.to_numpy())
    assert column(memoryview(keys)).address == address(keys)
    times = keys.view("M8[us]")
    assert column(times).address == address(keys)
    chunks = column(pa.chunked_array([pa.array(keys[:500]), pa.array(keys[500:])]))
    assert chunks.chunks == 2 and chunks.address == address(keys)


def test_dlpack_is_read_where_it_lies():
    torch = pytest.importorskip("torch", exc_type=ImportError)
    keys = torch.arange(1000)
    assert column(keys).address == keys.data_ptr()


def test_what_is_not_contiguous_is_copied():
    keys = np.arange(1000)
    assert column(keys[::2]).address != address(keys)


def test_a_column_keeps_its_memory():
    class Memory(bytearray):
        """A plain bytearray cannot be watched."""

    memory = Memory(8000)
    watched = weakref.ref(memory)
    view = column(np.frombuffer(memory, np.int64))
    del memory
    assert len(view) == 1000 and watched() is not None
    del view
    assert watched() is None


def test_references_are_given_back():
    keys, values = np.arange(1000), np.arange(1000.0)
    index = rtindex.build(keys, include=values)
    before = sys.getrefcount(keys), sys.getrefcount(values)
    for _ in range(10):
        index.lookup(keys, ["sum", "rows"], values)
        index.join(pa.array(keys), "left")
        rtindex.build(keys, include=values)
    assert (sys.getrefcount(keys), sys.getrefcount(values)) == before


def test_a_batch_allocates_its_answers_and_nothing_else():
    keys = np.arange(SIZE)
    index = rtindex.build(keys)
    index.lookup(keys)
    tracemalloc.start()
    found = index.lookup(keys)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.nbytes <= peak < found.nbytes + 65_536

    tracemalloc.start()
    index.lookup(keys, out=found)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 65_536


GROWTH = """
import numpy as np, rtindex

def peak():
    with open("/proc/self/status", encoding="ascii") as file:
        return int(next(line for line in file if line.startswith("VmHWM:")).split()[1]) * 1024

keys, found = np.arange(1 << 23), np.ones(1 << 23, np.uint32)
index = rtindex.build(np.arange(1000), "sorted,order=off")
index.lookup(keys[:1000])
before = peak()
index.lookup(keys, out=found)
print((peak() - before) / keys.nbytes)
"""


def test_large_batches_do_not_grow_the_process():
    """A copy made in C++ escapes tracemalloc, but not the system's count of resident pages."""
    run = subprocess.run([sys.executable, "-c", GROWTH], check=True, capture_output=True, text=True)
    assert float(run.stdout) < 0.1


def test_row_lists_outlive_everything():
    rows = rtindex.build(np.zeros(1000, int)).lookup([0], "rows")
    offsets, found = rows.offsets, rows.rows
    arrow = rows.to_arrow()
    del rows
    assert offsets.tolist() == [0, 1000] and sorted(found) == list(range(1000))
    del offsets, found
    assert sorted(arrow[0].as_py()) == list(range(1000))
