#!/usr/bin/env python3
"""Predicts what an index on a Dask cluster costs, from 10^9 to 10^13 keys on 1 to 1,000 workers.

    python scripts/scale_model.py table [--measured FILE]
    python scripts/scale_model.py simulate [--keys N] [--workers N] [--skew S] [--seed N] ...
    python scripts/scale_model.py check RECORDS [--measured FILE]

table: times, memory and cost by the formulas, and what limits each size.
simulate: the same build and lookups as discrete events, with skewed keys, stragglers and failures.
check: compares the formulas with records of python/bench/cluster.py scaling.

`--measured` names a JSON file with the fields of `Measured`; the defaults are those of docs/scale.md.
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import json
import math
import random
import statistics
from collections.abc import Iterable


@dataclasses.dataclass
class Measured:
    """What one worker does, measured; times in nanoseconds of one thread, or of one GPU."""

    build_ns: float = 20.0
    """To build an index, per key."""
    split_ns: float = 14.0
    """To route a key to its partition while building, and to put the pieces together."""
    lookup_ns: float = 17.0
    """To look up a key in a large batch."""
    route_ns: float = 9.0
    """To route a lookup."""
    merge_ns: float = 8.0
    """To put an answer in its place."""
    bytes_a_key: float = 28.0
    """Index, key and row."""
    row_bytes: float = 16.0
    """A key and its row on their way through the network."""
    lookup_bytes: float = 16.0
    """A lookup and its answer."""
    copy_bytes_s: float = 1.0e9
    """Bytes a second that a worker sends or receives, serialising included."""
    task_s: float = 1.0e-3
    """Of the scheduler and a worker for a task."""
    hop_s: float = 1.0e-3
    """Latency of a message."""
    call_s: float = 2.0e-3
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
    "gpu": Machine("GPU of 80 GB", 1, 80e9, 3.0e9, 4.0, 40.0),
}
SCHEDULER_TASKS_S = 2_000.0
"""Tasks a second that one Dask scheduler starts."""
BLOCK_BYTES = 128 * 2**20
PARTITION_BYTES = 1 << 30


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
    """What takes most of the build, or what does not fit."""


def predict(keys: float, workers: int, lookups: float, machine: Machine,
            measured: Measured) -> Prediction:
    """The formulas of docs/scale.md."""
    index_bytes = keys * measured.bytes_a_key
    partitions = max(workers, math.ceil(index_bytes / PARTITION_BYTES))
    blocks = max(workers, math.ceil(keys * 8 / BLOCK_BYTES))
    moved = 0.0 if workers == 1 else 1 - 1 / workers
    routed = 0.0 if partitions == 1 else 1.0
    speed = workers * machine.threads * machine.speed
    bandwidth = workers * min(machine.network, measured.copy_bytes_s * machine.threads)
    parts = {
        "workers": keys * (measured.build_ns + routed * measured.split_ns) * 1e-9 / speed,
        "network": keys * moved * measured.row_bytes / bandwidth,
        "scheduler": (blocks + partitions + (blocks * partitions if partitions > 1 else 0))
        * max(1 / SCHEDULER_TASKS_S, measured.task_s / (workers * machine.threads)),
    }
    pieces = max(workers, math.ceil(lookups * 8 / BLOCK_BYTES))
    answered = {
        "workers": lookups * (measured.lookup_ns + routed * (measured.route_ns + measured.merge_ns))
        * 1e-9 / speed,
        "network": lookups * moved * measured.lookup_bytes / bandwidth,
        "scheduler": pieces * (1 if partitions == 1 else 2 + 2 * partitions)
        * max(1 / SCHEDULER_TASKS_S, measured.task_s / (workers * machine.threads)),
    }
    memory = 1.5 * index_bytes / (workers * machine.memory)
    limits = max(parts, key=lambda name: parts[name])
    if memory > 1:
        limits = "memory"
    return Prediction(partitions, sum(parts.values()), sum(answered.values()),
                      (measured.call_s + 2 * measured.hop_s) * 1000, memory,
                      workers * machine.price, limits)


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
             failures_an_hour: float = 0.01, seed: int = 1, most_partitions: int = 20_000
             ) -> Simulated:
    """The same work as tasks on workers, one event after the other.

    skew: the exponent of Zipf's law by which lookups choose partitions; keys are spread by sampled
        quantiles, whose error is that of 1,024 samples per block.
    stragglers: the share of workers that are `slow` times slower.
    failures_an_hour: of each worker; its tasks, and the partitions that it holds, are done again.
    """
    chance = random.Random(seed)
    plan = predict(keys, workers, lookups, machine, measured)
    partitions = min(plan.partitions, most_partitions)
    blocks = max(workers, math.ceil(keys * 8 / BLOCK_BYTES))
    samples = 1024 * min(blocks, 4096) / partitions
    weights = [max(chance.gauss(1, 1 / math.sqrt(samples)), 0.05) for _ in range(partitions)]
    total = sum(weights)
    rows = [keys * weight / total for weight in weights]
    speed = [machine.threads * machine.speed / (slow if chance.random() < stragglers else 1)
             for _ in range(workers)]
    moved = 0.0 if workers == 1 else 1 - 1 / workers
    bandwidth = min(machine.network, measured.copy_bytes_s * machine.threads)
    routed = partitions > 1

    def build(size: float, worker: int) -> float:
        nanoseconds = measured.build_ns + (measured.split_ns if routed else 0)
        return size * nanoseconds * 1e-9 / speed[worker] + size * moved * (
            measured.row_bytes / bandwidth)

    each = max(1 / SCHEDULER_TASKS_S, measured.task_s / (workers * machine.threads))
    tasks = blocks + (blocks * plan.partitions if routed else 0) + plan.partitions
    built, lost = _run(rows, build, workers, failures_an_hour, chance)
    harmonic = [1 / (rank + 1) ** skew for rank in range(partitions)]
    chance.shuffle(harmonic)
    asked = [lookups * share / sum(harmonic) for share in harmonic]

    def look_up(size: float, worker: int) -> float:
        nanoseconds = measured.lookup_ns + (
            measured.route_ns + measured.merge_ns if routed else 0)
        return size * nanoseconds * 1e-9 / speed[worker] + size * moved * (
            measured.lookup_bytes / bandwidth)

    answered, more = _run(asked, look_up, workers, failures_an_hour, chance, bound=True)
    pieces = max(workers, math.ceil(lookups * 8 / BLOCK_BYTES))
    return Simulated(built + tasks * each,
                     answered + pieces * (1 if not routed else 2 + 2 * plan.partitions) * each,
                     max(rows) / (keys / partitions), lost + more)


def _run(work: list[float], seconds, workers: int, failures_an_hour: float, chance: random.Random,
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
        found = predict_here(work["keys"], work["workers"], work["lookups"], work["partitions"],
                             machine, measured)
        wanted = found[0 if record["metric"] == "build_ms" else 1] * 1000
        error = wanted / record["median"] - 1
        errors.append(abs(error))
        yield (f"{record['category']}, {work['workers']} workers, {record['metric']}: "
               f"{record['median']:,.0f} measured, {wanted:,.0f} predicted, {error:+.0%}")
    yield f"median error {statistics.median(errors):.0%}, largest {max(errors):.0%}"


def predict_here(keys: float, workers: int, lookups: float, partitions: int, machine: Machine,
                 measured: Measured) -> tuple[float, float]:
    """Build and lookup seconds with this number of partitions."""
    global PARTITION_BYTES, BLOCK_BYTES
    before = PARTITION_BYTES, BLOCK_BYTES
    PARTITION_BYTES = math.ceil(keys * measured.bytes_a_key / partitions)
    BLOCK_BYTES = 8 << 21  # of the benchmark
    try:
        found = predict(keys, workers, lookups, machine, measured)
    finally:
        PARTITION_BYTES, BLOCK_BYTES = before
    return found.build_s, found.lookup_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["table", "simulate", "check"])
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
    if options.what == "table":
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
