#!/usr/bin/env python3
"""Writes the figures of docs/reliability.md from the records in results/.

    scripts/reliability.py [--check]

With --check the page stays as it is, and the exit code is 1 where it differs from the records.
"""

from __future__ import annotations

import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- figures: begin -->\n", "<!-- figures: end -->\n"


def what_of(record: dict) -> str | None:
    """What a record counts; None for a record of something else."""
    experiment = record.get("experiment")
    if experiment == "soak" and record["metric"] == "answers_checked":
        return "answers of large random columns checked"
    if experiment == "reliability":
        return record["series"]
    if experiment == "fuzz":
        return f"executions of the fuzzer {record['series']}"
    if experiment == "mutants":
        return f"mutants {record['series']}"
    if experiment == "coverage":
        return f"lines of `src/{record['series']}` that the tests run"
    return None


def rows() -> list[tuple[str, str, str, str]]:
    totals: dict[tuple[str, str, str], float] = collections.defaultdict(float)
    commits: dict[tuple[str, str, str], str] = {}
    details: dict[tuple[str, str, str], str] = {}  # of how many, or in which time, where that is known
    seconds: dict[tuple[str, str, str], int] = collections.defaultdict(int)
    for path in sorted(ROOT.glob("results/*/*.jsonl")):
        if path.stem not in ("soak", "reliability", "fuzz", "mutants", "coverage"):
            continue
        for line in path.read_text().splitlines():
            record = json.loads(line)
            what = what_of(record)
            if what is None:
                continue
            key = (what, path.parent.name, record["command"].split(" --")[0])
            totals[key] += record["value"]
            commits[key] = record["commit"][:7]
            if "lines" in record.get("workload", {}):
                lines = record["workload"]["lines"]
                details[key] = f" of {lines:,}, {record['value'] / lines:.0%}"
            if record["experiment"] == "soak":
                seconds[key] += record["workload"]["seconds"]
                details[key] = f" in {seconds[key] / 60:.0f} minutes"
    return [(what, f"{int(total):,}{details.get((what, machine, command), '')}",
             f"{machine}, {commits[what, machine, command]}", command)
            for (what, machine, command), total in totals.items()]


def table() -> str:
    lines = ["| what | how many | where, commit | by |", "|---|---:|---|---|"]
    lines += [f"| {what} | {total} | {where} | `{command}` |" for what, total, where, command in rows()]
    return "\n".join(lines) + "\n"


def main() -> int:
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    written = before + BEGIN + "\n" + table() + "\n" + END + after
    if "--check" in sys.argv[1:]:
        if written != page:
            print(f"{PAGE} differs from the records: run scripts/reliability.py", file=sys.stderr)
        return int(written != page)
    PAGE.write_text(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
