"""How long does a change of one row from Python take, and the first lookups after it?

    python python/bench/changes.py [--rows N] [--changes N] [--records FILE]

One row at a time of a table with included values is inserted, erased, updated or gets another value. After
each change one call returns the count and the sum of nearly all rows, and another the rows of a range of
some hundred. The goal: at most 30 microseconds for a change with the first answers at 2^24 rows.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
from harness import Records, milliseconds

import rtindex

KINDS = ("insert", "erase", "update", "set_included")
LAST_KEY = 2**62
WARM_UP = 8


class Table:
    """A table of random keys with values, of which one row changes at a time."""

    def __init__(self, spec: str, rows: int):
        self.random = np.random.default_rng(2024)
        self.values = self.random.integers(0, 1000, rows)
        self.total = int(self.values.sum())
        self.index = rtindex.build(self.random.integers(0, LAST_KEY, rows), spec, include={"value": self.values})
        self.rows = self.random.permutation(rows).astype(np.uint32)  # those at the start are erased
        self.erased = 0
        self.width = LAST_KEY // max(rows // 200, 1)

    def change(self, kind: str) -> Callable[[], object]:
        """The next change of one row; what it needs is made before it is timed."""
        key, value = self.random.integers(0, LAST_KEY, 1), self.random.integers(0, 1000, 1)
        if kind == "insert":
            self.total += int(value[0])
            return lambda: self.index.insert(key, {"value": value})
        at = self.erased if kind == "erase" else int(self.random.integers(self.erased, len(self.rows)))
        row = self.rows[at:at + 1]
        if kind == "erase":
            self.erased += 1
            self.total -= int(self.values[row[0]])
            return lambda: self.index.erase(row)
        if kind == "update":
            return lambda: self.index.update(row, key)
        self.total += int(value[0]) - int(self.values[row[0]])
        self.values[row[0]] = value[0]
        return lambda: self.index.set_included(row, value, "value")

    def look_up(self) -> Callable[[], object]:
        """The first count, sum and rows after a change."""
        lower = self.random.integers(0, LAST_KEY - self.width, 1)
        ends = np.array([LAST_KEY // 4]), np.array([LAST_KEY // 4 * 3]), lower, lower + self.width

        def calls() -> None:
            self.index.range(ends[0], ends[1], ["count", "sum"], "value")
            self.index.range(ends[2], ends[3], "rows")

        return calls

    def check(self) -> None:
        if self.index.range(None, None, "sum", "value") != self.total:
            sys.exit("the sum after changes of single rows is wrong; nothing is reported")


def measure(spec: str, rows: int, kind: str, changes: int, records: Records) -> None:
    table = Table(spec, rows)
    times: dict[str, list[float]] = {"change": [], "lookup": []}
    for number in range(changes + WARM_UP):
        for name, call in (("change", table.change(kind)), ("lookup", table.look_up())):
            took = milliseconds(call)[0] * 1000
            if number >= WARM_UP:  # what is made for one version is changed for the next
                times[name].append(took)
    table.check()
    found = {f"{name}_p{rank}_us": float(np.percentile(runs, rank)) for name, runs in times.items()
             for rank in (50, 99)}
    for metric, figure in found.items():
        records.add("rtindex from Python", table.index.spec, kind, metric, [figure],
                    {"change": kind, "changes": changes, "rows": rows})
    print(kind, {metric: round(figure, 1) for metric, figure in found.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", default="rx:native@cpu", metavar="SPEC")
    parser.add_argument("--rows", type=int, default=1 << 24)
    parser.add_argument("--changes", type=int, default=1 << 14)
    parser.add_argument("--records", metavar="FILE")
    options = parser.parse_args()
    if not 0 < options.changes < options.rows - WARM_UP:
        parser.error(f"expected 1 to {options.rows - WARM_UP - 1} changes, each of another row, got {options.changes}")
    records = Records(options.records, "python-changes")
    for kind in KINDS:
        measure(options.index, options.rows, kind, options.changes, records)


if __name__ == "__main__":
    main()
