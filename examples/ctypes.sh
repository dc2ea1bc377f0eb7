#!/usr/bin/env bash
# Runs the example in Python with an interpreter that has pyarrow: ctypes.sh LIBRARY
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
for python in "$here/../build/python/venv/bin/python" python3; do
  if "$python" -c "import pyarrow" 2>/dev/null; then exec "$python" "$here/example_ctypes.py" "$1"; fi
done
echo "skipped: pyarrow is not installed; scripts/python.sh installs it" >&2
exit 77
