"""How long does Ctrl-C take to stop a call, and what does the check for it cost?

    python python/bench/interrupts.py [--rounds N] [--keys N] [--records FILE]

A second thread interrupts each call in the middle; the time from the signal to KeyboardInterrupt is
printed beside that of the whole call, and beside a sort of pandas. Then lookups that check take turns
with lookups that do not, all of them on one thread that is not the main one: calls check there where
rtindex.progress wants to know about them. Two series of lookups that do not check show how much the
times differ by themselves.

The goals: 200 milliseconds, and 1 %.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas

from harness import Records

import rtindex


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def stop_ms(call: Callable[[], object], whole: float) -> float:
    """From the signal in the middle of a call to its exception."""
    sent = 0.0

    def interrupt() -> None:
        nonlocal sent
        time.sleep(whole / 2)
        sent = time.perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    stopped = 0.0
    try:
        thread.start()
        call()
        thread.join()
    except KeyboardInterrupt:
        stopped = time.perf_counter()
    thread.join()
    return 1000 * (stopped - sent)


def check_cost(look_up: Callable[[], object], rounds: int) -> dict[str, list[float]]:
    """Seconds of lookups that check and, twice, of those that do not."""

    def checked() -> None:
        with rtindex.progress(lambda done: None):
            look_up()

    calls = {"checked": checked, "not checked": look_up, "not checked, again": look_up}
    times: dict[str, list[float]] = {name: [] for name in calls}
    seconds(look_up)  # warms up
    shuffled = np.random.default_rng(2)
    for _ in range(rounds):
        for name in shuffled.permutation([*calls]):
            times[name].append(seconds(calls[name]))
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keys", type=int, default=1 << 24)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    records = Records(options.records, "python-interrupts")
    workload = {"keys": options.keys, "key_type": "int64", "lookups": options.keys,
                "packages": {"pandas": pandas.__version__, "numpy": np.__version__}}
    random = np.random.default_rng(1)
    column = random.integers(0, 2**48, options.keys)
    lookups = random.permutation(column)
    index = rtindex.build(column, "rx:native@cpu")
    series = pandas.Series(column)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "keys.rtindex")
        index.save(path)
        calls = {
            "build": lambda: rtindex.build(column, "rx:native@cpu"),
            "lookup": lambda: index.lookup(lookups, "count"),
            "join": lambda: index.join(lookups),
            "insert": lambda: index.snapshot().insert(lookups),
            "save": lambda: index.save(path),
            "load, every byte": lambda: rtindex.load(path, "full"),
            "sort of pandas": series.sort_values,
        }
        for name, call in calls.items():
            whole = seconds(call)
            times = [stop_ms(call, whole) for _ in range(options.rounds)]
            print(f"{name:18} {1000 * whole:8.0f} ms, stopped after "
                  f"{statistics.median(times):6.0f} ms, at most {max(times):6.0f}")
            is_ours = call != series.sort_values
            records.add("rtindex" if is_ours else "pandas", index.spec if is_ours else "", name,
                        "stop_ms", times, {**workload, "call_ms": 1000 * whole})

    with ThreadPoolExecutor(1) as other:
        costs = other.submit(check_cost, lambda: index.lookup(lookups, "count"),
                             4 * options.rounds).result()
    plain = statistics.median(costs["not checked"])
    for name, times in costs.items():
        print(f"lookups, {name}: {statistics.median(times) / plain:.3f} of those that are not "
              f"checked (median of {len(times)})")
        records.add("rtindex", index.spec, f"lookups, {name}", "lookup_ms",
                    [1000 * time for time in times], workload)


if __name__ == "__main__":
    main()
