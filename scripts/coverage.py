#!/usr/bin/env python3
"""Adds up what scripts/coverage.sh has counted.

    scripts/coverage.py COVERAGE.json UNCOVERED.txt [RECORDS]

Prints lines run and lines in all for each folder of src/ and for column_files/, lists the others in UNCOVERED.txt, and
writes a record for each folder to RECORDS.
"""

from __future__ import annotations

import collections
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def line_of(command: list[str], pattern: str) -> str:
    """What a pattern finds in the output of a command."""
    output = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    found = re.search(pattern, output, re.MULTILINE)
    return found.group(1) if found else ""


def main() -> int:
    counted, uncovered, records = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    run: dict[str, int] = collections.Counter()
    lines: dict[str, int] = collections.Counter()
    missing = []
    for file in json.loads(counted.read_text())["files"]:
        folder = file["file"].removeprefix("src/").split("/")[0]
        # A line of a template or a lambda is counted once for each function that it belongs to.
        counts: dict[int, int] = collections.Counter()
        for line in file["lines"]:
            if not line.get("gcovr/noncode"):
                counts[line["line_number"]] += line["count"]
        lines[folder] += len(counts)
        run[folder] += sum(count > 0 for count in counts.values())
        missing += [f"{file['file']}:{number}" for number, count in sorted(counts.items()) if count == 0]
    uncovered.write_text("\n".join(missing) + "\n")
    for folder in sorted(lines):
        print(f"{folder:12} {run[folder]:6} of {lines[folder]:6} lines, {run[folder] / lines[folder]:.1%}")
    if not records or not records[0]:
        return 0
    common = {
        "command": "scripts/coverage.sh",
        "commit": line_of(["git", "rev-parse", "--short=12", "HEAD"], "(.*)"),
        "machine": {"cpu": line_of(["lscpu"], r"^Model name: *(.*)$"), "cores": os.cpu_count(),
                    "arch": platform.machine(),
                    "compiler": "g++ " + line_of(["g++", "-dumpfullversion"], "(.*)")},
    }
    with open(records[0], "w", encoding="utf-8") as out:
        for folder in sorted(lines):
            record = {"experiment": "coverage", "index": "every index", "series": folder,
                      "metric": "lines_run", "value": run[folder], "status": "ok",
                      "workload": {"lines": lines[folder]}, **common}
            out.write(json.dumps(record, separators=(",", ":")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
