"""How fast are ASOF and range joins compared with pandas, polars and DuckDB?

Readings at random times on the right, events on the left: which is the last reading at or before
each event? With left rows sorted by time and not, without groups and with 500 of them. pandas and
polars need sorted rows: where the left ones are not, sorting them is part of their time. All
contestants get the same rows, and their answers are checked before their times count.

    python python/bench/asof.py [--rows N] [--ranges N] [--rounds N]
        [--range-rounds N] [--records FILE]

The goals, with 2^21 rows on each side and unsorted left rows: over a built index at least 4 times
the speed of pandas and polars without groups, 3 times with 500; build included, not slower than
pandas. Both sides sorted: within 1.5 times of polars. The range join at least 20 times the speed of
the others.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import statistics
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from harness import Contestant, Records, milliseconds, race

import rtindex
import rtindex.pandas
import rtindex.polars

GROUPS = 500
PACKAGES = ["numpy", "pandas", "polars", "duckdb", "pyarrow"]


class Workload:
    """Both sides, and the row of the reading of each event (rows for a miss)."""

    def __init__(self, rows: int, is_sorted: bool, has_groups: bool):
        random = np.random.default_rng(2024)
        self.rows, self.by = rows, "item" if has_groups else None
        right = np.arange(rows) * 16 + random.integers(0, 16, rows)  # no time twice
        left = random.integers(0, 16 * rows, rows)
        self.left = {"time": np.sort(left) if is_sorted else left, "event": np.arange(rows)}
        self.right = {"time": right, "reading": np.arange(rows)}
        if has_groups:
            self.left["item"] = random.integers(0, GROUPS, rows)
            self.right["item"] = random.integers(0, GROUPS, rows)
        self.is_sorted = is_sorted
        self.found = self._search()

    def _search(self) -> np.ndarray:
        if self.by is None:
            places = np.searchsorted(self.right["time"], self.left["time"], "right")
            return np.where(places > 0, places - 1, self.rows)
        span = 16 * self.rows
        keys = self.right["item"] * span + self.right["time"]
        order = np.argsort(keys, kind="stable")
        lookups = self.left["item"] * span + self.left["time"]
        places = np.searchsorted(keys[order], lookups, "right") - 1
        rows = order[np.maximum(places, 0)]
        same = (places >= 0) & (self.right["item"][rows] == self.left["item"])
        return np.where(same, rows, self.rows)

    def right_readings(self, events: Any, readings: Any) -> bool:
        """Whether events have their readings; NaN or null for none."""
        wanted = np.where(self.found == self.rows, np.nan, self.found)
        found = np.full(self.rows, -1.0)
        found[np.asarray(events)] = np.asarray(readings, float)
        return np.array_equal(found, wanted, equal_nan=True)

    def right_rows(self, join: Any) -> bool:
        rows = np.where(join.column == rtindex.MISS, self.rows, join.column)
        return np.array_equal(join.probe, np.arange(self.rows)) and np.array_equal(rows, self.found)


def asof_contestants(work: Workload) -> tuple[list[Contestant], rtindex.Index, float]:
    size, by = work.rows, work.by
    key = (lambda side: (side["item"], side["time"])) if by else (lambda side: side["time"])
    build_ms, index = milliseconds(lambda: rtindex.build(key(work.right)))
    lookups = key(work.left)
    left, right = pd.DataFrame(work.left), pd.DataFrame(work.right)
    polars_left, polars_right = pl.DataFrame(work.left), pl.DataFrame(work.right)
    connection = duckdb.connect()
    connection.register("arrow_left", pa.table(work.left))
    connection.register("arrow_right", pa.table(work.right))
    connection.execute("CREATE TABLE events AS SELECT * FROM arrow_left")
    connection.execute("CREATE TABLE readings AS SELECT * FROM arrow_right")
    same_group = "events.item = readings.item AND" if by else ""

    def pandas_join():
        events = left if work.is_sorted else left.sort_values("time")
        return pd.merge_asof(events, right, on="time", by=by)

    def polars_join():
        events = polars_left if work.is_sorted else polars_left.sort("time")
        options = {"check_sortedness": False} if by else {}
        return events.join_asof(polars_right, on="time", by=by, **options)

    def duckdb_join():
        return connection.sql(f"""
            SELECT event, reading FROM events ASOF LEFT JOIN readings
            ON {same_group} events.time >= readings.time""").to_arrow_table()

    def check(found):
        return work.right_readings(found["event"], found["reading"])

    return [
        Contestant("rtindex join_asof", lambda: index.join_asof(lookups), work.right_rows, size,
                   index.spec),
        Contestant("rtindex.pandas, ready index", lambda: rtindex.pandas.merge_asof(
            left, right, on="time", by=by, index=index), check, size, index.spec),
        Contestant("rtindex.pandas", lambda: rtindex.pandas.merge_asof(
            left, right, on="time", by=by), check, size, index.spec),
        Contestant("rtindex.polars", lambda: rtindex.polars.join_asof(
            polars_left, polars_right, on="time", by=by), check, size, index.spec),
        Contestant("pandas merge_asof", pandas_join, check, size),
        Contestant("polars join_asof", polars_join, check, size),
        Contestant("DuckDB ASOF JOIN", duckdb_join, check, size),
    ], index, build_ms


def range_contestants(keys: int, ranges: int) -> list[Contestant]:
    """Ranges with eight matches each, among distinct keys."""
    random = np.random.default_rng(2025)
    column = random.permutation(keys)
    lower = random.integers(0, keys - 8, ranges)
    upper = lower + 8
    index = rtindex.build(column)
    polars_keys = pl.DataFrame({"key": column})
    polars_ranges = pl.DataFrame({"low": lower, "high": upper})
    connection = duckdb.connect()
    connection.register("arrow_keys", pa.table({"key": column}))
    connection.register("arrow_ranges", pa.table({"low": lower, "high": upper}))
    connection.execute("CREATE TABLE keys AS SELECT * FROM arrow_keys")
    connection.execute("CREATE TABLE ranges AS SELECT * FROM arrow_ranges")

    def right_pairs(join):
        found = column[join.column]
        return found.size == 8 * ranges and bool(
            ((lower[join.probe] <= found) & (found < upper[join.probe])).all())

    def right_table(found):
        low, key = np.asarray(found["low"]), np.asarray(found["key"])
        return key.size == 8 * ranges and bool(((low <= key) & (key < low + 8)).all())

    return [
        Contestant("rtindex join_range", lambda: index.join_range(lower, upper, ends="[)"),
                   right_pairs, ranges, index.spec),
        Contestant("polars join_where", lambda: polars_ranges.join_where(
            polars_keys, pl.col("low") <= pl.col("key"), pl.col("key") < pl.col("high")),
            right_table, ranges),
        Contestant("DuckDB inequality join", lambda: connection.sql(
            """SELECT low, key FROM ranges JOIN keys
               ON low <= key AND key < high""").to_arrow_table(), right_table, ranges),
    ]


def report(question: str, contestants: list[Contestant], rounds: int, workload: dict,
           records: Records) -> None:
    times = race(contestants, rounds)
    medians = {contestant.name: statistics.median(times[contestant.name]) * 1e6 / contestant.lookups
               for contestant in contestants}
    fastest = medians[contestants[0].name]
    print(f"\n{question}: nanoseconds a left row, median of {rounds}, and times slower than "
          f"{contestants[0].name}")
    for contestant in contestants:
        name = contestant.name
        print(f"  {name:<30}{medians[name]:>12,.1f}{medians[name] / fastest:>12,.1f}x", flush=True)
        per_row = [run * 1e6 / contestant.lookups for run in times[name]]
        records.add(name, contestant.spec, question, "ns_per_lookup", per_row,
                    {**workload, "lookups": contestant.lookups})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1 << 21)
    parser.add_argument("--ranges", type=int, default=1 << 20)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--range-rounds", type=int, default=1)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()

    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    records = Records(options.records, "python-asof")
    for has_groups in (False, True):
        for is_sorted in (True, False):
            question = (f"ASOF join, {'sorted' if is_sorted else 'unsorted'} left rows, "
                        f"{f'{GROUPS} groups' if has_groups else 'no groups'}")
            workload = {"keys": options.rows, "key_type": "int64", "packages": packages,
                        "groups": GROUPS if has_groups else 0, "sorted": is_sorted}
            contestants, index, build_ms = asof_contestants(
                Workload(options.rows, is_sorted, has_groups))
            records.add("rtindex", index.spec, f"build before {question}", "build_ms", [build_ms],
                        workload)
            report(question, contestants, options.rounds, workload, records)
            del contestants
    if options.ranges:
        report("range join, 8 matches a range", range_contestants(options.rows, options.ranges),
               options.range_rounds, {"keys": options.rows, "key_type": "int64",
                                      "packages": packages}, records)


if __name__ == "__main__":
    main()
