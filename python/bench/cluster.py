"""What does an index on a Dask cluster cost beyond one in memory, and how does it scale?

    python python/bench/cluster.py overhead [--rows N] [--lookups N] [--rounds N] [--records FILE]
    python python/bench/cluster.py scaling [--workers 1 2 4] ...
    python python/bench/cluster.py messages ...
    python python/bench/cluster.py peers ...
    python python/bench/cluster.py all [--peer-rows N] [--records FILE]

overhead: one worker with all cores against `rtindex.build` in this process, for one lookup and for
    a Dask array of lookups that is on the worker, in Dask's default chunks, and whose answers stay
    there.
scaling: builds and lookups with several workers of one thread each, over a column and lookups that
    are in the memory of the workers.
messages: a block from one worker to another, and a task without work.
peers: the same lookups by Dask's merge and loc on the same cluster, whose workers may use most of
    the memory.
all: every figure, each question in a process of its own: scaling with 1, 2 and 4 workers, peers
    with 10^6 and 10^7 lookups in 10^8 rows, or in as many as fit at 400 bytes a row.

The goals: at most 15 ms more for one lookup and 15 % more for 2^24; two workers at least 1.6 times
one; at least 10 times the speed of merge and loc; with the build counted, faster from the second
batch on.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import dask.array
import dask.dataframe
import distributed
import numpy as np
from harness import Contestant, Records, milliseconds, race

import rtindex
import rtindex.dask

PACKAGES = ["dask", "distributed", "numpy", "pandas", "pyarrow"]
BLOCK = 1 << 22
DASK_BLOCK = 1 << 24
"""Of 64-bit numbers in Dask's default chunks, 128 MiB."""


class Workload:
    """Random keys without duplicates, and lookups of which all match."""

    def __init__(self, rows: int, lookups: int):
        random = np.random.default_rng(2026)
        self.keys = random.permutation(np.arange(rows) * 64 + random.integers(0, 64, rows))
        self.wanted = random.integers(0, rows, lookups)
        self.lookups = self.keys[self.wanted]

    def facts(self, **more: Any) -> dict[str, Any]:
        return {"keys": self.keys.size, "key_type": "int64", "lookups": self.lookups.size,
                "packages": {name: importlib.metadata.version(name) for name in PACKAGES}, **more}


def free_bytes() -> int:
    """Memory that new processes can have."""
    with open("/proc/meminfo", encoding="ascii") as file:
        facts = dict(line.split(":", 1) for line in file)
    return int(facts["MemAvailable"].split()[0]) * 1024


@contextmanager
def cluster(workers: int, threads: int, memory: int | None = None) -> Iterator[distributed.Client]:
    """memory: bytes that a worker may use; at 95 % Dask restarts it."""
    with distributed.LocalCluster(
            n_workers=workers, threads_per_worker=threads, memory_limit=memory,
            dashboard_address=":0") as own, distributed.Client(own) as client:
        yield client


def spread(client: distributed.Client, array: np.ndarray, block: int = BLOCK) -> Any:
    """The array in the memory of the workers, as many blocks on each."""
    pieces = [array[start:start + block] for start in range(0, array.size, block)]
    workers = sorted(client.nthreads())
    futures = [client.scatter(piece, workers=[workers[i % len(workers)]], hash=False)
               for i, piece in enumerate(pieces)]
    return kept(client, dask.array.concatenate([
        dask.array.from_delayed(dask.delayed(future), piece.shape, piece.dtype)
        for future, piece in zip(futures, pieces)])), futures


def kept(client: distributed.Client, collection: Any) -> Any:
    """Computes a collection, whose result stays on the workers."""
    held = client.persist(collection)
    distributed.wait(held)
    return held


def settle(client: distributed.Client) -> None:
    """Waits until the workers are idle: Dask's merge frees its memory and files afterwards."""
    used = -1.0
    while (now := sum(client.run(time.process_time).values())) - used > 0.02:
        used = now
        time.sleep(0.2)


def timed(client: distributed.Client, taken: dict[str, list[float]], name: str, work: Any) -> Any:
    """Runs the work, and adds its milliseconds and those of the workers' CPUs."""
    def used() -> float:
        return 1000 * sum(client.run(time.process_time).values())

    before = used()
    took, result = milliseconds(work)
    taken.setdefault(f"{name}_cpu_ms", []).append(used() - before)
    taken.setdefault(f"{name}_ms", []).append(took)
    return result


def report(name: str, base: list[float], other: list[float]) -> None:
    mine, theirs = statistics.median(base), statistics.median(other)
    print(f"{name}: {mine:,.2f} ms and {theirs:,.2f} ms: {theirs - mine:+,.2f} ms, "
          f"{theirs / mine:.2f} times", flush=True)


def overhead(work: Workload, options: argparse.Namespace, records: Records) -> None:
    local = rtindex.build(work.keys)
    with cluster(1, os.cpu_count() or 1) as client:
        column, _held = spread(client, work.keys, DASK_BLOCK)
        index = rtindex.dask.build(column).persist()
        lookups, _more = spread(client, work.lookups, DASK_BLOCK)
        one = work.lookups[:1]
        for category, contestants in {
            "a batch of one": [
                Contestant("in memory", lambda: local.lookup(one),
                           lambda found: found[0] == work.wanted[0], 1, local.spec),
                Contestant("on Dask", lambda: index.lookup(one),
                           lambda found: found[0] == work.wanted[0], 1, index.spec)],
            f"{work.lookups.size:,} lookups": [
                Contestant("in memory", lambda: local.lookup(work.lookups),
                           lambda found: (found == work.wanted).all(), work.lookups.size,
                           local.spec),
                Contestant("on Dask", lambda: kept(client, index.lookup(lookups)),
                           lambda found: (found.compute() == work.wanted).all(),
                           work.lookups.size, index.spec)],
        }.items():
            times = race(contestants, options.rounds)
            for contestant in contestants:
                records.add(contestant.name, contestant.spec, category, "call_ms",
                            times[contestant.name], work.facts(workers=1))
            report(category, times["in memory"], times["on Dask"])


def scaling(work: Workload, options: argparse.Namespace, records: Records) -> None:
    medians: dict[tuple[str, int], float] = {}
    for count in options.workers:
        with cluster(count, 1) as client:
            column, _held = spread(client, work.keys)
            lookups, _more = spread(client, work.lookups)
            settings = {"default": {}, "4 partitions": {"partitions": 4},
                        "a copy on each worker": {"partitions": 1, "replicate": count}}
            for name, arguments in settings.items():
                taken: dict[str, list[float]] = {}
                index = None
                for _ in range(options.rounds):
                    index = None
                    index = timed(client, taken, "build",
                                  lambda arguments=arguments, column=column: rtindex.dask.build(
                                      column, **arguments).persist())
                found = kept(client, index.lookup(lookups))
                if not (found.compute() == work.wanted).all():
                    raise SystemExit(f"{name} gave a wrong answer; nothing is reported")
                for _ in range(options.rounds):
                    found = None
                    found = timed(client, taken, "lookup", lambda index=index, lookups=lookups:
                                  kept(client, index.lookup(lookups)))
                facts = work.facts(workers=count, partitions=index.partitions,
                                   bytes=index.memory_usage().resident)
                for metric, runs in taken.items():
                    records.add(f"rtindex.dask, {name}", index.spec, name, metric, runs, facts)
                    median = medians[f"{name}, {metric}", count] = statistics.median(runs)
                    base = medians[f"{name}, {metric}", options.workers[0]]
                    print(f"{count} workers, {name}, {metric}: {median:,.0f} ms, "
                          f"{base / median:.2f} times {options.workers[0]} worker", flush=True)


def messages(_work: Workload, options: argparse.Namespace, records: Records) -> None:
    with cluster(2, 1) as client:
        first, second = sorted(client.nthreads())

        def run_there(function: Any, argument: Any) -> None:
            distributed.wait(client.submit(function, argument, workers=[second], pure=False))

        times: dict[str, list[float]] = {"a block to another worker": [], "a task": []}
        count = 2000
        for _ in range(options.rounds):
            block = client.submit(np.ones, DASK_BLOCK, workers=[first], pure=False)
            distributed.wait(block)
            alone = milliseconds(lambda: run_there(len, []))[0]
            moved = milliseconds(lambda block=block: run_there(len, block))[0]
            times["a block to another worker"].append(moved - alone)
        for _ in range(options.rounds):
            many = milliseconds(lambda: distributed.wait(
                client.map(abs, range(count), pure=False)))[0]
            times["a task"].append(many * 2 / count)  # of one worker: both work on them
        for (category, runs), metric in zip(times.items(), ("copy_ms", "task_ms")):
            records.add("Dask", "Dask", category, metric, runs,
                        {"bytes": 8 * DASK_BLOCK, "tasks": count, "workers": 2})
            print(f"{category}: {statistics.median(runs):,.2f} ms", flush=True)


def peers(work: Workload, options: argparse.Namespace, records: Records) -> None:
    count = options.workers[-1]
    with cluster(count, 1, free_bytes() * 4 // (5 * count)) as client:
        column, _held = spread(client, work.keys)
        lookups, _more = spread(client, work.lookups)
        row = dask.array.arange(work.keys.size, chunks=column.chunks)
        table = kept(client, dask.dataframe.from_dask_array(
            dask.array.stack([column, row], axis=1), columns=["key", "row"]))
        asked = kept(client, dask.dataframe.from_dask_array(
            lookups.reshape(-1, 1), columns=["key"]))
        build_ms, index = milliseconds(lambda: rtindex.dask.build(column).persist())
        sort_ms, ordered = milliseconds(lambda: kept(client, table.set_index("key")))
        total = int(work.wanted.sum())

        def checked(found: Any) -> bool:
            return int(found.row.sum().compute()) == total

        contestants = [
            Contestant("rtindex.dask", lambda: kept(client, index.lookup(lookups)),
                       lambda found: (found.compute() == work.wanted).all(), work.lookups.size,
                       index.spec),
            Contestant("Dask merge", lambda: kept(client, asked.merge(table, on="key")), checked,
                       work.lookups.size)]
        if work.lookups.size <= options.loc:
            contestants.append(Contestant(
                "Dask loc", lambda: kept(client, ordered.loc[work.lookups.tolist()]), checked,
                work.lookups.size))
        times = race(contestants, options.rounds, lambda: settle(client))
        category = f"{work.lookups.size:,} lookups, {count} workers"
        for name, built in (("rtindex.dask", build_ms), ("Dask loc", sort_ms)):
            records.add(name, index.spec if name == "rtindex.dask" else name, category, "build_ms",
                        [built], work.facts(workers=count))
        print(f"build {build_ms:,.0f} ms, set_index {sort_ms:,.0f} ms")
        for contestant in contestants:
            records.add(contestant.name, contestant.spec, category, "call_ms",
                        times[contestant.name], work.facts(workers=count))
            report(f"rtindex.dask and {contestant.name}", times["rtindex.dask"],
                   times[contestant.name])
        twice = {name: 2 * statistics.median(times[name]) + built for name, built in (
            ("rtindex.dask", build_ms), ("Dask merge", 0.0), ("Dask loc", sort_ms))
            if name in times}
        for name, total_ms in twice.items():
            records.add(name, index.spec if name == "rtindex.dask" else name, category,
                        "build_and_two_batches_ms", [total_ms], work.facts(workers=count))
            print(f"build and two batches, {name}: {total_ms:,.0f} ms")


def all_questions(options: argparse.Namespace) -> None:
    rows = options.peer_rows or min(10**8, free_bytes() // 400)
    records = ["--records", options.records] if options.records else []
    rounds = ["--rounds", str(options.rounds)]
    for arguments in (
            ["overhead"], ["scaling", "--workers", "1", "2", "4"], ["messages"],
            ["peers", "--rows", str(rows), "--lookups", str(10**6), "--workers", "2"],
            ["peers", "--rows", str(rows), "--lookups", str(10**7), "--workers", "2"]):
        print(*arguments, flush=True)
        subprocess.run([sys.executable, __file__, *arguments, *rounds, *records], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", choices=["overhead", "scaling", "messages", "peers", "all"])
    parser.add_argument("--rows", type=int, default=1 << 24)
    parser.add_argument("--lookups", type=int, default=1 << 24)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--loc", type=int, default=1 << 20, help="the most lookups that loc gets")
    parser.add_argument("--peer-rows", type=int, help="rows of `peers` in `all`")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    if options.question == "all":
        all_questions(options)
        return
    work = Workload(options.rows, options.lookups)
    records = Records(options.records, f"dask-{options.question}")
    {"overhead": overhead, "scaling": scaling, "messages": messages, "peers": peers}[options.question](
        work, options, records)


if __name__ == "__main__":
    main()
