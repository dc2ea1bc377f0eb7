#!/usr/bin/env bash
# The figures of docs/reliability.md are those of the records.
set -euo pipefail
exec python3 "$RTINDEX_SOURCE_DIR/scripts/reliability.py" --check
