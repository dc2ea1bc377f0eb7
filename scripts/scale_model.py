#!/usr/bin/env python3
"""Predicts what an index on a Dask cluster costs, from 10^9 to 10^13 keys on 1 to 1,000 workers.

    python scripts/scale_model.py table [--records FILE]
    python scripts/scale_model.py simulate [--keys N] [--workers N] [--skew S] [--seed N] ...
    python scripts/scale_model.py check

table: times, memory and cost by the formulas, and what limits each size.
simulate: the same build and lookups as discrete events, with skewed keys, stragglers and failures.
check: compares the formulas with what several workers took.

What one worker and a message cost, and what several workers took, is in the records of
python/bench/cluster.py (overhead, scaling and messages).
"""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import json
import math
import pathlib
import random
import statistics
from collections.abc import Callable, Iterable
from typing import Any


RECORDS = pathlib.Path(__file__).resolve().parents[1] / "results/neoverse-v1-2core/dask.jsonl"


@dataclasses.dataclass
class Measured:
    """What one worker does, measured; times in nanoseconds of CPU time."""

    build_ns: float
    """To build an index, per key."""
    split_ns: float
    """To route a key to its partition while building, and to put the pieces together."""
    lookup_ns: float
    """To look up a key in a large batch."""
    route_ns: float
    """To route a lookup, and to put its answer in its place."""
    bytes_a_key: float
    """Index, key and row."""
    copy_bytes_s: float
    """Bytes a second that a worker sends or receives, serialising included."""
    task_s: float
    """Of the scheduler and a worker for a task."""
    call_s: float
    """A batch of one, from the client."""
    row_bytes: float = 12.0
    """A 64-bit key and its row on their way through the network."""
    lookup_bytes: float = 12.0
    """A lookup and its answer."""
    hop_s: float = 0.5e-3
    """Latency of a message between hosts; an assumption, because the records are of one host."""


def read(path: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def measured_by(records: list[dict[str, Any]]) -> Measured:
    def last(question: str, category: str, metric: str, series: str = "") -> dict[str, Any]:
        found = [record for record in records
                 if record["experiment"] == f"dask-{question}" and record["category"] == category
                 and record["metric"] == metric and record["series"].startswith(series)
                 and (question != "scaling" or record["workload"]["workers"] == 1)]
        if not found:
            raise SystemExit(f"no record of '{category}', {metric}: run "
                             f"python python/bench/cluster.py {question} --records FILE")
        return found[-1]

    def nanoseconds(category: str, metric: str) -> float:
        record = last("scaling", category, metric)
        return 1e6 * record["median"] / record["workload"]["keys"]

    build, lookup = (nanoseconds("default", f"{what}_cpu_ms") for what in ("build", "lookup"))
    work = last("scaling", "4 partitions", "build_cpu_ms")["workload"]
    copied = last("messages", "a block to another worker", "copy_ms")
    return Measured(
        build_ns=build, split_ns=nanoseconds("4 partitions", "build_cpu_ms") - build,
        lookup_ns=lookup, route_ns=nanoseconds("4 partitions", "lookup_cpu_ms") - lookup,
        bytes_a_key=work["bytes"] / work["keys"],
        copy_bytes_s=1e3 * copied["workload"]["bytes"] / copied["median"],
        task_s=last("messages", "a task", "task_ms")["median"] / 1e3,
        call_s=last("overhead", "a batch of one", "call_ms", "on Dask")["median"] / 1e3)


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


def check(records: list[dict[str, Any]], measured: Measured) -> Iterable[str]:
    """Predictions for several workers beside the records; their workers have one thread each."""
    machine = Machine("here", 1, math.inf, measured.copy_bytes_s, 0, 1.0)
    errors = []
    for record in records:
        work = record["workload"]
        if (record["experiment"] != "dask-scaling" or work["workers"] == 1
                or record["category"] == "a copy on each worker"):
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["table", "simulate", "check"])
    parser.add_argument("--records", metavar="FILE", type=pathlib.Path, default=RECORDS,
                        help="of python/bench/cluster.py; those of docs/scale.md by default")
    parser.add_argument("--keys", type=float, default=1e11)
    parser.add_argument("--lookups", type=float, default=1e9)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--machine", choices=MACHINES, default="cpu")
    parser.add_argument("--skew", type=float, default=0.5)
    parser.add_argument("--stragglers", type=float, default=0.02)
    parser.add_argument("--failures-an-hour", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    records = read(options.records)
    measured = measured_by(records)
    if options.what == "table":
        print("\n".join(table(measured)))
    elif options.what == "check":
        print("\n".join(check(records, measured)))
    else:
        machine = MACHINES[options.machine]
        print(predict(options.keys, options.workers, options.lookups, machine, measured))
        print(simulate(options.keys, options.workers, options.lookups, machine, measured,
                       options.skew, options.stragglers, 4.0, options.failures_an_hour,
                       options.seed))


if __name__ == "__main__":
    main()
