#!/usr/bin/env bash
# The figures in tables of the pages are those of the records.
set -euo pipefail
exec python3 "$(dirname "$0")/figures.py"
