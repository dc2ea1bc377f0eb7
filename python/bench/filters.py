"""How fast are filters over three columns compared with DuckDB, polars and NumPy?

Rows of three 32-bit integers, uniform or correlated, and boxes that hold a share of all rows of
uniform columns. All contestants count the rows of the same boxes, one box at a time, and list them;
rtindex also counts those of a batch. Answers are checked before times count.

    python python/bench/filters.py [--rows N] [--rounds N] [--records FILE]

The goals, with 2^24 rows on two cores, from Python: one count at least 1,000, 300 and 50 times the
speed of the fastest contestant at a share of 10^-6, 10^-4 and 10^-2; rows 300, 100 and 10 times; at
half of all rows never more than 1.2 times slower than polars.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import statistics
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

    def boxes(self, share: float, count: int) -> list[dict[str, tuple[int, int]]]:
        width = int(SPAN * share ** (1 / 3))
        rows = self._random.integers(0, len(self.columns["a"]), count)
        lower = [np.minimum(column[rows].astype(np.int64), SPAN - width)
                 for column in self.columns.values()]
        return [{name: (int(low[i]), int(low[i]) + width) for name, low in zip(NAMES, lower)}
                for i in range(count)]


def contestants(work: Workload, index: rtindex.Index, boxes: list[Any],
                slow: int) -> tuple[list[Contestant], list[Contestant]]:
    """Those of counts and those of rows; others than rtindex answer the first `slow` boxes."""
    columns = work.columns
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

    batch = {name: tuple(np.array([box[name][end] for box in boxes]) for end in (0, 1))
             for name in NAMES}
    few = boxes[:slow]
    counting = [
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
    print(f"\n{question}: microseconds a query, median of {rounds}, and times slower than rtindex")
    for one in racers:
        print(f"  {one.name:<20}{medians[one.name]:>12,.1f}"
              f"{medians[one.name] / medians['rtindex']:>10,.1f}x", flush=True)
        records.add(one.name, one.spec, question, "ns_per_lookup",
                    [run * 1e6 / one.lookups for run in times[one.name]],
                    {**workload, "lookups": one.lookups})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
        for share in SHARES:
            boxes = work.boxes(share, {1e-6: 4096, 1e-4: 1024, 1e-2: 128}.get(share, 4))
            counts, rows = contestants(work, index, boxes, slow=4)
            of_share = {**workload, "share": share}
            report(f"count at {share:g}, {columns}", counts, options.rounds, of_share, records)
            report(f"rows at {share:g}, {columns}", rows, options.rounds, of_share, records)


if __name__ == "__main__":
    main()
