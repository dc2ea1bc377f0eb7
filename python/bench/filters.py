"""How fast are filters over three columns compared with DuckDB, polars and NumPy?

Rows of three 32-bit integers, uniform or correlated, and boxes around some of them, as wide as they
must be to hold a share of all rows on average. All contestants count the rows of the same boxes, one box at a time, and list them;
rtindex also counts those of a batch, and answers all of it from C++: a process of bench_filter_cost
(bench/filter_cost.cpp) over the same columns takes its turns. Answers are checked before times count.

    python python/bench/filters.py --cpp build/release/bin/bench_filter_cost [--rows N] [--rounds N] [--records FILE]

The goals, with 2^24 rows on two cores: one count at least 1,000, 300 and 50 times the speed of the
fastest other contestant at a share of 10^-6, 10^-4 and 10^-2, from C++ 3,000, 1,000 and 100 times;
rows 300, 100 and 10 times; at half of all rows never more than 1.2 times slower than polars; 2^12
boxes at 10^-6 in a batch 1.5 times the speed of one by one.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import pathlib
import statistics
import subprocess
import tempfile
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
from harness import Contestant, Records, milliseconds, race

import rtindex

PACKAGES = ["numpy", "polars", "duckdb", "pyarrow"]
NAMES = ("a", "b", "c")
SHARES = (1e-6, 1e-4, 1e-2, 0.5)
SPAN = 2**31 - 1


class Workload:
    """Columns, and boxes around some of their rows."""

    def __init__(self, rows: int, correlated: bool):
        self._random = np.random.default_rng(2026)
        columns = [self._random.integers(0, SPAN, rows) for _ in NAMES]
        if correlated:
            columns[1] = columns[0] // 8 * 7 + columns[1] // 8
            columns[2] = (columns[0] + columns[2]) // 2
        self.columns = {name: column.astype(np.int32) for name, column in zip(NAMES, columns)}

    def boxes(self, share: float, count: int, index: rtindex.Index) -> dict[str, Any]:
        """A batch of boxes of one width, which hold this share of the rows on average."""
        rows = self._random.integers(0, len(self.columns["a"]), count)
        least, most = 0, min(SPAN, int(1.1 * SPAN * share ** (1 / 3)))
        while least < most:
            width = (least + most) // 2
            if mean_share(index, self._around(rows, width)) < share:
                least = width + 1
            else:
                most = width
        return self._around(rows, least)

    def _around(self, rows: np.ndarray, width: int) -> dict[str, Any]:
        lower = {name: np.minimum(column[rows].astype(np.int64), SPAN - width)
                 for name, column in self.columns.items()}
        return {name: (low, low + width) for name, low in lower.items()}


def mean_share(index: rtindex.Index, batch: dict[str, Any]) -> float:
    return float(index.filter(batch, "count").mean()) / len(index)


def one_by_one(batch: dict[str, Any]) -> list[dict[str, tuple[int, int]]]:
    ends = {name: (low.tolist(), high.tolist()) for name, (low, high) in batch.items()}
    return [{name: (low[i], high[i]) for name, (low, high) in ends.items()}
            for i in range(len(batch["a"][0]))]


class Cpp:
    """The other process, over the same columns."""

    def __init__(self, program: str, work: Workload):
        with tempfile.TemporaryDirectory() as folder:
            files = [str(pathlib.Path(folder, f"{name}.npy")) for name in NAMES]
            for file, column in zip(files, work.columns.values()):
                np.save(file, column)
            self._process = subprocess.Popen([program, *files], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, text=True)
            self.set_boxes({name: ([0], [0]) for name in NAMES})
            self.run("count", 1)  # once the index is built

    def set_boxes(self, batch: dict[str, Any]) -> None:
        ends = np.column_stack([end for ends in batch.values() for end in ends])
        self._process.stdin.write(f"boxes {len(ends)}\n")
        np.savetxt(self._process.stdin, ends, "%d")

    def run(self, command: str, boxes: int) -> int:
        """The number of rows in so many of the boxes."""
        self._process.stdin.write(f"{command} {boxes}\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def contestants(work: Workload, index: rtindex.Index, cpp: Cpp, batch: dict[str, Any],
                slow: int) -> tuple[list[Contestant], list[Contestant]]:
    """Those of counts and those of rows; others than rtindex answer the first `slow` boxes."""
    columns = work.columns
    boxes = one_by_one(batch)
    frame = pl.DataFrame(columns)
    table = pa.table(columns)
    connection = duckdb.connect()
    connection.register("arrow_points", table)
    connection.execute("CREATE TABLE points AS SELECT * FROM arrow_points")

    def numpy_mask(box):
        mask = np.ones(len(columns["a"]), bool)
        for name, (low, high) in box.items():
            mask &= (columns[name] >= low) & (columns[name] <= high)
        return mask

    def polars_filter(box):
        return frame.lazy().filter(*[pl.col(name).is_between(low, high)
                                     for name, (low, high) in box.items()])

    def duckdb_where(box):
        return " AND ".join(f"{name} BETWEEN {low} AND {high}" for name, (low, high) in box.items())

    counts = [int(numpy_mask(box).sum()) for box in boxes[:slow]]

    def right(found):
        return [int(one) for one in found[:slow]] == counts

    def right_rows(found):
        return [len(one) for one in found[:slow]] == counts

    all_rows = int(index.filter(batch, "count").sum())
    cpp.set_boxes(batch)

    def from_cpp(name, command):
        return Contestant(name, lambda: cpp.run(command, len(boxes)),
                          lambda found: found == all_rows and cpp.run(command, slow) == sum(counts),
                          len(boxes), index.spec)

    few = boxes[:slow]
    counting = [
        from_cpp("rtindex, C++", "count"),
        from_cpp("rtindex, C++, batch", "batch"),
        Contestant("rtindex", lambda: [index.filter(box, "count") for box in boxes], right,
                   len(boxes), index.spec),
        Contestant("rtindex, batch", lambda: index.filter(batch, "count"), right, len(boxes),
                   index.spec),
        Contestant("DuckDB", lambda: [connection.sql(
            f"SELECT count(*) FROM points WHERE {duckdb_where(box)}").fetchall()[0][0]
            for box in few], right, slow),
        Contestant("polars", lambda: [polars_filter(box).select(pl.len()).collect().item()
                                      for box in few], right, slow),
        Contestant("NumPy", lambda: [numpy_mask(box).sum() for box in few], right, slow)]
    listing = [
        from_cpp("rtindex, C++", "rows"),
        Contestant("rtindex", lambda: [index.filter(box, "rows") for box in boxes], right_rows,
                   len(boxes), index.spec),
        Contestant("DuckDB", lambda: [connection.sql(
            f"SELECT rowid FROM points WHERE {duckdb_where(box)}").to_arrow_table()
            for box in few], right_rows, slow),
        Contestant("polars", lambda: [frame.select(pl.all_horizontal(
            *[pl.col(name).is_between(low, high) for name, (low, high) in box.items()]).arg_true())
            for box in few], right_rows, slow),
        Contestant("NumPy", lambda: [np.flatnonzero(numpy_mask(box)) for box in few], right_rows,
                   slow)]
    return counting, listing


def report(question: str, racers: list[Contestant], rounds: int, workload: dict,
           records: Records) -> None:
    times = race(racers, rounds)
    medians = {one.name: statistics.median(times[one.name]) * 1e3 / one.lookups for one in racers}
    peer = min(medians[name] for name in ("DuckDB", "polars", "NumPy"))
    print(f"\n{question}: microseconds a query, median of {rounds}, and times the speed of the fastest peer")
    for one in racers:
        print(f"  {one.name:<20}{medians[one.name]:>12,.1f}"
              f"{peer / medians[one.name]:>10,.1f}x", flush=True)
        records.add(one.name, one.spec, question, "ns_per_lookup",
                    [run * 1e6 / one.lookups for run in times[one.name]],
                    {**workload, "lookups": one.lookups})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpp", metavar="PROGRAM", required=True, help="bench_filter_cost of a build")
    parser.add_argument("--rows", type=int, default=1 << 24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    records = Records(options.records, "python-filters")
    for correlated in (False, True):
        columns = "correlated" if correlated else "uniform"
        work = Workload(options.rows, correlated)
        workload = {"keys": options.rows, "key_type": "int32", "packages": packages,
                    "columns": columns}
        build_ms, index = milliseconds(
            lambda work=work: rtindex.build(rtindex.points(work.columns), "rx:native@cpu"))
        bytes_a_row = index.memory_usage().resident / options.rows
        print(f"\n{columns} columns: built in {build_ms:,.0f} ms, {bytes_a_row:.1f} bytes a row")
        records.add("rtindex", index.spec, f"build, {columns}", "build_ms", [build_ms],
                    {**workload, "bytes_a_row": bytes_a_row})
        cpp = Cpp(options.cpp, work)
        for share in SHARES:
            batch = work.boxes(share, {1e-6: 4096, 1e-4: 1024, 1e-2: 128}.get(share, 16), index)
            counts, rows = contestants(work, index, cpp, batch, slow=4)
            of_share = {**workload, "share": share, "measured_share": mean_share(index, batch)}
            print(f"\nboxes that hold {of_share['measured_share']:.3g} of the rows on average")
            report(f"count at {share:g}, {columns}", counts, options.rounds, of_share, records)
            report(f"rows at {share:g}, {columns}", rows, options.rounds, of_share, records)
        cpp.end()


if __name__ == "__main__":
    main()
