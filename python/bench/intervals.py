"""How fast are interval queries compared with superintervals, polars-bio, bioframe, DuckDB and
polars?

Intervals with uniform starts, in three distributions of lengths: short ones (up to 8 gaps between
starts), the same with one in a thousand up to 2,000 gaps long, and a heavy tail. Queries are two
gaps long. All contestants get the same intervals, and their counts are checked before their times
count. superintervals, polars-bio and bioframe take part where they are installed.

    python python/bench/intervals.py [--rows N] [--queries N] [--rounds N] [--records FILE]

The goals, with 2^20 intervals and queries on two cores: over a built index counts at least 4 times
and pairs at least 2.5 times the speed of the fastest contestant; build included, not slower than
any of them; 4 times DuckDB's join and 20 times polars'.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import statistics
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
from harness import Contestant, Records, milliseconds, race

import rtindex

PACKAGES = ["numpy", "polars", "duckdb", "pyarrow", "superintervals", "polars-bio", "bioframe"]
LENGTHS = ("short", "one in a thousand long", "heavy tail")
GAP = 1000


class Workload:
    """Closed intervals and queries of 32-bit integers, and the number of matches of each query."""

    def __init__(self, rows: int, queries: int, lengths: str):
        random = np.random.default_rng(2026)
        starts = random.integers(0, rows * GAP, rows)
        sizes = random.integers(0, 8 * GAP, rows)
        if lengths == "one in a thousand long":
            long = random.random(rows) < 0.001
            sizes = np.where(long, random.integers(0, 2000 * GAP, rows), sizes)
        elif lengths == "heavy tail":
            sizes = (GAP * (random.random(rows) ** -0.9 - 0.5)).astype(np.int64)
        self.starts = starts.astype(np.int32)
        self.ends = np.minimum(starts + sizes, 2**31 - 1).astype(np.int32)
        self.lower = random.integers(0, rows * GAP, queries).astype(np.int32)
        self.upper = self.lower + np.int32(2 * GAP)
        self.counts = (np.searchsorted(np.sort(self.starts), self.upper, "right")
                       - np.searchsorted(np.sort(self.ends), self.lower, "left"))
        self.pairs = int(self.counts.sum())

    def right_counts(self, found: Any) -> bool:
        return np.array_equal(np.asarray(found), self.counts)

    def right_pairs(self, queries: Any, rows: Any) -> bool:
        queries, rows = np.asarray(queries), np.asarray(rows)
        return len(rows) == self.pairs and bool(
            ((self.starts[rows] <= self.upper[queries])
             & (self.lower[queries] <= self.ends[rows])).all())


def contestants(work: Workload, slow_queries: int) -> tuple[list[Contestant], list[Contestant], str]:
    """Those of counts, and those of pairs."""
    size = len(work.lower)
    column = rtindex.intervals(work.starts, work.ends, ends="[]")
    index = rtindex.build(column, "rx:native@cpu")
    query = rtindex.Query.overlaps(work.lower, work.upper)

    def join(on):
        return on.join(query)

    def right_join(join):
        return work.right_pairs(join.probe, join.column)

    def build():
        return rtindex.build(column, "rx:native@cpu")

    counts = [
        Contestant("rtindex", lambda: index.overlaps(work.lower, work.upper, "count"),
                   work.right_counts, size, index.spec),
        Contestant("rtindex, build included",
                   lambda: build().overlaps(work.lower, work.upper, "count"), work.right_counts,
                   size, index.spec),
    ]
    pairs = [
        Contestant("rtindex", lambda: join(index), right_join, size, index.spec),
        Contestant("rtindex, build included", lambda: join(build()), right_join, size, index.spec),
    ]
    if importlib.util.find_spec("superintervals"):
        from superintervals import IntervalMap

        ready = IntervalMap.from_arrays(work.starts, work.ends)

        def right_lists(found):
            return sum(map(len, found)) == work.pairs

        counts += [
            Contestant("superintervals", lambda: ready.count_batch(work.lower, work.upper),
                       work.right_counts, size),
            Contestant("superintervals, build included",
                       lambda: IntervalMap.from_arrays(work.starts, work.ends).count_batch(
                           work.lower, work.upper), work.right_counts, size)]
        pairs.append(Contestant("superintervals",
                                lambda: ready.search_idxs_batch(work.lower, work.upper),
                                right_lists, size))
    slow = slice(0, slow_queries)
    few = int(work.counts[slow].sum())
    frames = [pl.DataFrame({"chrom": ["chr1"] * len(starts), "start": starts, "end": ends})
              for starts, ends in ((work.lower, work.upper), (work.starts, work.ends))]
    if importlib.util.find_spec("polars_bio"):
        import polars_bio

        polars_bio.set_option("datafusion.bio.coordinate_system_zero_based", False)
        options = {"output_type": "polars.DataFrame"}
        counts.append(Contestant(
            "polars-bio, build included",
            lambda: polars_bio.count_overlaps(*frames, **options),
            lambda found: int(found["count"].sum()) == work.pairs, size))
        pairs.append(Contestant(
            "polars-bio, build included", lambda: polars_bio.overlap(*frames, **options),
            lambda found: len(found) == work.pairs, size))
    if importlib.util.find_spec("bioframe"):
        import bioframe

        pandas_frames = [frame.to_pandas() for frame in frames]
        for frame in pandas_frames:
            frame["end"] += 1  # its intervals are half-open
        pairs.append(Contestant(
            "bioframe, build included",
            lambda: bioframe.overlap(*pandas_frames, how="inner", return_index=True,
                                     return_input=False),
            lambda found: len(found) == work.pairs, size))
    connection = duckdb.connect()
    connection.register("arrow_queries", pa.table({"lower": work.lower[slow],
                                                   "upper": work.upper[slow]}))
    connection.register("arrow_intervals", pa.table({"first": work.starts, "last": work.ends}))
    connection.execute("CREATE TABLE queries AS SELECT * FROM arrow_queries")
    connection.execute("CREATE TABLE intervals AS SELECT * FROM arrow_intervals")
    pairs.append(Contestant(
        "DuckDB inequality join", lambda: connection.sql(
            """SELECT lower, first FROM queries JOIN intervals
               ON first <= upper AND last >= lower""").to_arrow_table(),
        lambda found: found.num_rows == few, slow_queries))
    fewer = slice(0, slow_queries // 8)
    pairs.append(Contestant(
        "polars join_where",
        lambda: frames[0][fewer].join_where(frames[1], pl.col("start_right") <= pl.col("end"),
                                            pl.col("end_right") >= pl.col("start")),
        lambda found: len(found) == int(work.counts[fewer].sum()), slow_queries // 8))
    return counts, pairs, index.spec


def report(question: str, racers: list[Contestant], rounds: int, workload: dict,
           records: Records) -> None:
    times = race(racers, rounds)
    medians = {one.name: statistics.median(times[one.name]) * 1e6 / one.lookups for one in racers}
    fastest = medians[racers[0].name]
    print(f"\n{question}: nanoseconds a query, median of {rounds}, and times slower than "
          f"{racers[0].name}")
    for one in racers:
        print(f"  {one.name:<34}{medians[one.name]:>12,.1f}{medians[one.name] / fastest:>10,.1f}x",
              flush=True)
        records.add(one.name, one.spec, question, "ns_per_lookup",
                    [run * 1e6 / one.lookups for run in times[one.name]],
                    {**workload, "lookups": one.lookups})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1 << 20)
    parser.add_argument("--queries", type=int, default=1 << 20)
    parser.add_argument("--slow-queries", type=int, default=1 << 17,
                        help="those of DuckDB, and eight times those of polars")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    records = Records(options.records, "python-intervals")
    for lengths in LENGTHS:
        work = Workload(options.rows, options.queries, lengths)
        workload = {"keys": options.rows, "key_type": "int32", "packages": packages,
                    "lengths": lengths, "matches": work.pairs / options.queries}
        build_ms, index = milliseconds(lambda: rtindex.build(
            rtindex.intervals(work.starts, work.ends, ends="[]"), "rx:native@cpu"))
        keys = rtindex.build(work.starts, "rx:native@cpu")
        ratio = index.memory_usage().resident / keys.memory_usage().resident
        print(f"\n{lengths}: {workload['matches']:.1f} matches a query, built in {build_ms:.0f} ms, "
              f"{ratio:.2f} times the memory of an index over the starts")
        records.add("rtindex", index.spec, f"build, {lengths}", "build_ms", [build_ms],
                    {**workload, "memory_ratio": ratio})
        counts, pairs, _ = contestants(work, options.slow_queries)
        report(f"counts, {lengths}", counts, options.rounds, workload, records)
        report(f"pairs, {lengths}", pairs, options.rounds, workload, records)


if __name__ == "__main__":
    main()
