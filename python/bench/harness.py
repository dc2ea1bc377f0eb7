"""Shared by the benchmarks: contestants run in turn, checked answers, records as JSON lines."""

from __future__ import annotations

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import rtindex
from rtindex import _core

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Contestant(NamedTuple):
    """Answers a batch with `run`; `check` verifies the result."""

    name: str
    run: Callable[[], Any]
    check: Callable[[Any], bool]
    lookups: int
    spec: str = ""


def milliseconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return (time.perf_counter() - start) * 1000, result


def race(contestants: list[Contestant], rounds: int,
         between: Callable[[], object] = lambda: None) -> dict[str, list[float]]:
    """Milliseconds of every run. Each has one checked warm-up; then all run in turn, round by
    round, so that noise affects all of them. A wrong answer ends the program. `between` is called
    before every run, and not timed."""
    for contestant in contestants:
        if not contestant.check(contestant.run()):
            sys.exit(f"{contestant.name} gave a wrong answer; nothing is reported")
    times: dict[str, list[float]] = {contestant.name: [] for contestant in contestants}
    for _ in range(rounds):
        for contestant in contestants:
            between()
            times[contestant.name].append(milliseconds(contestant.run)[0])
    return times


def output_of(*command: str) -> str:
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return run.stdout.strip() if run.returncode == 0 else ""


def machine() -> dict[str, Any]:
    """The machine that this process runs on."""
    lines = output_of("env", "LC_ALL=C", "lscpu").splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("Model name:")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "arch": platform.machine(),
        "cpu": models[0] if models else "unknown",
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30),
        "system": f"{platform.system()} {platform.release()}",
        "compiler": _core.compiler,
        "python": platform.python_version(),
    }


def commit() -> str:
    """The commit of the source tree, with "+" where it has uncommitted changes."""
    name = output_of("git", "rev-parse", "--short=12", "HEAD")
    changes = output_of("git", "status", "--porcelain", "--untracked-files=no", "--", "src",
                        "include", "python")
    return f"{name}{'+' if changes else ''}" if name else "unknown"


class Records:
    """Appends measurements to a file of JSON lines; without a file it drops them."""

    def __init__(self, path: str | None, experiment: str):
        self._path = path
        self._common = {
            "experiment": experiment,
            "machine": machine(),
            "commit": commit(),
            "version": rtindex.__version__,
            "command": " ".join(["python", os.path.relpath(sys.argv[0], ROOT), *sys.argv[1:]]),
            "status": "ok",
        }

    def add(self, contestant: str, spec: str, category: str, metric: str, runs: list[float],
            workload: dict[str, Any]) -> None:
        record = {
            **self._common,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "index": spec or contestant,
            "series": contestant,
            "category": category,
            "metric": metric,
            "value": statistics.mean(runs),
            "median": statistics.median(runs),
            "runs": runs,
            "workload": workload,
        }
        if self._path:
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
