"""Arrays on a GPU stay there. Skipped without a GPU, or without CuPy and PyTorch."""

from __future__ import annotations

import copy
import datetime
import pickle

import numpy as np
import pytest

import rtindex
from rtindex._columns import column

GPU = [known for known in rtindex.indexes() if "@cuda" in known.spec]
pytestmark = pytest.mark.skipif(not any(known.available for known in GPU),
                                reason=GPU[0].reason if GPU else "no index runs on a GPU")


def cupy_array(items):
    return pytest.importorskip("cupy", exc_type=ImportError).asarray(np.asarray(items))


def torch_tensor(items):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    return torch.from_numpy(np.array(items)).cuda()


def to_list(array):
    return (array.get() if hasattr(array, "get") else array.cpu().numpy()).tolist()


KINDS = {"cupy": cupy_array, "torch": torch_tensor}


@pytest.fixture(params=KINDS)
def make(request):
    KINDS[request.param]([0])  # skips where the library is missing
    return KINDS[request.param]


def pointer(array):
    return array.data_ptr() if hasattr(array, "data_ptr") else array.data.ptr


def test_columns_are_read_where_they_lie(make):
    keys = make(np.arange(100))
    assert column(keys).on_device and column(keys).address == pointer(keys)


def test_every_answer(make):
    random = np.random.default_rng(5)
    keys, values = random.integers(0, 500, 2000), random.integers(-50, 50, 2000)
    lower = random.integers(-10, 510, 300)
    upper = lower + random.integers(-1, 9, 300)
    host = rtindex.build(keys, "sorted@cpu")
    device = rtindex.build(make(keys))
    assert "@cuda" in device.spec
    names = ["first", "last", "count", "sum", "min", "max", "mean"]
    for found, wanted in (
            (device.lookup(make(lower), names, make(values), matched=True, miss=-1),
             host.lookup(lower, names, values, matched=True, miss=-1)),
            (device.range(make(lower), make(upper), names, make(values), matched=True, miss=-1),
             host.range(lower, upper, names, values, matched=True, miss=-1))):
        for name in [*names, "matched"]:
            assert type(found[name]) is type(make([0]))
            assert to_list(found[name]) == wanted[name].tolist()


def test_filters(make):
    random = np.random.default_rng(6)
    columns = {"price": random.integers(0, 100, 3000), "store": random.integers(0, 20, 3000)}
    lower = random.integers(-10, 110, 300)
    upper = lower + random.integers(-1, 30, 300)
    host = rtindex.build(rtindex.points(**columns), "rx:native@cpu")
    device = rtindex.build(rtindex.points(**{name: make(of) for name, of in columns.items()}),
                           "rx:native@cuda")
    assert (device.filter({"price": (10, 20), "store": 7}, "count") ==
            host.filter({"price": (10, 20), "store": 7}, "count"))
    for store in 7, rtindex.isin([1, 5]), (3, None):
        found = device.filter({"price": (make(lower), make(upper)), "store": store}, "count")
        wanted = host.filter({"price": (lower, upper), "store": store}, "count")
        assert type(found) is type(make([0])) and to_list(found) == wanted.tolist()
    stores = np.array([1, 5])
    assert (to_list(device.filter({"store": rtindex.isin(make(stores))}, "count")) ==
            [host.filter({"store": rtindex.isin(stores)}, "count")])


def test_included_columns_with_nulls():
    index = rtindex.build([7, 8, 7, 9], "rx:native@cuda",
                          include={"price": [1.5, 2.5, 4.0, 0.5], "pieces": [10, None, 30, None]})
    index.insert([8], {"price": [6.0], "pieces": [None]})
    index.set_included([0], [0.5], "price")
    assert index.lookup([7, 8], "mean", values="price").tolist() == [2.25, 4.25]
    assert index.lookup([7, 8], "sum", values="pieces", miss=-1).tolist() == [40, -1]
    assert index.lookup([7, 8], "count").tolist() == [2, 2]


def pinned_by_cupy(size):
    cupyx = pytest.importorskip("cupyx", exc_type=ImportError)
    return cupyx.empty_pinned(size, np.uint32)


def pinned_by_torch(size):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    return torch.empty(size, dtype=torch.int32, pin_memory=True).numpy().view(np.uint32)


@pytest.mark.parametrize("pinned", [pinned_by_cupy, pinned_by_torch])
def test_pinned_arrays(pinned):
    keys, lookups, rows = pinned(100_000), pinned(5_000_000), pinned(5_000_000)
    keys[:] = np.arange(100_000) * 2
    lookups[:] = np.random.default_rng(7).integers(0, 200_100, len(lookups))
    index = rtindex.build(keys, "rx:native@cuda")
    index.lookup(lookups, out=rows)
    wanted = np.where((lookups % 2 == 0) & (lookups < 200_000), lookups // 2, 2**32 - 1)
    assert np.array_equal(rows, wanted)
    assert np.array_equal(index.lookup(np.array(lookups)), wanted)


def test_row_lists(make):
    index = rtindex.build(make(np.array([7, 8, 7])))
    rows = index.lookup(make(np.array([7, 9, 8])), "rows")
    assert type(rows.rows) is type(make([0]))
    assert [sorted(found) for found in rows.to_pylist()] == [[0, 2], [], [1]]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "uint64", "float32", "float64"])
def test_open_ends(make, dtype):
    if dtype == "uint64" and make is torch_tensor:
        pytest.skip("PyTorch has few operations for uint64")
    top = np.inf if dtype.startswith("float") else np.iinfo(dtype).max
    index = rtindex.build(make(np.array([7, 1, top], dtype)))
    ends = make(np.array([7, 9], dtype))
    above = index.range(ends, None, "count")
    assert type(above) is type(ends) and to_list(above) == [2, 1]
    assert to_list(index.range(None, ends, "count")) == [2, 2]
    assert sorted(to_list(index.range(ends, None, "rows")[0])) == [0, 2]
    assert index.range(None, None, "count") == 3


def test_floats_on_integers(make):
    index = rtindex.build(make(np.arange(10)))
    with pytest.raises(rtindex.InvalidArgumentError, match="convert them there"):
        index.lookup(make(np.array([3.0])))
    assert index.lookup(np.array([3.0])).tolist() == [3]


def test_pickles_and_copies(make):
    keys = np.random.default_rng(5).integers(0, 500, 2000)
    index = rtindex.build(make(keys), include=make(keys * 2))
    for again in (pickle.loads(pickle.dumps(index)), copy.copy(index)):
        assert again.spec == index.spec
        assert to_list(again.lookup(make(keys), "sum")) == to_list(index.lookup(make(keys), "sum"))
        again.update(make(np.array([0])), make(np.array([777])))
        assert 777 in again and 777 not in index


def test_misses_of_included_times(make):
    """Answers on a GPU are ticks; what a miss gives may be a time."""
    times = np.array(["2024-02-29T12:00", "2024-03-01T12:00"], "M8[us]")
    index = rtindex.build(np.array([7, 8]), "sorted@cuda", include=times)
    noon = datetime.datetime(2024, 2, 28, 12)
    found = index.lookup(make(np.array([8, 9])), "max", miss=noon)
    assert to_list(found) == np.array([times[1], np.datetime64(noon, "us")]).view(np.int64).tolist()


def test_answers_wait_for_the_callers_stream():
    cupy = pytest.importorskip("cupy", exc_type=ImportError)
    index = rtindex.build(cupy.arange(1 << 20))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        keys = cupy.zeros(1 << 20, "int64")
        for _ in range(200):
            keys += 1  # still under way when the lookup is queued
        found = index.lookup(keys)
        stream.synchronize()
    assert (found == 200).all()


def test_host_lookups_on_a_gpu_index(make):
    index = rtindex.build(make(np.arange(1000)))
    assert index.lookup(np.array([5, 5000])).tolist() == [5, rtindex.MISS]


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "uint32"])
def test_updates(make, dtype):
    random = np.random.default_rng(6)
    keys = random.integers(0, 500, 200)
    index = rtindex.build(make(keys))
    for lowest in (0, -100):  # below the smallest key the column is encoded anew
        rows = random.choice(200, 60, replace=False)
        keys[rows] = random.integers(lowest, 1000, 60)
        index.update(make(rows.astype(dtype)), make(keys[rows]))
        wanted = rtindex.build(keys, "sorted@cpu").lookup(keys, ["first", "count"])
        found = index.lookup(make(keys), ["first", "count"])
        assert to_list(found["first"]) == wanted["first"].tolist()
        assert to_list(found["count"]) == wanted["count"].tolist()


def test_updates_that_are_rejected(make):
    index = rtindex.build(make(np.arange(10, 20)))
    for rows in ([10], [-1], [2**32 + 1]):
        with pytest.raises(rtindex.Error, match="expected rows of a column of 10 rows"):
            index.update(make(np.array(rows)), make(np.array([15])))
    with pytest.raises(rtindex.Error, match="row 3 is named twice"):
        index.update(make(np.array([3, 3])), make(np.array([15, 16])))
    with pytest.raises(rtindex.Error, match="float64"):
        index.update(make(np.array([1.0])), make(np.array([15])))
    with pytest.raises(rtindex.Error, match="move one"):
        index.update([1], make(np.array([15])))
    with pytest.raises(rtindex.Error, match="move one"):
        index.update(make(np.array([1])), [15])
    assert index.lookup(np.arange(10, 20)).tolist() == list(range(10))


def test_a_table_that_changes(make):
    random = np.random.default_rng(7)
    keys, values = random.integers(0, 500, 2000), random.integers(0, 100, 2000)
    index = rtindex.build(make(keys), include=make(values))
    valid = np.ones(keys.size, bool)
    for round_number in range(5):
        new = random.integers(-100, 700, 50)
        assert index.insert(make(new), make(new * 2)) == keys.size
        keys, values = np.append(keys, new), np.append(values, new * 2)
        valid = np.append(valid, np.ones(50, bool))
        rows = random.choice(np.flatnonzero(valid), 60, replace=False)
        keys[rows] = random.integers(0, 700, 60)
        index.update(make(rows), make(keys[rows]))
        values[rows[:20]] = round_number
        index.set_included(make(rows[:20]), make(values[rows[:20]]))
        index.erase(make(rows[40:].astype("uint32")))
        valid[rows[40:]] = False
        gone = valid & np.isin(keys, [round_number, 600])
        assert index.erase_keys(make(np.array([round_number, 600, 5000]))) == gone.sum()
        valid &= ~gone
        assert (len(index), index.valid) == (keys.size, valid.sum())
        lookups = np.arange(-100, 700)
        answers = index.lookup(make(lookups), ["count", "sum"], miss=0)
        wanted = [values[valid & (keys == key)] for key in lookups]
        assert to_list(answers["count"]) == [found.size for found in wanted]
        assert to_list(answers["sum"]) == [int(found.sum()) for found in wanted]
    snapshot = index.snapshot()
    index.merge()
    for state in (index, snapshot):
        assert to_list(state.lookup(make(lookups), "count")) == [found.size for found in wanted]


def test_changes_that_are_rejected(make):
    index = rtindex.build(make(np.arange(10)), include=make(np.arange(10)))
    with pytest.raises(rtindex.Error, match="move one"):
        index.insert(make(np.array([5])), [5])
    with pytest.raises(rtindex.Error, match="move one"):
        index.set_included([5], make(np.array([5])))
    with pytest.raises(rtindex.Error, match="expected rows of a column of 10 rows"):
        index.erase(make(np.array([10])))
    index.erase(make(np.array([3])))
    with pytest.raises(rtindex.Error, match="row 3"):
        index.erase(make(np.array([3])))
    assert (len(index), index.valid) == (10, 9)


def test_updates_wait_for_the_callers_stream():
    cupy = pytest.importorskip("cupy", exc_type=ImportError)
    size = 1 << 20
    index = rtindex.build(cupy.arange(size))
    with cupy.cuda.Stream(non_blocking=True):
        keys = cupy.arange(size)
        for _ in range(200):
            keys += 1  # still under way when the update is called
        index.update(cupy.arange(size, dtype="uint32"), keys)
    assert index.lookup(np.array([199, 200, size + 199])).tolist() == [rtindex.MISS, 0, size - 1]
