#!/usr/bin/env python3
"""Chooses the inputs of a fuzzer that reach most branches: scripts/fuzz.sh --minimise calls this.

    scripts/fuzz_corpus.py CONTROL FOLDER [MOST]

CONTROL is the file of libFuzzer's -merge_control_file, with the branches that each input takes.
At most MOST (100) of the inputs are copied to FOLDER: each time the one that adds most branches,
the smaller one of two.
"""

from __future__ import annotations

import hashlib
import pathlib
import sys


def main() -> int:
    lines = pathlib.Path(sys.argv[1]).read_text().splitlines()
    folder = pathlib.Path(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    inputs = [pathlib.Path(name).read_bytes() for name in lines[2:2 + int(lines[0])]]
    branches: dict[int, set[str]] = {}
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "FT":
            number, *taken = rest.split()
            branches[int(number)] = set(taken)
    for _ in range(most):
        best = max(branches, key=lambda i: (len(branches[i]), -len(inputs[i])), default=None)
        if best is None or not branches[best]:
            break
        taken = branches.pop(best)
        (folder / hashlib.sha1(inputs[best]).hexdigest()).write_bytes(inputs[best])
        for others in branches.values():
            others -= taken
    return 0


if __name__ == "__main__":
    sys.exit(main())
