#!/usr/bin/env bash
# Counts the lines of src/ and column_files/ that the C++ tests run, on a CPU.
#
#   scripts/coverage.sh [--records FILE] [--no-build]
#
#   --records FILE   write a JSON line for each folder: lines run, lines in all, commit, machine
#   --no-build       tests were run before: only count
#
# build/coverage/uncovered.txt then lists the lines that no test runs. GPU code, pictures, the command and
# Python are not built.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

records="" builds=true
while (($# > 0)); do
  case "$1" in
    --records)
      needs_value "$@"
      records="$2"
      shift
      ;;
    --no-build) builds=false ;;
    -h | --help)
      sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done

folder="$root/build/coverage"
if $builds; then
  configure coverage
  build coverage
  find "$folder" -name '*.gcda' -delete
  (cd "$folder" && ctest --output-on-failure -j "$(nproc)" -LE 'house|package') ||
    fail "a test failed; its output is above."
fi

if [[ ! -x "$folder/venv/bin/gcovr" ]]; then
  say "install gcovr"
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet gcovr
fi
say "count"
"$folder/venv/bin/gcovr" --root "$root" --filter "$root/src/" --filter "$root/column_files/" --object-directory "$folder" \
  --exclude-unreachable-branches --gcov-ignore-parse-errors=all --json "$folder/coverage.json" "$folder" \
  >"$folder/gcovr.log" 2>&1 || { tail -n 20 "$folder/gcovr.log" >&2; fail "gcovr failed"; }
python3 "$root/scripts/coverage.py" "$folder/coverage.json" "$folder/uncovered.txt" "$records"
