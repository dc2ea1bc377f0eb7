#!/usr/bin/env python3
"""Predicts what an index on a Dask cluster costs, from 10^9 to 10^13 keys on 1 to 1,000 workers.

    python scripts/scale_model.py measure > FILE
    python scripts/scale_model.py table [--measured FILE]
    python scripts/scale_model.py simulate [--keys N] [--workers N] [--skew S] [--seed N] ...
    python scripts/scale_model.py check RECORDS [--measured FILE]

measure: what a worker and a message cost on this machine; needs rtindex[dask].
table: times, memory and cost by the formulas, and what limits each size.
simulate: the same build and lookups as discrete events, with skewed keys, stragglers and failures.
check: compares the formulas with records of python/bench/cluster.py scaling.

`--measured` names a file that `measure` wrote; the defaults are those of docs/scale.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import json
import math
import random
import statistics
from collections.abc import Callable, Iterable
from typing import Any


@dataclasses.dataclass
class Measured:
    """What one worker does, measured; times in nanoseconds of CPU time."""

    build_ns: float = 23.0
    """To build an index, per key."""
    split_ns: float = 8.0
    """To route a key to its partition while building, and to put the pieces together."""
    lookup_ns: float = 25.0
    """To look up a key in a large batch."""
    route_ns: float = 11.0
    """To route a lookup, and to put its answer in its place."""
    bytes_a_key: float = 21.0
    """Index, key and row."""
    row_bytes: float = 12.0
    """A key and its row on their way through the network."""
    lookup_bytes: float = 12.0
    """A lookup and its answer."""
    copy_bytes_s: float = 2.8e9
    """Bytes a second that a worker sends or receives, serialising included."""
    task_s: float = 3.1e-3
    """Of the scheduler and a worker for a task."""
    hop_s: float = 0.5e-3
    """Latency of a message between hosts; an assumption, because `measure` has one host."""
    call_s: float = 1.4e-3
    """A batch of one, from the client."""


@dataclasses.dataclass
class Machine:
    """A worker's host, and what it costs."""

    name: str
    threads: int
    memory: float
    network: float
    """Bytes a second."""
    price: float
    """Of an hour, in dollars; a list price of 2026 for orientation."""
    speed: float
    """Of one thread or of the GPU, relative to what was measured."""


MACHINES = {
    "cpu": Machine("16 cores, 128 GB", 16, 128e9, 1.5e9, 1.0, 1.0),
    # One thread copies 9 GB/s to a GPU and back (docs/gpu.md), 12 bytes a lookup: the GPU waits.
    "gpu": Machine("GPU of 80 GB", 1, 80e9, 3.0e9, 4.0, 10.0),
}
# Tasks a second that one Dask scheduler with a core of its own starts; an assumption.
SCHEDULER_TASKS_S = 2_000.0
# Pairs of a block and a partition from which on rows move by the peer-to-peer shuffle.
MOST_PAIRS = 4096
BLOCK_BYTES = 128 * 2**20
# Entries in a block of python/bench/cluster.py.
BENCH_BLOCK = 1 << 22


@dataclasses.dataclass
class Prediction:
    partitions: int
    build_s: float
    lookup_s: float
    """For a batch in a Dask collection."""
    one_ms: float
    memory_share: float
    """Of the workers' memory."""
    dollars_an_hour: float
    limits: str
    """What takes most of the build and of the lookups, or what does not fit."""
    build_cpu_s: float
    """CPU time of all workers."""
    lookup_cpu_s: float


@dataclasses.dataclass
class Setting:
    """How a column and its lookups are cut."""

    partitions: int
    blocks: int
    lookup_blocks: int


def setting(keys: float, workers: int, lookups: float, machine: Machine,
            measured: Measured) -> Setting:
    """Partitions of at most an eighth of a worker's memory, so that there are few of them."""
    partitions = max(workers, math.ceil(8 * keys * measured.bytes_a_key / machine.memory))
    return Setting(partitions, max(workers, math.ceil(keys * 8 / BLOCK_BYTES)),
                   max(workers, math.ceil(lookups * 8 / BLOCK_BYTES)))


def build_tasks(cut: Setting) -> int:
    pairs = cut.blocks * cut.partitions
    if cut.partitions == 1:
        return cut.blocks + 1
    return cut.blocks + cut.partitions + (pairs if pairs <= MOST_PAIRS else
                                          2 * cut.blocks + 2 * cut.partitions)


def lookup_tasks(cut: Setting) -> int:
    return cut.lookup_blocks * (1 if cut.partitions == 1 else 3 + 2 * cut.partitions)


def predict(keys: float, workers: int, lookups: float, machine: Machine, measured: Measured,
            cut: Setting | None = None, cores: float = math.inf) -> Prediction:
    """The formulas of docs/scale.md; `cores`: of all workers, where they share a machine."""
    cut = cut or setting(keys, workers, lookups, machine, measured)
    moved = 0.0 if workers == 1 else 1 - 1 / workers
    routed = 0.0 if cut.partitions == 1 else 1.0
    speed = min(workers * machine.threads, cores) * machine.speed
    bandwidth = min(workers, cores) * min(machine.network, measured.copy_bytes_s * machine.threads)
    each = task_seconds(min(workers, cores), machine, measured)
    build = {
        "workers": keys * (measured.build_ns + routed * measured.split_ns) * 1e-9 / speed,
        "network": keys * moved * measured.row_bytes / bandwidth,
        "scheduler": build_tasks(cut) * each,
    }
    answer = {
        "workers": lookups * (measured.lookup_ns + routed * measured.route_ns)
        * 1e-9 / speed,
        "network": lookups * moved * measured.lookup_bytes / bandwidth,
        "scheduler": lookup_tasks(cut) * each,
    }
    memory = 1.5 * keys * measured.bytes_a_key / (workers * machine.memory)
    limits = ", ".join(max(parts, key=lambda name: parts[name]) for parts in (build, answer))
    return Prediction(cut.partitions, sum(build.values()), sum(answer.values()),
                      (measured.call_s + 2 * measured.hop_s) * 1000, memory,
                      workers * machine.price, limits if memory <= 1 else "memory",
                      *(parts["workers"] * speed + parts["network"] * bandwidth
                        / measured.copy_bytes_s for parts in (build, answer)))


def task_seconds(workers: float, machine: Machine, measured: Measured) -> float:
    """Between the starts of two tasks, by the scheduler or by the workers."""
    return max(1 / SCHEDULER_TASKS_S, measured.task_s / (workers * machine.threads))


@dataclasses.dataclass
class Simulated:
    build_s: float
    lookup_s: float
    largest: float
    """Rows of the largest partition, relative to the mean."""
    lost: int
    """Workers that failed."""


def simulate(keys: float, workers: int, lookups: float, machine: Machine, measured: Measured,
             skew: float = 0.0, stragglers: float = 0.02, slow: float = 4.0,
             failures_an_hour: float = 0.01, seed: int = 1) -> Simulated:
    """The same work as tasks on workers, one event after the other.

    skew: the exponent of Zipf's law by which lookups choose partitions; keys are spread by sampled
        quantiles, whose error is that of 1,024 samples per block.
    stragglers: the share of workers that are `slow` times slower.
    failures_an_hour: of each worker; its tasks, and the partitions that it holds, are done again.
    """
    chance = random.Random(seed)
    cut = setting(keys, workers, lookups, machine, measured)
    samples = 1024 * min(cut.blocks, 4096) / cut.partitions
    weights = [max(chance.gauss(1, 1 / math.sqrt(samples)), 0.05) for _ in range(cut.partitions)]
    rows = [keys * weight / sum(weights) for weight in weights]
    speed = [machine.threads * machine.speed / (slow if chance.random() < stragglers else 1)
             for _ in range(workers)]
    moved = 0.0 if workers == 1 else 1 - 1 / workers
    bandwidth = min(machine.network, measured.copy_bytes_s * machine.threads)
    routed = cut.partitions > 1

    def seconds(nanoseconds: float, moved_bytes: float) -> Callable[[float, int], float]:
        return lambda size, worker: size * (nanoseconds * 1e-9 / speed[worker]
                                            + moved * moved_bytes / bandwidth)

    each = task_seconds(workers, machine, measured)
    built, lost = _run(rows, seconds(measured.build_ns + routed * measured.split_ns,
                                     measured.row_bytes), workers, failures_an_hour, chance)
    shares = [1 / (rank + 1) ** skew for rank in range(cut.partitions)]
    chance.shuffle(shares)
    asked = [lookups * share / sum(shares) for share in shares]
    answered, more = _run(asked, seconds(
        measured.lookup_ns + routed * measured.route_ns,
        measured.lookup_bytes), workers, failures_an_hour, chance, bound=True)
    return Simulated(built + build_tasks(cut) * each, answered + lookup_tasks(cut) * each,
                     max(rows) / (keys / cut.partitions), lost + more)


def _run(work: list[float], seconds: Callable[[float, int], float], workers: int,
         failures_an_hour: float, chance: random.Random,
         bound: bool = False) -> tuple[float, int]:
    """When all work is done, and how many workers failed. `bound`: a piece of work belongs to the
    worker that holds its partition; otherwise the next free worker takes it."""
    free = [(0.0, worker) for worker in range(workers)]
    heapq.heapify(free)
    ends = [0.0] * workers
    lost = 0
    queue = list(enumerate(work))[::-1]
    while queue:
        number, size = queue.pop()
        if bound:
            worker = number % workers
            start = ends[worker]
        else:
            start, worker = heapq.heappop(free)
        took = seconds(size, worker)
        if chance.random() < took / 3600 * failures_an_hour:  # done again, with what it held
            lost += 1
            took *= 1 + chance.random()
        ends[worker] = start + took
        if not bound:
            heapq.heappush(free, (ends[worker], worker))
    return max(ends), lost


def table(measured: Measured, lookups_share: float = 0.1) -> Iterable[str]:
    """Lines of Markdown."""
    yield ("| keys | workers | machine | partitions | build | 10% lookups | memory | $ an hour "
           "| limited by | simulated build, lookups |")
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for exponent in range(9, 14):
        keys = 10.0**exponent
        for workers in (1, 10, 100, 1000):
            for name, machine in MACHINES.items():
                found = predict(keys, workers, keys * lookups_share, machine, measured)
                if found.memory_share > 1:
                    simulated = "does not fit"
                else:
                    ran = simulate(keys, workers, keys * lookups_share, machine, measured, 0.5)
                    simulated = f"{_time(ran.build_s)}, {_time(ran.lookup_s)}"
                yield (f"| 10^{exponent} | {workers:,} | {name} | {found.partitions:,} "
                       f"| {_time(found.build_s)} | {_time(found.lookup_s)} "
                       f"| {found.memory_share:.0%} | {found.dollars_an_hour:,.0f} "
                       f"| {found.limits} | {simulated} |")


def _time(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= 2 * size or unit == "s":
            return f"{seconds / size:,.1f} {unit}" if seconds / size < 10 else (
                f"{seconds / size:,.0f} {unit}")
    return ""


def check(path: str, measured: Measured) -> Iterable[str]:
    """Predictions beside records of the benchmark, whose workers have one thread each."""
    machine = Machine("here", 1, math.inf, measured.copy_bytes_s, 0, 1.0)
    errors = []
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    for record in records:
        work = record["workload"]
        if record["experiment"] != "dask-scaling" or record["category"] == "a copy on each worker":
            continue
        cut = Setting(work["partitions"], *(math.ceil(work[name] / BENCH_BLOCK)
                                            for name in ("keys", "lookups")))
        found = predict(work["keys"], work["workers"], work["lookups"], machine, measured, cut,
                        record["machine"]["cores"])
        wanted = 1000 * getattr(found, f"{record['metric'].removesuffix('_ms')}_s")
        error = wanted / record["median"] - 1
        errors.append(abs(error))
        yield (f"{record['category']}, {work['workers']} workers, {record['metric']}: "
               f"{record['median']:,.0f} measured, {wanted:,.0f} predicted, {error:+.0%}")
    yield f"median error {statistics.median(errors):.0%}, largest {max(errors):.0%}"


def measure(count: int = 1 << 24) -> Measured:
    """CPU time of a worker with one thread, and times of messages between two."""
    import time

    import dask.array
    import distributed
    import numpy as np
    import rtindex.dask

    chance = np.random.default_rng(1)
    keys = chance.permutation(np.arange(count) * 64 + chance.integers(0, 64, count))
    wanted = keys[chance.integers(0, count, count)]

    def cluster(workers: int) -> Any:
        return distributed.LocalCluster(n_workers=workers, threads_per_worker=1,
                                        memory_limit=None, dashboard_address=":0")

    def used(client: Any, work: Callable[[], object]) -> float:
        """Nanoseconds of the workers for each key."""
        times = []
        for _ in range(4):
            before = sum(client.run(time.process_time).values())
            held = work()
            distributed.wait(held)
            times.append(sum(client.run(time.process_time).values()) - before)
            del held
        return 1e9 * min(times) / count

    def clocked(work: Callable[[], object]) -> float:
        times = []
        for _ in range(7):
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
        return min(times)

    found = Measured()
    with cluster(1) as own, distributed.Client(own) as client:
        column, lookups = (client.persist(dask.array.from_array(array, BENCH_BLOCK))
                           for array in (keys, wanted))
        distributed.wait([column, lookups])
        costs = {}
        for partitions in (1, 4):
            built = []

            def build(partitions: int = partitions, built: list[Any] = built) -> list[Any]:
                built[:] = [rtindex.dask.build(column, partitions=partitions).persist()]
                return []

            costs[partitions] = used(client, build), used(
                client, lambda built=built: client.persist(built[0].lookup(lookups)))
        found.bytes_a_key = built[0].memory_usage().resident / count
    (found.build_ns, found.lookup_ns), more = costs[1], costs[4]
    found.split_ns = max(more[0] - found.build_ns, 0.0)
    found.route_ns = max(more[1] - found.lookup_ns, 0.0)
    with cluster(2) as own, distributed.Client(own) as client:
        index = rtindex.dask.build(dask.array.from_array(keys[:100_000], 25_000)).persist()
        one = keys[:1]
        index.lookup(one)
        found.call_s = clocked(lambda: index.lookup(one))
        first, second = sorted(client.nthreads())
        start = clocked(lambda: distributed.wait(
            client.submit(len, [], workers=[second], pure=False)))
        sent = []
        for _ in range(3):
            data = client.submit(np.zeros, 1 << 24, workers=[first], pure=False)
            distributed.wait(data)
            begin = time.perf_counter()
            distributed.wait(client.submit(len, data, workers=[second], pure=False))
            sent.append(time.perf_counter() - begin - start)
        found.copy_bytes_s = (8 << 24) / statistics.median(sent)
        many = 2000
        found.task_s = 2 * clocked(lambda: distributed.wait(
            client.map(abs, range(many), pure=False))) / many
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["measure", "table", "simulate", "check"])
    parser.add_argument("records", nargs="?")
    parser.add_argument("--measured", metavar="FILE")
    parser.add_argument("--keys", type=float, default=1e11)
    parser.add_argument("--lookups", type=float, default=1e9)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--machine", choices=MACHINES, default="cpu")
    parser.add_argument("--skew", type=float, default=0.5)
    parser.add_argument("--stragglers", type=float, default=0.02)
    parser.add_argument("--failures-an-hour", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    measured = Measured()
    if options.measured:
        with open(options.measured, encoding="utf-8") as file:
            measured = Measured(**json.load(file))
    if options.what == "measure":
        print(json.dumps(dataclasses.asdict(measure()), indent=2))
    elif options.what == "table":
        print("\n".join(table(measured)))
    elif options.what == "check":
        if not options.records:
            parser.error("check takes a file of records")
        print("\n".join(check(options.records, measured)))
    else:
        machine = MACHINES[options.machine]
        print(predict(options.keys, options.workers, options.lookups, machine, measured))
        print(simulate(options.keys, options.workers, options.lookups, machine, measured,
                       options.skew, options.stragglers, 4.0, options.failures_an_hour,
                       options.seed))


if __name__ == "__main__":
    main()
