"""What does a call from Python cost beyond the same call from C++?

One process runs this file, another bench_call_cost (bench/call_cost.cpp) over the same column and
the same lookups; they take turns, so that a noisy moment hits both.

    python python/bench/overhead.py --cpp build/ci/bin/bench_call_cost [--rounds N] [--records FILE]

The goals: at most 20 microseconds more for a batch of one, at most 10 % more for 2^22 lookups.
"""

from __future__ import annotations

import argparse
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np
from harness import Records, milliseconds

import rtindex

KEYS = 1 << 24
LOOKUPS = 1 << 22


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpp", required=True, metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()

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
