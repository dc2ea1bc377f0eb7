#!/usr/bin/env bash
# Runs tests on the GPU under compute-sanitizer: every index, every answer, points and ranges,
# updates, several streams. Fails if a tool reports an error or an answer is wrong.
#
#   scripts/gpu-sanitize.sh [--filter TESTS] [BUILD] [TOOL...]
#
#   --filter   a GoogleTest filter for test_cuda; the default is a selection that takes minutes
#   BUILD      build folder that contains bin/test_cuda; build/gpu by default
#   TOOL       tools of compute-sanitizer; memcheck, racecheck and initcheck by default
#
# memcheck also runs indexes that cast rays, on little data: tracing in software is slow.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

filter=""
while (($#)); do
  case "$1" in
    --filter) needs_value "$@"; filter="$2"; shift ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "unknown option '$1'; see scripts/gpu-sanitize.sh --help" ;;
    *) break ;;
  esac
  shift
done
program="${1:-$root/build/gpu}/bin/test_cuda"
tools=("${@:2}")
((${#tools[@]})) || tools=(memcheck racecheck initcheck)
[[ -x $program ]] || fail "$program does not exist: build it with scripts/gpu.sh --no-tests"
command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"

# tests_for TOOL|rays: dense and sparse, 32-bit and 64-bit, unique and duplicate keys, with and
# without nulls. racecheck checks shared memory and takes up to fifteen seconds a test: it runs the
# tests of kernels that use shared memory.
tests_for() {
  local tests each
  if [[ -n $filter ]]; then
    tests="$filter"
  elif [[ $1 == rays ]]; then
    tests="*optix*_dense_u32:*optix*_duplicates_x256-*nulls*"
  elif [[ $1 == racecheck ]]; then
    tests="Cuda/DeviceUpdateCalls.OfMany*:Cuda/DeviceLongRanges.*/rx_native_cuda_gather_off"
    for each in rx_native_cuda sorted_cuda btree_cuda hash_cuda; do tests+=":Cuda/DeviceData.*/${each}_dense_u32"; done
    for each in dense_u32 duplicates_x256 extremes_i64; do
      tests+=":Cuda/DeviceData.*/rx_native_cuda_gather_on_$each"
    done
  else
    tests="Cuda/DeviceCalls.RunOn*:Cuda/DeviceCalls.Write*:Cuda/DeviceUpdateCalls.OfMany*:Cuda/DeviceGrid.*"
    tests+=":Cuda/DeviceLongRanges.*"
    for each in dense_u32 duplicates_x256 nulls_sparse_u64 extremes_i64; do
      tests+=":Cuda/DeviceData.*_$each:Cuda/DeviceUpdates.*_$each"
    done
    tests+="-*optix*"
  fi
  echo "$tests"
}

# One process at a time: a GPU loses time switching between processes.
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
run_tool() {
  say "compute-sanitizer $1"
  compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 5 "$program" \
    --gtest_filter="$(tests_for "$2")" 2>&1 | tee "$log" | grep -vE '^\[ RUN ' ||
    fail "compute-sanitizer $1 reported errors; see above"
  tests="$(grep -c '^\[       OK ' "$log" || true)"
  say "compute-sanitizer $1: $tests tests$( ((tests == 0)) || echo ", clean")"
}
for tool in "${tools[@]}"; do
  run_tool "$tool" "$tool"
  ((tests > 0)) || fail "no test ran: is there a GPU, and does --filter match tests?"
  # Without OptiX all of these are skipped.
  if [[ -z $filter && $tool == memcheck ]]; then run_tool memcheck rays; fi
done
