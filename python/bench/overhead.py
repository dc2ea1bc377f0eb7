"""What does a call from Python cost beyond the same call from C++?

One process runs this file, another bench_call_cost (bench/call_cost.cpp) over the same column and
the same lookups; they take turns, so that a noisy moment hits both.

    python python/bench/overhead.py --cpp build/release/bin/bench_call_cost [--rounds N] [--records FILE]

The goals: at most 20 microseconds more for a batch of one, at most 10 % more for 2^22 lookups.

    python python/bench/overhead.py --objects [--rounds N] [--records FILE]

measures lookups of Python's own objects instead, beside pandas and NumPy: one key of each type, and a
list. The goals: at most 3 microseconds for one key, and for a list the time of `np.array` of it more
than for an array.
"""

from __future__ import annotations

import argparse
import operator
import pathlib
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas
from harness import Records, milliseconds

import rtindex

KEYS = 1 << 24
LOOKUPS = 1 << 22
ONE_KEY_ROWS = 1 << 20


class Cpp:
    """The other process."""

    def __init__(self, program: str, folder: str, keys: np.ndarray, lookups: np.ndarray):
        files = [str(pathlib.Path(folder, name)) for name in ("keys.npy", "lookups.npy")]
        for file, array in zip(files, (keys, lookups)):
            np.save(file, array)
        self.process = subprocess.Popen([program, *files], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def call_ms(self, count: int, repeats: int) -> float:
        self.process.stdin.write(f"{count} {repeats}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def python_call_ms(index: rtindex.Index, keys: np.ndarray, out: np.ndarray | None,
                   repeats: int) -> float:
    def calls():
        for _ in range(repeats):
            index.lookup(keys, out=out)

    return milliseconds(calls)[0] / repeats


def compare(cpp: Cpp, index: rtindex.Index, lookups: np.ndarray, count: int, repeats: int,
            rounds: int, reuse: bool, records: Records) -> None:
    batch = lookups[:count].copy()
    out = np.empty(count, np.uint32) if reuse else None
    times = {"C++": [], "Python": []}
    for _ in range(rounds + 1):
        times["C++"].append(cpp.call_ms(count, repeats))
        times["Python"].append(python_call_ms(index, batch, out, repeats))
    question = f"a batch of {count:,}" + (", into an array that is there" if reuse else "")
    for name, runs in times.items():
        del runs[0]  # the first round warms up
        records.add(f"rtindex from {name}", index.spec, question, "call_ms", runs,
                    {"keys": KEYS, "key_type": "int64", "lookups": count})
    cpp_ms, python_ms = (statistics.median(times[name]) for name in ("C++", "Python"))
    print(f"{question}: C++ {cpp_ms * 1000:,.2f} us, Python {python_ms * 1000:,.2f} us: "
          f"{(python_ms - cpp_ms) * 1000:+,.2f} us, {python_ms / cpp_ms - 1:+.1%}")


def call_us(call: Callable[[], object], repeats: int) -> float:
    def calls():
        for _ in range(repeats):
            call()

    return milliseconds(calls)[0] / repeats * 1000


def one_key_calls() -> dict[str, dict[str, Callable[[], object]]]:
    """Calls by the type of the key, and by library."""
    random = np.random.default_rng(2024)
    numbers = random.integers(0, 2**62, ONE_KEY_ROWS)
    seconds = np.arange(ONE_KEY_ROWS).astype("M8[s]").astype("M8[us]")
    names = [f"customer-{number:09}" for number in range(ONE_KEY_ROWS)]
    columns = {
        "int": (numbers, int(numbers[7])), "float": (numbers.astype(float), float(numbers[7])),
        "str": (names, names[7]), "datetime": (seconds, seconds[7].item()),
        "tuple": ((names, numbers), (names[7], int(numbers[7]))),
    }
    found = {}
    for kind, (column, key) in columns.items():
        index = rtindex.build(column, "rx:native@cpu")
        labels = pandas.MultiIndex.from_arrays(column) if kind == "tuple" else pandas.Index(column)
        found[kind] = {
            "rtindex lookup": partial(index.lookup, key), "rtindex in": partial(operator.contains, index, key),
            "rtindex nearest": partial(index.nearest, key), "pandas get_loc": partial(labels.get_loc, key)}
        if kind in ("int", "float", "datetime"):
            ordered = np.sort(column)
            wanted = np.datetime64(key) if kind == "datetime" else key
            found[kind]["NumPy searchsorted"] = partial(np.searchsorted, ordered, wanted)
    return found


def list_calls() -> dict[str, Callable[[], object]]:
    random = np.random.default_rng(2024)
    keys = random.integers(0, 2**62, ONE_KEY_ROWS)
    index, labels = rtindex.build(keys, "rx:native@cpu"), pandas.Index(keys)
    wanted = keys[:10**5]
    items = wanted.tolist()
    return {"rtindex, list": partial(index.lookup, items), "rtindex, array": partial(index.lookup, wanted),
            "NumPy array of the list": partial(np.array, items), "pandas, list": partial(labels.get_indexer, items)}


def objects(rounds: int, records: Records) -> None:
    every = {f"one {kind}": (calls, 20_000) for kind, calls in one_key_calls().items()}
    every["a list of 100,000 int"] = list_calls(), 10
    for question, (calls, repeats) in every.items():
        times: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(rounds + 1):
            for name, call in calls.items():  # in turn, so that a noisy moment hits all
                times[name].append(call_us(call, repeats))
        for name, runs in times.items():
            records.add(name, "rx:native@cpu" if name.startswith("rtindex") else "", question, "call_us",
                        runs[1:], {"keys": ONE_KEY_ROWS})
        print(question, {name: round(statistics.median(runs[1:]), 2) for name, runs in times.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpp", metavar="PROGRAM")
    parser.add_argument("--objects", action="store_true")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    if options.objects:
        objects(options.rounds, Records(options.records, "python-objects"))
        return
    if not options.cpp:
        parser.error("expected --cpp PROGRAM or --objects")

    random = np.random.default_rng(2024)
    keys = random.integers(0, 2**62, KEYS)
    lookups = keys[random.integers(0, KEYS, LOOKUPS)]
    index = rtindex.build(keys)
    records = Records(options.records, "python-overhead")
    with tempfile.TemporaryDirectory() as folder:
        cpp = Cpp(options.cpp, folder, keys, lookups)
        for count, repeats, reuse in ((1, 5000, False), (LOOKUPS, 1, True), (LOOKUPS, 1, False)):
            compare(cpp, index, lookups, count, repeats, options.rounds, reuse, records)
        cpp.end()


if __name__ == "__main__":
    main()
