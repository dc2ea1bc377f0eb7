#!/usr/bin/env python3
"""Random questions and changes on a Dask cluster whose workers are killed, for as long as you like.

    python python/bench/cluster_soak.py [--minutes 30] [--kill-seconds 60] [--rows 200000] [--seed N]
                                        [--records FILE]

Every answer is compared with a copy of the table in this process. At the end all rows that were
inserted are erased, partitions are merged and saved, and the memory of the workers is compared with
the memory at the start. A wrong answer ends the program with status 1.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time

import dask.array
import distributed
import numpy as np
from harness import Records

import rtindex.dask

MISS = rtindex.dask.MISS


class Table:
    """The truth: keys and values by row; `alive` tells which rows match."""

    def __init__(self, keys: np.ndarray, values: np.ndarray):
        self.keys, self.values = keys.copy(), values.copy()
        self.alive = np.ones(keys.size, bool)

    def sorted(self) -> tuple[np.ndarray, np.ndarray]:
        rows = np.flatnonzero(self.alive)
        order = rows[np.argsort(self.keys[rows], kind="stable")]
        return self.keys[order], order


def check(index: rtindex.dask.Index, table: Table, generator: np.random.Generator) -> int:
    """Asks all kinds of questions; the number of lookups, or an AssertionError."""
    keys, rows = table.sorted()
    wanted = generator.integers(-10, 100_010, 200)
    upper = wanted + generator.integers(0, 50, wanted.size)
    low, high = np.searchsorted(keys, wanted), np.searchsorted(keys, upper, "right")
    found = index.range(wanted, upper, ["count", "sum", "first", "rows"], order="key", miss=0)
    assert found.count.tolist() == (high - low).tolist(), "count"
    runs = [rows[a:b] for a, b in zip(low, high)]
    assert found.sum.tolist() == [int(table.values[run].sum()) for run in runs], "sum"
    assert found.first.tolist() == [int(run.min()) if run.size else MISS for run in runs], "first"
    assert found.rows.to_pylist() == [run.tolist() for run in runs], "rows"
    before = np.searchsorted(keys, wanted, "right") - 1
    expected = np.where(before < 0, MISS, rows[np.maximum(before, 0)].astype(np.uint64))
    assert (index.nearest(wanted) == expected).all(), "nearest"
    lazy = index.lookup(dask.array.from_array(wanted, chunks=70), "count").compute()
    exact = np.searchsorted(keys, wanted, "right") - low
    assert lazy.tolist() == exact.tolist(), "lazy count"
    return 3 * wanted.size


def change(index: rtindex.dask.Index, table: Table, generator: np.random.Generator,
           folder: str) -> str:
    """One random change to both."""
    kind = random.choice(["insert", "insert", "erase", "update", "set_included", "merge", "save"])
    rows = np.flatnonzero(table.alive)
    some = generator.choice(rows, min(50, rows.size), replace=False)
    keys, values = generator.integers(0, 100_000, some.size), generator.integers(0, 9, some.size)
    if kind == "insert":
        assert index.insert(keys, values) == table.keys.size, "insert"
        table.keys = np.append(table.keys, keys)
        table.values = np.append(table.values, values)
        table.alive = np.append(table.alive, np.ones(keys.size, bool))
    elif kind == "erase":
        index.erase(some)
        table.alive[some] = False
    elif kind == "update":
        index.update(some, keys)
        table.keys[some] = keys
    elif kind == "set_included":
        index.set_included(some, values)
        table.values[some] = values
    elif kind == "merge":
        index.merge()
    else:
        index.save(folder)
    return kind


def kill_one(client: distributed.Client) -> None:
    processes = client.run(os.getpid, on_error="ignore")
    if len(processes) > 1:
        os.kill(random.choice([*processes.values()]), signal.SIGKILL)


def memory(client: distributed.Client, index: rtindex.dask.Index) -> tuple[int, int]:
    """Bytes of the index, and of all results on the workers."""
    held = client.run(lambda dask_worker: sum(dask_worker.state.tasks[key].nbytes or 0
                                              for key in dask_worker.data))
    return index.memory_usage().resident, sum(held.values())


def settled(client: distributed.Client, index: rtindex.dask.Index, folder: str) -> tuple[int, int]:
    """Memory after a merge and a save, when nothing is under way."""
    client.wait_for_workers(2)
    index.merge()
    index.save(folder)
    for _ in range(50):  # results that nobody needs go away in a moment
        used = memory(client, index)
        time.sleep(0.2)
        if used == memory(client, index):
            break
    return used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--kill-seconds", type=float, default=60)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    random.seed(options.seed)
    generator = np.random.default_rng(options.seed)
    table = Table(generator.integers(0, 100_000, options.rows),
                  generator.integers(0, 9, options.rows))
    dask.config.set({"distributed.scheduler.allowed-failures": 20})
    counts: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", memory_limit=None,
            silence_logs=50) as cluster, distributed.Client(cluster) as client:
        chunks = max(options.rows // 8, 1)
        index = rtindex.dask.build(dask.array.from_array(table.keys, chunks),
                                   include=dask.array.from_array(table.values, chunks),
                                   partitions=5)
        start = settled(client, index, folder)
        begin = killed = time.monotonic()
        lookups = kills = 0
        while time.monotonic() - begin < options.minutes * 60:
            if time.monotonic() - killed >= options.kill_seconds:
                kill_one(client)
                killed, kills = time.monotonic(), kills + 1
            try:
                lookups += check(index, table, generator)
                kind = change(index, table, generator, folder)
            except AssertionError as error:
                sys.exit(f"wrong answer: {error} after {lookups} lookups, {kills} kills, {counts}")
            counts[kind] = counts.get(kind, 0) + 1
        lookups += check(index, table, generator)
        added = options.rows + np.flatnonzero(table.alive[options.rows:])
        if added.size:
            index.erase(added)
            table.alive[added] = False
        lookups += check(index, table, generator)
        end = settled(client, index, folder)
        print(f"{options.minutes:g} minutes, {lookups:,} lookups, {kills} kills, changes {counts}")
        print(f"memory of the index {start[0]:,} -> {end[0]:,} bytes, of all results on workers "
              f"{start[1]:,} -> {end[1]:,} bytes")
        if end[0] > start[0] * 1.05 or end[1] > start[1] * 1.1:
            sys.exit("memory has grown")
        Records(options.records, "reliability").add(
            "lookups on a Dask cluster whose workers are killed", index.spec, "two workers",
            "count", [lookups], {"minutes": options.minutes, "rows": options.rows, "kills": kills,
                                 "changes": counts, "bytes_before": start, "bytes_after": end})


if __name__ == "__main__":
    main()
