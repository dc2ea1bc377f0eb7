"""How fast is rtindex compared with pandas, polars, pyarrow, NumPy and DuckDB?

Point lookups (which row holds this key?) and range counts on a column of distinct random 64-bit
keys, and point lookups on four kinds of strings against polars. All contestants get the same arrays, and their answers are checked before their times count.
Preparation that happens once (sorting, hashing, a database index) is not timed; what a library
repeats in every call is.

    python python/bench/peers.py [--keys N] [--lookups N] [--rounds N] [--records FILE]
        [--questions {points,ranges,strings} ...] [--strings N] [--string-lookups N]

The goal is at least three times the speed of each at 10 million keys, and twice the speed of
polars' join on each kind of strings.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import random
import statistics
from collections.abc import Callable, Iterator

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from harness import Contestant, Records, milliseconds, race

import rtindex

# One query each: a batch of millions would take hours.
SINGLE_QUERIES = 1000
PACKAGES = ["numpy", "pandas", "polars", "duckdb", "pyarrow"]
MISS = rtindex.MISS


class Workload:
    """The keys, half of the lookups among them, and ranges with about eight keys each."""

    def __init__(self, keys: int, lookups: int):
        random = np.random.default_rng(2024)
        self.keys = random.permutation(np.unique(random.integers(0, 2**62, keys + keys // 100)))
        self.keys = self.keys[:keys]
        # Misses are spread among the keys, so that no index can skip them by range.
        misses = random.integers(0, 2**62, lookups)
        hit = random.random(lookups) < 0.5
        self.lookups = np.where(hit, self.keys[random.integers(0, keys, lookups)], misses)
        order = np.argsort(self.keys)
        self.sorted = self.keys[order]
        places = np.minimum(np.searchsorted(self.sorted, self.lookups), keys - 1)
        found = self.sorted[places] == self.lookups
        self.rows = np.where(found, order[places], MISS).astype(np.uint32)
        self.lower = random.integers(0, 2**62, lookups)
        self.upper = self.lower + (2**62 // keys) * 8
        self.counts = (np.searchsorted(self.sorted, self.upper, "right")
                       - np.searchsorted(self.sorted, self.lower, "left"))

    def right_rows(self, found, count=None) -> bool:
        return np.array_equal(np.asarray(found), self.rows[:count])

    def right_counts(self, found, count=None) -> bool:
        return np.array_equal(np.asarray(found), self.counts[:count])


def database(work: Workload, art: bool) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    keys, lookups = pa.table({"key": work.keys}), pa.table({  # noqa: F841: read by the queries
        "key": work.lookups, "low": work.lower, "high": work.upper,
        "place": np.arange(work.lookups.size)})
    connection.execute("CREATE TABLE keys AS SELECT key FROM keys")
    connection.execute("CREATE TABLE lookups AS SELECT * FROM lookups")
    if art:
        connection.execute("CREATE INDEX art ON keys (key)")
    return connection


def point_contestants(work: Workload) -> tuple[list[Contestant], dict[str, float]]:
    size = work.lookups.size
    build_ms = {}

    def built(name, make):
        build_ms[name], result = milliseconds(make)
        return result

    index = built("rtindex", lambda: rtindex.build(work.keys))
    order = built("numpy.searchsorted", lambda: np.argsort(work.keys))
    ordered = work.keys[order]
    labels = pd.Index(work.keys)
    built("pandas get_indexer", lambda: labels.get_indexer(work.lookups[:1]))
    left = pl.DataFrame({"key": work.lookups})
    right = pl.DataFrame({"key": work.keys}).with_row_index("row")
    value_set, batch = pa.array(work.keys), pa.array(work.lookups)
    hashed = built("DuckDB hash join", lambda: database(work, art=False))
    art = built("DuckDB ART index", lambda: database(work, art=True))

    def searchsorted():
        places = np.searchsorted(ordered, work.lookups)
        places[places == ordered.size] = 0
        return np.where(ordered[places] == work.lookups, order[places], MISS)

    def polars_join():
        joined = left.join(right, on="key", how="left", maintain_order="left")
        return joined["row"].fill_null(MISS).to_numpy()

    def duckdb_join():
        return hashed.execute("""SELECT coalesce(keys.rowid, 4294967295) AS row
            FROM lookups LEFT JOIN keys ON lookups.key = keys.key
            ORDER BY place""").fetchnumpy()["row"]

    def duckdb_art():
        found = []
        for key in work.lookups[:SINGLE_QUERIES].tolist():
            row = art.execute("SELECT rowid FROM keys WHERE key = ?", [key]).fetchone()
            found.append(MISS if row is None else row[0])
        return found

    return [
        Contestant("rtindex", lambda: index.lookup(work.lookups), work.right_rows, size,
                   index.spec),
        Contestant("numpy.searchsorted", searchsorted, work.right_rows, size),
        Contestant("pandas get_indexer", lambda: labels.get_indexer(work.lookups),
                   lambda found: work.right_rows(found.astype(np.uint32)), size),
        Contestant("polars join", polars_join, work.right_rows, size),
        Contestant("pyarrow index_in", lambda: pc.index_in(batch, value_set=value_set),
                   lambda found: work.right_rows(found.fill_null(-1).to_numpy().astype(np.uint32)),
                   size),
        Contestant("DuckDB hash join", duckdb_join, work.right_rows, size),
        Contestant("DuckDB ART index", duckdb_art,
                   lambda found: work.right_rows(found, SINGLE_QUERIES), SINGLE_QUERIES),
    ], build_ms


def range_contestants(work: Workload) -> list[Contestant]:
    size = work.lower.size
    index = rtindex.build(work.keys)
    series = pl.Series(work.sorted)
    labels = pd.Index(work.sorted)
    database_with_art = database(work, art=True)

    def polars_search():
        return (series.search_sorted(work.upper, side="right").to_numpy().astype(np.int64)
                - series.search_sorted(work.lower, side="left").to_numpy())

    def duckdb_range_join():
        return database_with_art.execute(f"""SELECT count(keys.key) AS n
            FROM lookups LEFT JOIN keys ON keys.key BETWEEN low AND high
            WHERE place < {SINGLE_QUERIES} GROUP BY place ORDER BY place""").fetchnumpy()["n"]

    def duckdb_filter():
        return [database_with_art.execute("SELECT count(*) FROM keys WHERE key BETWEEN ? AND ?",
                                          [low, high]).fetchone()[0]
                for low, high in zip(work.lower[:SINGLE_QUERIES // 10].tolist(),
                                     work.upper[:SINGLE_QUERIES // 10].tolist())]

    return [
        Contestant("rtindex", lambda: index.range(work.lower, work.upper, "count"),
                   work.right_counts, size, index.spec),
        Contestant("numpy.searchsorted",
                   lambda: (np.searchsorted(work.sorted, work.upper, "right")
                            - np.searchsorted(work.sorted, work.lower, "left")),
                   work.right_counts, size),
        Contestant("pandas searchsorted",
                   lambda: labels.searchsorted(work.upper, "right")
                   - labels.searchsorted(work.lower, "left"), work.right_counts, size),
        Contestant("polars search_sorted", polars_search, work.right_counts, size),
        Contestant("DuckDB range join", duckdb_range_join,
                   lambda found: work.right_counts(found, SINGLE_QUERIES), SINGLE_QUERIES),
        Contestant("DuckDB ART index", duckdb_filter,
                   lambda found: work.right_counts(found, SINGLE_QUERIES // 10),
                   SINGLE_QUERIES // 10),
    ]


HOSTS = ["www.example.org", "shop.example.com", "en.wiki.example.net", "api.io"]
WORDS = ["about", "blog", "cart", "docs", "help", "image", "items", "search", "users", "video"]


def string_kinds() -> Iterator[tuple[str, Callable[[int], str]]]:
    """Strings by number, all different, as in bench/workload/string_columns.hpp."""
    chance = random.Random(1)
    yield "urls", lambda n: f"https://{chance.choice(HOSTS)}/{chance.choice(WORDS)}/{n}"
    yield "uuids", lambda n: f"{chance.getrandbits(128):032x}"
    yield "names", lambda n: f"customer-{n:09d}"
    # Odd factors keep numbers apart.
    yield "short", lambda n: f"{n * 2654435761 % 2**32:x}"


def string_contestants(make: Callable[[int], str], keys: int,
                       lookups: int) -> tuple[list[Contestant], dict[str, float]]:
    """polars builds its hash table in every join."""
    choice = np.random.default_rng(2024)
    column = pa.array([make(n) for n in choice.permutation(keys).tolist()], pa.large_string())
    rows = choice.integers(0, keys, lookups)
    batch = column.take(pa.array(rows))
    left = pl.DataFrame({"key": pl.from_arrow(batch)})
    right = pl.DataFrame({"key": pl.from_arrow(column)}).with_row_index("row")

    def right_rows(found) -> bool:
        return np.array_equal(np.asarray(found), rows)

    contestants, build_ms = [], {}
    for name, spec in [("rtindex", "rx:native@cpu"), ("rtindex hash", "hash@cpu")]:
        build_ms[name], index = milliseconds(lambda spec=spec: rtindex.build(column, spec))
        contestants.append(Contestant(name, lambda index=index: index.lookup(batch), right_rows,
                                      lookups, index.spec))
    contestants.append(Contestant(
        "polars join",
        lambda: left.join(right, on="key", how="left", maintain_order="left")["row"].to_numpy(),
        right_rows, lookups))
    return contestants, build_ms


def report(question: str, contestants: list[Contestant], rounds: int, workload: dict,
           records: Records) -> None:
    times = race(contestants, rounds)
    medians = {contestant.name: statistics.median(times[contestant.name]) * 1e6 / contestant.lookups
               for contestant in contestants}
    print(f"\n{question}: nanoseconds a lookup, median of {rounds}, and times slower than rtindex")
    for contestant in contestants:
        name = contestant.name
        print(f"  {name:<22}{medians[name]:>16,.1f}{medians[name] / medians['rtindex']:>12,.1f}x")
        per_lookup = [run * 1e6 / contestant.lookups for run in times[name]]
        records.add(name, contestant.spec, question, "ns_per_lookup", per_lookup,
                    {**workload, "lookups": contestant.lookups})


def report_integers(options: argparse.Namespace, packages: dict, records: Records) -> None:
    work = Workload(options.keys, options.lookups)
    workload = {"keys": options.keys, "key_type": "int64", "hit_rate": 0.5, "packages": packages}
    if "points" in options.questions:
        points, build_ms = point_contestants(work)
        report("point lookups", points, options.rounds, workload, records)
        for name, spent in build_ms.items():
            records.add(name, "", "preparation before point lookups", "build_ms", [spent], workload)
        del points
    if "ranges" in options.questions:
        report("range counts", range_contestants(work), options.rounds, workload, records)


def report_strings(options: argparse.Namespace, packages: dict, records: Records) -> None:
    for kind, make in string_kinds():
        contestants, build_ms = string_contestants(make, options.strings, options.string_lookups)
        workload = {"keys": options.strings, "key_type": "string", "kind": kind, "hit_rate": 1.0,
                    "packages": packages}
        report(f"point lookups of strings: {kind}", contestants, options.rounds, workload, records)
        for contestant in contestants:
            if contestant.name in build_ms:
                records.add(contestant.name, contestant.spec,
                            f"preparation before point lookups of strings: {kind}", "build_ms",
                            [build_ms[contestant.name]], workload)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keys", type=int, default=10_000_000)
    parser.add_argument("--lookups", type=int, default=1 << 22)
    parser.add_argument("--strings", type=int, default=1 << 21)
    parser.add_argument("--string-lookups", type=int, default=1 << 20)
    questions = ["points", "ranges", "strings"]
    parser.add_argument("--questions", nargs="+", choices=questions, default=questions)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()

    packages = {name: importlib.metadata.version(name) for name in PACKAGES}
    records = Records(options.records, "python-peers")
    if {"points", "ranges"} & set(options.questions):
        report_integers(options, packages, records)
    if "strings" in options.questions:
        report_strings(options, packages, records)


if __name__ == "__main__":
    main()
