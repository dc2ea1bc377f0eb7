#!/usr/bin/env bash
# Runs tests with data on the GPU under compute-sanitizer: every kind of index, every answer, points
# and ranges, updates, several streams. Fails where a tool finds something or an answer is wrong.
#
#   scripts/gpu-sanitize.sh [--filter TESTS] [BUILD] [TOOL...]
#
#   --filter   tests of test_cuda, as GoogleTest writes them, instead of a choice that takes minutes
#   BUILD      build folder with bin/test_cuda in it; build/gpu by default
#   TOOL       tools of compute-sanitizer; memcheck, racecheck and initcheck by default
#
# memcheck also looks at indexes that cast rays, on few data: tracing in software takes its time.
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
[[ -x $program ]] || fail "$program is not there: build with scripts/gpu.sh --no-tests first"
command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"

# tests_for TOOL|rays: dense and sparse, narrow and wide, unique and repeated keys, with nulls and
# without. racecheck looks at memory that threads of a block share and takes up to fifteen seconds a
# test: these are the ways through the kernels that have such memory.
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
      tests+=":Cuda/DeviceData.*/rx_native_cuda_order_on_gather_on_$each"
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

# One process: several make a GPU change from one to the other more than it works.
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
look() {
  say "compute-sanitizer $1"
  compute-sanitizer --tool "$1" --error-exitcode 9 --print-limit 5 "$program" \
    --gtest_filter="$(tests_for "$2")" 2>&1 | tee "$log" | grep -vE '^\[ RUN ' ||
    fail "compute-sanitizer $1 found something; its words are above"
  tests="$(grep -c '^\[       OK ' "$log" || true)"
  say "compute-sanitizer $1: $tests tests$( ((tests == 0)) || echo ", clean")"
}
for tool in "${tools[@]}"; do
  look "$tool" "$tool"
  ((tests > 0)) || fail "no test was run: is there a GPU, and does --filter name tests?"
  # Without OptiX there are none, and all of them are skipped.
  if [[ -z $filter && $tool == memcheck ]]; then look memcheck rays; fi
done
