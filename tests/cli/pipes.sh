#!/usr/bin/env bash
# With DuckDB if the environment of the Python package is there.
folder="$(dirname "${BASH_SOURCE[0]}")"
python="$folder/../../build/python/venv/bin/python"
[[ -x "$python" ]] || python=python3
exec "$python" -B "$folder/pipes.py"
