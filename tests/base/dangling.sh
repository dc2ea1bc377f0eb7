#!/usr/bin/env bash
# A ColumnView that outlives the temporary that it views is a warning of Clang; calls with
# temporaries are not.
set -euo pipefail

compiler=${CLANGXX:-clang++}
if ! command -v "$compiler" > /dev/null; then
  echo "skipped: $compiler is not installed"
  exit 77
fi
source=${RTINDEX_SOURCE_DIR:?}
build=$(dirname "$(dirname "${RTINDEX:?}")")

# Reading the header takes most of the time of a case.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
log=$scratch/log
options=(-std=c++20 -Werror=dangling -I "$source/include" -I "$build/include")
"$compiler" "${options[@]}" -x c++-header "$source/include/rtindex/rtindex.hpp" -o "$scratch/rtindex.pch"

compiles() {
  "$compiler" "${options[@]}" -include-pch "$scratch/rtindex.pch" -fsyntax-only -DCASE="$1" \
    "$source/tests/base/dangling/cases.cpp" 2> "$log"
}

# Views of keys and of bitmaps cannot be owned by a vector: those of a temporary do not compile.
for case in 10 11 12 13 14 15; do
  if ! compiles "$case"; then
    cat "$log"
    echo "case $case: expected no error"
    exit 1
  fi
done
for case in 20 21; do
  if compiles "$case" || ! grep -q "deleted" "$log"; then
    cat "$log"
    echo "case $case: expected a call of a deleted function"
    exit 1
  fi
done
for case in 1 2 3 4 5 6 7 8 9; do
  if compiles "$case"; then
    echo "case $case: expected a warning of -Wdangling, got none"
    exit 1
  fi
  if ! grep -q "Wdangling" "$log"; then
    cat "$log"
    echo "case $case: expected a warning of -Wdangling, got another error"
    exit 1
  fi
done
