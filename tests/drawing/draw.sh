#!/usr/bin/env bash
# The tests call the command, as those of tests/cli do.
folder="$(dirname "${BASH_SOURCE[0]}")"
PYTHONPATH="$folder/../cli" exec python3 -B "$folder/draw.py"
