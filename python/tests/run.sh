#!/usr/bin/env bash
# Installs the packages into their virtual environment and runs the tests beside this file, for ctest,
# the parts of tests/cli that need pandas and DuckDB, and the installed report; the tests of its
# modules need no package and are tests of their own. RTINDEX names the command.
# Arguments: the build folder whose libraries to take, then any for pytest.
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
prebuilt="$1"
shift

status=0
"$root/scripts/python.sh" --prebuilt "$prebuilt" || status=$?
if ((status == 3)); then
  echo "skipped: the packages that the tests import cannot be installed"
  exit 77
fi
((status == 0)) || exit "$status"

# The DuckDB extension is tested with the rest; without DuckDB's headers its tests are skipped.
"$root/scripts/duckdb.sh" --prebuilt "$prebuilt" || status=$?
case "$status" in
  0) export RTINDEX_DUCKDB_EXTENSION="$root/build/duckdb/rtindex.duckdb_extension" ;;
  3) ;;
  *) exit "$status" ;;
esac
python="$root/build/python/venv/bin/python"
# Tests start a hundred processes, most of which import pandas or Dask: they share its bytecode, also
# where the caller wants none beside the sources.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX="$root/build/python/bytecode"
(cd "$root/tests/cli" && "$python" -B -m unittest ugly_csv.UglyFiles.test_pandas_reads_the_same \
  pipes.Pipes.test_duckdb)
cd "$root" && exec "$python" -m pytest -q \
  python/tests report/tests/test_command.py "$@"
