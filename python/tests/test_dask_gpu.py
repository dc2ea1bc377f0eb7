"""Two workers of Dask that share one GPU. Skipped without one."""

from __future__ import annotations

import numpy as np
import pytest

import rtindex

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402

MISS = rtindex.dask.MISS


def reason_without_gpu():
    try:
        rtindex.build([1], "rx:native@cuda0")
    except rtindex.Error as error:
        return str(error)
    return ""


@pytest.fixture(scope="module")
def gpu_client():
    reason = reason_without_gpu()
    if reason:
        pytest.skip(reason)
    with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=None,
            env={"DASK_RTINDEX__DEVICE": "cuda0"}) as cluster, distributed.Client(cluster) as own:
        yield own


@pytest.mark.parametrize("dtype", ["int64", "float32", "uint8"])
def test_two_workers_share_a_gpu(gpu_client, dtype):
    random = np.random.default_rng(8)
    keys = random.integers(0, 200, 60_000).astype(dtype)
    values = random.integers(-9, 9, keys.size)
    wanted = random.integers(0, 230, 30_000).astype(dtype)
    index = rtindex.dask.build(da.from_array(keys, chunks=16_000), partitions=4,
                               include=da.from_array(values, chunks=16_000))
    local = rtindex.build(keys, "sorted@cpu", include=values)
    assert "@cuda" in index.spec and index.partitions == 4
    assert len({held.meta.worker for held in index._state.held}) == 2
    names = ["first", "count", "sum"]
    expected = local.lookup(wanted, names, miss=0)
    lazy = index.lookup(da.from_array(wanted, chunks=9_000), names, miss=0)
    for found in (index.lookup(wanted, names, miss=0), lazy):
        first = np.asarray(found.first)
        assert np.where(first == MISS, rtindex.MISS, first).tolist() == expected.first.tolist()
        assert np.asarray(found["count"]).tolist() == expected["count"].tolist()
        assert np.asarray(found["sum"]).tolist() == expected["sum"].tolist()
    assert index.range(wanted[:99], wanted[:99] + 3, "count").tolist() == local.range(
        wanted[:99], wanted[:99] + 3, "count").tolist()
    near = index.nearest(wanted[:99], "key", direction="nearest")
    assert near.tolist() == local.nearest(wanted[:99], "key", direction="nearest").tolist()


def test_changes_on_a_gpu(gpu_client):
    keys = np.arange(5_000) % 50
    index = rtindex.dask.build(da.from_array(keys, chunks=1_000), partitions=3)
    assert index.insert(np.full(70, 7)) == 5_000
    index.erase(np.arange(100))
    index.update([4_999], [7])
    assert index.lookup([7, 49], "count").tolist() == [100 - 2 + 70 + 1, 100 - 2 - 1]
