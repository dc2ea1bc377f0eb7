"""Joins in DuckDB, by its own hash join and by an index of the extension: 10^7 and 10^6 rows with unsorted keys.

    python python/bench/duckdb_join.py build/duckdb/rtindex.duckdb_extension [--rows N] [--rounds N] [--out FILE]

Every contestant returns the number of pairs and the sum of the ids of the rows found; a wrong sum ends the program.
"""

from __future__ import annotations

import argparse
import statistics

import duckdb
from harness import Contestant, Records, race

# Name, the table with the index, the table with the lookups, and how an index of the first finds each row.
CASES = [
    ("unique keys, index of the large table", "large", "small", "rtindex_lookup('large', k)"),
    ("unique keys, index of the small table", "small", "large", "rtindex_lookup('small', k)"),
    ("foreign keys, index of the large table", "orders", "small", "unnest(rtindex_rows('orders', k))"),
    ("foreign keys, index of the small table", "small", "orders", "rtindex_lookup('small', k)"),
]


def make_tables(con: duckdb.DuckDBPyConnection, rows: int) -> None:
    """`small` has a tenth of the keys of `large`, each once; `orders` has only keys of `small`."""
    key = "(hash({}) >> 1)::BIGINT AS k"
    con.execute(f"CREATE TABLE large AS SELECT {key.format('i')} FROM range({rows}) r(i)")
    con.execute(f"CREATE TABLE small AS SELECT {key.format('i * 10')} FROM range({rows // 10}) r(i) ORDER BY hash(i + 7)")
    con.execute(f"""CREATE TABLE orders AS SELECT {key.format(f'(hash(i) % {rows // 10})::BIGINT * 10')}
                    FROM range({rows}) r(i)""")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extension")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out")
    arguments = parser.parse_args()
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{arguments.extension}'")
    make_tables(con, arguments.rows)
    records = Records(arguments.out, "duckdb-join")
    print(f"{'case':40} {'DuckDB ms':>10} {'index ms':>9} {'build ms':>9}   faster: built, used twice")
    for name, indexed, lookups, call in CASES:
        join = f"SELECT count(*), sum(i.rowid) FROM {indexed} i JOIN {lookups} l ON i.k = l.k"
        ours = f"SELECT count(id), sum(id) FROM (SELECT {call} AS id FROM {lookups})"
        build = f"SELECT rtindex_build('{indexed}', rowid, k) FROM {indexed}"
        expected = con.execute(join).fetchall()
        count = con.execute(f"SELECT count(*) FROM {lookups}").fetchone()[0]
        size = con.execute(f"SELECT count(*) FROM {indexed}").fetchall()

        def contestant(series: str, query: str, answer: list) -> Contestant:
            return Contestant(series, lambda: con.execute(query).fetchall(), lambda got: got == answer, count)

        con.execute(build)
        times = race([contestant("duckdb", join, expected), contestant("rtindex", ours, expected),
                      contestant("rtindex_build", build, size)], arguments.rounds)
        middle = {series: statistics.median(runs) for series, runs in times.items()}
        spec = con.execute("SELECT spec FROM rtindex_indexes() WHERE name = ?", [indexed]).fetchone()[0]
        for series, runs in times.items():
            records.add(series, "duckdb" if series == "duckdb" else spec, name, "milliseconds", runs,
                        {"rows": arguments.rows, "lookups": count, "duckdb": duckdb.__version__})
        twice = 2 * middle["duckdb"] / (middle["rtindex_build"] + 2 * middle["rtindex"])
        print(f"{name:40} {middle['duckdb']:10.1f} {middle['rtindex']:9.1f} {middle['rtindex_build']:9.1f}"
              f"   {middle['duckdb'] / middle['rtindex']:.1f}x, {twice:.1f}x")


if __name__ == "__main__":
    main()
