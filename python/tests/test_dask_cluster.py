"""Workers that die, schedulers that restart and networks that fail."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time

import numpy as np
import pytest

import rtindex

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

import rtindex.dask  # noqa: E402

KEYS = np.random.default_rng(7).integers(0, 500, 4000)
WANTED = np.arange(-5, 505)
COUNTS = np.array([(KEYS == key).sum() for key in WANTED])


@pytest.fixture
def own():
    """A cluster of this test alone, whose workers are replaced when they die."""
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                       memory_limit=None)
    with distributed.Client(cluster) as it:
        yield it
        processes(it)
    # A worker that is just being replaced cannot be closed.
    with contextlib.suppress(AssertionError):
        cluster.close()


def build(**options):
    return rtindex.dask.build(da.from_array(KEYS, chunks=1000), **{"partitions": 4, **options})


def processes(client):
    """Those of two workers that are alive: the scheduler takes a moment to notice a dead one."""
    for _ in range(120):
        client.wait_for_workers(2)
        found = client.run(os.getpid, on_error="ignore")
        if len(found) == 2:
            return found
        time.sleep(0.5)
    raise AssertionError("the cluster has not replaced its workers")


def kill(client, number=0):
    """Ends one of two workers, as the system does when memory runs out."""
    found = processes(client)
    os.kill(found[sorted(found)[number]], signal.SIGKILL)


def check(index):
    assert index.lookup(WANTED, "count").tolist() == COUNTS.tolist()
    assert index.lookup(WANTED[40:41], "count").tolist() == COUNTS[40:41].tolist()


def test_before_and_after_it_answers(own):
    index = build().persist()
    kill(own)
    check(index)  # its partitions are computed again, from the source
    kill(own, 1)
    check(index)
    index.erase(np.flatnonzero(KEYS == 40))
    index.insert(np.full(3, 41))
    kill(own)
    found = index.lookup([40, 41, 42], "count").tolist()  # changes are made again, too
    assert found == [0, COUNTS[46] + 3, COUNTS[47]]


def test_after_a_shuffle_between_peers(own):
    values = da.from_array(np.arange(KEYS.size), chunks=1000)
    with dask.config.set({"rtindex.shuffle-pairs": 0}):
        index = build(include=values).persist()
    sums = [int(np.flatnonzero(KEYS == key).sum()) for key in WANTED]
    assert index.lookup(WANTED, "sum", miss=0).tolist() == sums
    kill(own)
    assert index.lookup(WANTED, "sum", miss=0).tolist() == sums
    with dask.config.set({"rtindex.shuffle-pairs": 0}):
        assert index.insert(da.from_array(np.full(7, 40), chunks=3),
                            da.from_array(np.ones(7, int), chunks=3)) == KEYS.size
    assert index.lookup(40, "sum") == sums[45] + 7


def test_while_it_answers(own):
    index = build().persist()
    lookups = da.from_array(np.tile(WANTED, 40), chunks=1020)
    counts = index.lookup(lookups, "count")
    future = own.compute(counts)
    while not any(own.processing().values()) and not future.done():
        time.sleep(0.001)
    kill(own)
    assert future.result().tolist() == np.tile(COUNTS, 40).tolist()
    killer = threading.Thread(target=kill, args=(own,))
    killer.start()
    for _ in range(10):
        check(index)
    killer.join()
    check(index)


def test_copies_outlive_a_worker(own):
    index = build(replicate=2).persist()
    assert "2 copies" in index.describe()
    assert index.memory_usage().resident > build().persist().memory_usage().resident
    kill(own)
    check(index)
    lazy = index.lookup(da.from_array(WANTED, chunks=100), "count")
    assert lazy.compute().tolist() == COUNTS.tolist()


def test_lost_workers_read_saved_partitions(own, tmp_path):
    kept = own.scatter(KEYS, direct=False)  # the source goes away with the workers
    source = da.from_delayed(dask.delayed(kept), KEYS.shape, KEYS.dtype)
    index = rtindex.dask.build(source, partitions=3)
    index.insert([7, 7])
    index.save(tmp_path)
    del source, kept
    for number in (0, 1):
        kill(own, number)
        assert index.lookup(7, "count") == COUNTS[12] + 2


def test_a_new_scheduler_opens_a_saved_index(tmp_path):
    for _ in range(2):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0",
                                      memory_limit=None) as cluster:
            with distributed.Client(cluster):
                if not (tmp_path / "rtindex.json").exists():
                    build().save(tmp_path)
                    continue
                index = rtindex.dask.load(tmp_path, replicate=2)
                check(index)


def test_no_client(tmp_path, monkeypatch):
    def none():
        raise ValueError("No clients found")

    monkeypatch.setattr(distributed, "default_client", none)
    with pytest.raises(rtindex.UnavailableError, match="no Dask client"):
        rtindex.dask.load(tmp_path)


def test_cancelled_calls_leave_nothing_behind(own):
    def tasks():
        return {key for keys in own.has_what().values() for key in keys
                if "rtindex" in str(key)}

    with pytest.raises(rtindex.Error):
        build(index="unknown").persist()
    deadline = time.monotonic() + 20
    while tasks() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not tasks()
    index = build().persist()
    held = len(tasks())
    for _ in range(3):
        check(index)
    index.insert([1])
    index.close()
    del index
    while tasks() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert held >= 4 and not tasks()
