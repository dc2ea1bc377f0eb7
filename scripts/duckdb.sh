#!/usr/bin/env bash
# Builds the DuckDB extension, build/duckdb/rtindex.duckdb_extension.
#
#   scripts/duckdb.sh [--prebuilt FOLDER] [--test] | --headers
#
#   --prebuilt   use the library of a CMake build of this tree (build/ci) and compile only the
#                extension, which then needs the shared libraries of that build: oneTBB, Embree, fmt
#   --test       test it as well, with the duckdb of PyPI
#   --headers    only fetch DuckDB's headers, and print their folder in the last line
#
# Without --prebuilt the file needs only the C library. DuckDB's headers come from the
# source distribution of the Python package duckdb, of the version in build/python/venv or else the
# newest. pip downloads it, from its configured index; if it cannot, the exit status is 3.
# RTINDEX_DUCKDB_DIR names a folder with headers to use instead.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

prebuilt="" test="" headers=""
while (($# > 0)); do
  case "$1" in
    --prebuilt)
      [[ -d "${2:-}" ]] || fail "--prebuilt takes a build folder that exists."
      prebuilt="$(cd "$2" && pwd)"
      shift
      ;;
    --test) test=yes ;;
    --headers) headers=yes ;;
    -h | --help)
      sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done

folder="$root/build/duckdb"
venv="$root/build/python/venv"
mkdir -p "$folder"

if [[ ! -x "$venv/bin/python" ]]; then
  venv="$folder/venv"
  [[ -x "$venv/bin/pip" ]] || python3 -m venv --clear "$venv" ||
    fail "a virtual environment needs Python's venv module; scripts/setup.sh installs it."
fi

# The newest version if none is installed yet.
duckdb_version() {
  "$venv/bin/python" -c 'import duckdb; print(duckdb.__version__)' 2>/dev/null || echo newest
}

if [[ -z "${RTINDEX_DUCKDB_DIR:-}" ]]; then
  RTINDEX_DUCKDB_DIR="$folder/headers-$(duckdb_version)"
  if [[ ! -f "$RTINDEX_DUCKDB_DIR/duckdb_extension.h" ]]; then
    say "fetch DuckDB's headers"
    "$venv/bin/python" "$root/duckdb/fetch_headers.py" "$(duckdb_version)" "$RTINDEX_DUCKDB_DIR" || exit 3
  fi
fi

if [[ -n "$headers" ]]; then
  printf '%s\n' "$RTINDEX_DUCKDB_DIR"
  exit 0
fi

options=(-DCMAKE_BUILD_TYPE=Release -DRTINDEX_DUCKDB=ON "-DRTINDEX_DUCKDB_DIR=$RTINDEX_DUCKDB_DIR"
  -DRTINDEX_CLI=OFF -DRTINDEX_EXPERIMENTS=OFF -DRTINDEX_TESTS=OFF -DRTINDEX_INSTALL=OFF)
if [[ -n "$prebuilt" ]]; then
  options+=("-DRTINDEX_PREBUILT=$prebuilt")
  build_folder="$folder/prebuilt"
else
  options+=(-DRTINDEX_CUDA=OFF -DRTINDEX_EMBREE=OFF -DRTINDEX_EXECUTOR=std
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16)
  build_folder="$folder/complete"
fi

say "build the extension"
if ! log="$(cmake -S "$root" -B "$build_folder" -G Ninja "${options[@]}" 2>&1)"; then
  printf '%s\n' "$log" >&2
  fail "configuring the extension failed; CMake's output is above."
fi
cmake --build "$build_folder" --parallel "$(job_count)" --target rtindex_duckdb_extension
cp "$build_folder/duckdb/rtindex.duckdb_extension" "$folder/"
say "ready: $folder/rtindex.duckdb_extension"

if [[ -n "$test" ]]; then
  if [[ ! -x "$venv/bin/pytest" ]]; then
    "$venv/bin/pip" install --quiet duckdb pytest || exit 3
  fi
  say "test it"
  cd "$root"
  RTINDEX_DUCKDB_EXTENSION="$folder/rtindex.duckdb_extension" "$venv/bin/python" -m pytest -q \
    python/tests/test_duckdb_extension.py
fi
