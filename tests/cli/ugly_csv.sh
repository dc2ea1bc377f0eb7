#!/usr/bin/env bash
# The test that needs pandas is run by python/tests/run.sh.
exec python3 -B "$(dirname "${BASH_SOURCE[0]}")/ugly_csv.py"
