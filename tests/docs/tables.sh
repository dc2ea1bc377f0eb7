#!/usr/bin/env bash
# The tables and figures of the pages are those of the records, and the check can fail.
set -euo pipefail
python3 -B "$RTINDEX_SOURCE_DIR/scripts/tables" --self-test
python3 -B "$RTINDEX_SOURCE_DIR/scripts/tables" --check
