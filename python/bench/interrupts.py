"""How long does Ctrl-C take to stop a call, and what does the check for it cost?

    python python/bench/interrupts.py [--rounds N] [--keys N]

A second thread interrupts each call in the middle; the time from the signal to KeyboardInterrupt is
printed beside that of the whole call, and beside a sort of pandas. Then lookups take turns on the
main thread, where calls check for signals, and on another one, where they do not.

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keys", type=int, default=1 << 24)
    options = parser.parse_args()
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

    def look_up() -> float:
        return seconds(lambda: index.lookup(lookups, "count"))

    with ThreadPoolExecutor(1) as other:
        pairs = [(look_up(), other.submit(look_up).result()) for _ in range(4 * options.rounds)]
    ratios = [checked / unchecked for checked, unchecked in pairs]
    print(f"lookups that check / do not: {statistics.median(ratios):.3f} (median of {len(ratios)})")


if __name__ == "__main__":
    main()
