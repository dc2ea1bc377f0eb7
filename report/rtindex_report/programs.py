"""The experiments of the benchmark programs beside `rtindex bench`.

A program such as bench_cpu_peers measures many questions. Each becomes an experiment of its own, so
that its chart has one subject and stands on the right page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .names import family
from .records import Record


@dataclass(frozen=True)
class Program:
    """Questions of one program that are shown as one experiment."""

    records: str  # the experiment that the records name
    questions: str  # a regular expression
    name: str
    title: str
    question: str
    page: str
    rivals: bool = True  # whether its contestants are indexes to choose from
    field: str = ""  # a parameter that the workload must have
    x: str = ""  # the label of the x axis
    batches: bool = False  # whether "batch of 2^12" of a question is the place on it
    workers: bool = False  # whether the number of workers is
    memory: bool = False  # whether the memory that a question ends with is a series


BATCH = re.compile(r",? ?batch of 2\^(\d+)")
MEMORY = re.compile(r", (ordinary|pinned|registered by the call|ordinary, new answers)$")
MEMORY_NAMES = {
    "ordinary": "pageable memory",
    "ordinary, new answers": "pageable memory, new answers",
    "pinned": "pinned memory",
    "registered by the call": "memory registered by the call",
}

# The first that fits a record is its experiment.
PROGRAMS = (
    Program(
        "cpu-peers",
        "strings$",
        "cpu-strings",
        "Strings beside Abseil",
        "What do builds and lookups of string keys cost?",
        "strings",
    ),
    Program(
        "cpu-peers",
        "inserts",
        "cpu-inserts",
        "Inserts beside Abseil and ALEX",
        "What do inserts in batches cost, and one at a time?",
        "changes",
    ),
    Program(
        "cpu-peers",
        "distributions",
        "cpu-distributions",
        "Skewed columns beside Abseil",
        "What do skewed, clustered and repeated keys cost?",
        "skew",
    ),
    Program(
        "cpu-peers",
        "(Zipf|uniform|clustered|all keys equal)",
        "cpu-skew",
        "Skewed lookups of rx:native",
        "What do clustered and equal keys, and lookups by Zipf's law, cost?",
        "skew",
    ),
    Program(
        "cpu-peers",
        "one core against two",
        "cpu-cores",
        "One core and two",
        "What does a second core bring?",
        "points",
    ),
    Program(
        "cpu-peers",
        "",
        "cpu-peers",
        "Beside the C++ libraries",
        "How do the indexes compare with sorted arrays, Abseil and TBB on the same lookups?",
        "points",
    ),
    Program(
        "gpu-indexes",
        "(short|names|urls|long urls|uuids), ",
        "gpu-strings",
        "Strings on the GPU",
        "What do string keys cost, in device and in host memory?",
        "strings",
    ),
    Program(
        "gpu-indexes",
        "any, batch of .*(ordinary|pinned)",
        "host-memory-batches",
        "Small batches in host memory",
        "How large must a batch in host memory be to use the link?",
        "host-memory",
        x="lookups of the batch",
        batches=True,
        memory=True,
    ),
    Program(
        "gpu-indexes",
        ".*, (ordinary|pinned|registered by the call)",
        "host-memory",
        "Columns and lookups in host memory",
        "How much of the link do builds, lookups and updates use when the data are in host memory?",
        "host-memory",
        memory=True,
    ),
    Program(
        "gpu-indexes",
        "(graph, |batch of .* until|launch)",
        "gpu-calls",
        "Time of a call",
        "How long does a call take until it returns, and until it is done?",
        "calls",
        rivals=False,
    ),
    Program(
        "gpu-indexes",
        "sum, batch of",
        "gpu-batches",
        "Size of the batch on the GPU",
        "How does the time of a batch grow with its size?",
        "points",
        x="lookups of the batch",
        batches=True,
    ),
    Program(
        "gpu-indexes",
        r"range sum, \d+ of",
        "gpu-mixed-ranges",
        "Ranges of mixed lengths on the GPU",
        "What do a few long ranges among short ones cost?",
        "points",
    ),
    Program(
        "gpu-indexes",
        "",
        "gpu-skew",
        "Skewed columns on the GPU",
        "What do skewed, clustered and repeated keys cost?",
        "skew",
        field="distribution",
    ),
    Program(
        "gpu-indexes",
        "",
        "gpu-indexes",
        "Beside WarpCore and MVGpuBTree",
        "How do the indexes compare with two GPU libraries on the same lookups?",
        "points",
    ),
    Program(
        "python-peers",
        ".*strings",
        "python-strings",
        "Strings from Python",
        "What do lookups of strings cost beside polars?",
        "strings",
    ),
    Program(
        "python-peers",
        "",
        "python-peers",
        "Beside the Python libraries",
        "How do points and ranges compare with NumPy, pandas, polars, PyArrow and DuckDB?",
        "points",
    ),
    Program(
        "python-asof",
        "",
        "python-asof",
        "ASOF and range joins from Python",
        "What do these joins cost beside pandas, polars and DuckDB?",
        "joins",
    ),
    Program(
        "duckdb-join",
        "",
        "duckdb-join",
        "Joins in DuckDB",
        "When does an index join beat DuckDB's hash join?",
        "joins",
    ),
    Program(
        "python-intervals",
        "",
        "python-intervals",
        "Intervals beside the Python libraries",
        "What do counts and pairs cost beside superintervals, polars-bio, bioframe and DuckDB?",
        "intervals",
    ),
    Program(
        "python-filters",
        "",
        "python-filters",
        "Filters beside the Python libraries",
        "What do conditions on several columns cost beside DuckDB, polars and pandas?",
        "filters",
    ),
    Program(
        "python-overhead",
        "",
        "python-overhead",
        "Time that Python adds",
        "How much longer does a call from Python take than one from C++?",
        "calls",
        rivals=False,
    ),
    Program(
        "python-changes",
        "",
        "python-changes",
        "Changes of single rows from Python",
        "How long do changes of one row and the first lookups after each take?",
        "changes",
        rivals=False,
    ),
    Program(
        "python-objects",
        "",
        "python-objects",
        "Python objects as keys",
        "What do lists and single keys cost beside arrays?",
        "calls",
        rivals=False,
    ),
    Program(
        "python-interrupts",
        "",
        "python-interrupts",
        "Ctrl-C",
        "How long after Ctrl-C does a call stop, and what does looking for it cost?",
        "calls",
        rivals=False,
    ),
    Program(
        "c-call-cost",
        "",
        "c-call-cost",
        "Time that C adds",
        "How much longer does a call from C take than one from C++?",
        "calls",
        rivals=False,
    ),
    Program(
        "embree-overhead",
        "",
        "embree-overhead",
        "rx:embree beside bare Embree",
        "How close are lookups to a loop that only traces the same rays?",
        "rx",
        rivals=False,
    ),
    Program(
        "optix-overhead",
        "",
        "optix-overhead",
        "rx:optix beside bare OptiX",
        "How close are lookups to a program that only traces the same rays?",
        "rx",
        rivals=False,
    ),
    Program(
        "dask-overhead",
        "",
        "dask-overhead",
        "Time that Dask adds",
        "How much longer does a call take on a cluster?",
        "dask",
        rivals=False,
    ),
    Program(
        "dask-scaling",
        "",
        "dask-scaling",
        "Workers of a cluster",
        "How do builds and lookups scale with the number of workers?",
        "dask",
        x="workers",
        workers=True,
    ),
    Program(
        "dask-peers",
        "",
        "dask-peers",
        "Beside Dask's own lookups",
        "What do lookups cost beside Dask's merge and loc?",
        "dask",
    ),
    Program(
        "dask-messages",
        "",
        "dask-messages",
        "Messages of a cluster",
        "What do a task and the copy of a block cost?",
        "dask",
        rivals=False,
    ),
)
# Records of tests count what was checked; docs/reliability.md shows them.
TESTS = ("reliability", "soak", "fuzz", "coverage", "mutants")
BY_NAME = {program.name: program for program in PROGRAMS}


def assigned(records: Iterable[Record]) -> list[Record]:
    """The measurements, those of the programs with their experiments and places."""
    return [_assigned(record) for record in records if record.experiment not in TESTS]


def _assigned(record: Record) -> Record:
    question = str(record.workload.get("question") or record.category or "")
    for program in PROGRAMS:
        if _fits(program, record, question):
            return _with_places(replace(record, experiment=program.name), program, question)
    return record


def _fits(program: Program, record: Record, question: str) -> bool:
    if program.records != record.experiment or not re.match(program.questions, question):
        return False
    return not program.field or program.field in record.workload


def _with_places(record: Record, program: Program, question: str) -> Record:
    memory = MEMORY.search(question) if program.memory else None
    if memory:
        question = question[: memory.start()]
        label = f"{family(record.index)}, {MEMORY_NAMES[memory.group(1)]}"
        record = replace(record, series=label, category=question)
    if program.workers and "workers" in record.workload:
        record = replace(record, x=float(record.workload["workers"]), category=None)
    batch = BATCH.search(question) if program.batches else None
    if batch:
        rest = BATCH.sub("", question)
        record = replace(record, x=2.0 ** int(batch.group(1)), category=rest)
    return record
