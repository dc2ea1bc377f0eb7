#!/usr/bin/env bash
# Runs tests with data on the GPU under compute-sanitizer: every kind of index, every answer, points
# and ranges, updates, several streams. Fails where a tool finds something or an answer is wrong.
#
#   scripts/gpu-sanitize.sh [--jobs N] [--filter TESTS] [BUILD] [TOOL...]
#
#   --jobs     processes that share the tests (6)
#   --filter   tests of test_cuda, as GoogleTest writes them, instead of a choice that takes minutes
#   BUILD      build folder with bin/test_cuda in it; build/gpu by default
#   TOOL       tools of compute-sanitizer; memcheck, racecheck and initcheck by default
#
# Indexes that cast rays are left out, to end in minutes: --filter '*optix*_dense_u32' asks for some.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A tool makes its notes into every kernel that a process starts, which takes seconds: many tests
# in few processes. Dense and sparse, narrow and wide, unique and repeated keys, with nulls and without.
workloads=(dense_u32 duplicates_x256 nulls_sparse_u64 extremes_i64)
jobs=6 filter=""
# tests_for TOOL: racecheck looks at memory that threads share, whatever the keys, and takes ten
# seconds a test: one workload does.
tests_for() {
  local tests="Cuda/DeviceCalls.RunOn*:Cuda/DeviceCalls.Write*:Cuda/DeviceUpdateCalls.OfMany*:Cuda/DeviceGrid.*" each
  local of=("${workloads[@]}") without="*optix*"
  [[ $1 != racecheck ]] || of=(dense_u32) without+=":*nulls*"
  for each in "${of[@]}"; do tests+=":Cuda/DeviceData.*_$each:Cuda/DeviceUpdates.*_$each"; done
  echo "${filter:-$tests-$without}"
}
while (($#)); do
  case "$1" in
    --jobs) needs_value "$@"; jobs="$2"; shift ;;
    --filter) needs_value "$@"; filter="$2"; shift ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "unknown option '$1'; see scripts/gpu-sanitize.sh --help" ;;
    *) break ;;
  esac
  shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "--jobs takes a number of processes, not '$jobs'"
program="${1:-$root/build/gpu}/bin/test_cuda"
tools=("${@:2}")
((${#tools[@]})) || tools=(memcheck racecheck initcheck)
[[ -x $program ]] || fail "$program is not there: build with scripts/gpu.sh --no-tests first"
command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"

logs="$(mktemp -d)"
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$logs"' EXIT

# in_shards COUNT LOG COMMAND...: a GoogleTest program in COUNT processes that share its tests. What
# they print goes to LOG.0, LOG.1, ...; where one of them fails, its last words come here too.
in_shards() {
  local count="$1" log="$2" i failed=0 processes=()
  shift 2
  for ((i = 0; i < count; ++i)); do
    GTEST_TOTAL_SHARDS="$count" GTEST_SHARD_INDEX="$i" "$@" >"$log.$i" 2>&1 &
    processes+=($!)
  done
  for ((i = 0; i < count; ++i)); do
    wait "${processes[i]}" && continue
    failed=1
    grep -vE '^\[ +(RUN|OK) ' "$log.$i" | tail -60 >&2
  done
  return "$failed"
}

# passed_in LOG: how many tests passed in the processes of in_shards.
passed_in() { cat "$1".* | grep -c '^\[       OK ' || true; }

for tool in "${tools[@]}"; do
  say "compute-sanitizer $tool"
  in_shards "$jobs" "$logs/$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 \
    "$program" --gtest_filter="$(tests_for "$tool")" || fail "compute-sanitizer $tool found something; its words are above"
  tests="$(passed_in "$logs/$tool")"
  ((tests > 0)) || fail "no test was run: is there a GPU, and does --filter name tests?"
  say "compute-sanitizer $tool: $tests tests, clean"
done
