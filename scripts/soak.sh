#!/usr/bin/env bash
# Checks random lookups and changes for a chosen time, and stops at the first wrong answer.
# A quarter of the time goes to small columns of every type, of intervals and of points, with random
# settings and changes, whose answers are compared with a scan; the rest to columns of up to 2^26
# rows, checked by closed forms.
#
#   scripts/soak.sh [--minutes N] [--gpu] [--records FILE]
#
#   --minutes   how long; 10 by default
#   --gpu       on a GPU, where the answers are checked as well
#   --records   append what was checked to this file, as JSON lines
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

minutes=10
arguments=()
while (($# > 0)); do
  case "$1" in
    --minutes)
      needs_value "$@"
      [[ "$2" =~ ^[0-9]+$ ]] || fail "--minutes takes a whole number, got '$2'."
      minutes="$2"
      shift
      ;;
    --gpu) arguments+=(--gpu --lookups 26) ;;
    --records)
      needs_value "$@"
      arguments+=(--records "$(realpath -m "$2")")
      shift
      ;;
    -h | --help)
      sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done

configure release
build release test_conformance bench_soak
end=$((SECONDS + minutes * 15))
runs=0
say "small columns of every type"
while ((SECONDS < end)); do
  # A failure prints its seed; RTINDEX_SEED repeats that run.
  RTINDEX_RUNS=200 "$root/build/release/bin/test_conformance" --gtest_filter='Random*' --gtest_brief=1
  runs=$((runs + 200))
done
say "$runs random runs without a difference"
say "large columns"
"$root/build/release/bin/bench_soak" --minutes "$(awk "BEGIN { print $minutes * 0.75 }")" "${arguments[@]}"
