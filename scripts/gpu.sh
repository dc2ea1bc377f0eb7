#!/usr/bin/env bash
# Builds with CUDA, runs the GPU tests and measures, on a machine with an NVIDIA GPU.
#
#   scripts/gpu.sh [--no-tests | --tests FILTER] [--python] [--sanitize] [--bench[=QUESTIONS]]
#                  [--records FILE] [-- OPTIONS]
#
#   --no-tests   run no tests
#   --tests      a GoogleTest filter ('*native_cuda*'), run by one process; the default is all tests that
#                need a GPU, run by several
#   --python     also build the Python package and run its GPU tests; needs nanobind, pytest, and
#                CuPy or PyTorch
#   --sanitize   also run our kernels under compute-sanitizer (scripts/gpu-sanitize.sh)
#   --bench      run bench_gpu, all or some QUESTIONS (points32,ranges,...)
#   --records    the file that bench_gpu appends to; results/<gpu>/gpu.jsonl by default
#   OPTIONS      for cmake, such as -DRTINDEX_WARPCORE_DIR=...
#
# Installs no packages. CMake looks for them in CMAKE_PREFIX_PATH.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Tests alone on the GPU: of what overlaps there, and of columns that need most of its memory.
alone='*DeviceStreams*:*ManyRows*:*OptixRows*'
all_tests="*cuda*:*Cuda*:*optix*:*Optix*:DeviceWorkload*:Describe*-$alone"
tests="$all_tests" python=no sanitize=no bench=no questions="" records=""
while (($#)); do
  case "$1" in
    --no-tests) tests="" ;;
    --tests) needs_value "$@"; tests="$2"; shift ;;
    --python) python=yes ;;
    --sanitize) sanitize=yes ;;
    --bench) bench=yes ;;
    --bench=*) bench=yes questions="${1#*=}" ;;
    --records) needs_value "$@"; records="$2"; shift ;;
    --) shift; break ;;
    -h | --help) sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown option '$1'; see scripts/gpu.sh --help" ;;
  esac
  shift
done

command -v nvidia-smi >/dev/null || fail "nvidia-smi is not on the PATH: is there an NVIDIA GPU and its driver?"
options=(-DCMAKE_BUILD_TYPE=Release -DRTINDEX_CUDA=ON -DRTINDEX_BENCH=ON -DRTINDEX_PYTHON=OFF)
if [[ $python == yes ]]; then
  nanobind="$(python3 -m nanobind --cmake_dir)" || fail "--python needs nanobind: pip install nanobind"
  options+=(-DRTINDEX_PYTHON=ON "-Dnanobind_DIR=$nanobind")
fi
build="$root/build/gpu"
mkdir -p "$root/build"
say "configure gpu"
cmake -S "$root" -B "$build" -G Ninja "${options[@]}" "$@" >"$build.log" 2>&1 || { cat "$build.log"; fail "configuring failed"; }
tail -4 "$build.log"
say "build gpu"
cmake --build "$build" --parallel "$(nproc)" >"$build.log" 2>&1 ||
  { grep -E -A5 "error|FAILED" "$build.log" | head -60; fail "building failed"; }

# run_tests PROGRAM FILTER PROCESSES: each process runs a share of the tests.
pids=()
run_tests() {
  local program="$1" filter="$2" processes="$3" i log some failed=no
  say "$program, $processes process(es)"
  for ((i = 0; i < processes; ++i)); do
    GTEST_TOTAL_SHARDS="$processes" GTEST_SHARD_INDEX="$i" "$build/bin/$program" \
      --gtest_filter="$filter" >"$build.$program.$i" 2>&1 &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i" || failed=yes; done
  pids=()
  for ((i = 0; i < processes; ++i)); do
    log="$build.$program.$i"
    grep -vE '^Running main|^\[ RUN |^\[       OK|^\[-----|^\[=====|^\[  SKIPPED|^Note: |^$' "$log" || true
    some="$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -1)"
    if [[ -z $some ]]; then
      say "crashed in $(sed -n 's/^\[ RUN      \] //p' "$log" | tail -1)"
      failed=yes
    fi
    passed=$((passed + ${some:-0}))
  done
  [[ $failed == no ]] || fail "$program failed; its output is above"
}

# Kernels of several processes run side by side under MPS. Without it a GPU loses time switching between
# processes. With it a fault in one of them ends all: its cause is the first test that failed or crashed in
# one of the processes. So does killing a process at work: stop MPS before the next run.
start_mps() { command -v nvidia-cuda-mps-control >/dev/null && nvidia-cuda-mps-control -d; }
stop() {
  ((${#pids[@]} == 0)) || kill "${pids[@]}" 2>/dev/null || true
  if [[ $mps == yes ]]; then echo quit | nvidia-cuda-mps-control >/dev/null 2>&1 || true; fi
  mps=no
}
if [[ -n $tests ]]; then
  passed=0 processes=1 mps=no
  trap stop EXIT
  if [[ $tests == "$all_tests" ]] && start_mps; then mps=yes processes="$(smallest 10 "$(nproc)")"; fi
  for program in test_cuda test_optix test_index test_bench test_conformance; do
    run_tests "$program" "$tests" "$processes"
  done
  stop
  if [[ $tests == "$all_tests" ]]; then
    run_tests test_cuda "$alone" 1
    run_tests test_optix "$alone" 1
  fi
  ((passed > 0)) || fail "no test ran: is the GPU available, and does --tests match tests?"
  say "$passed tests passed"
fi
if [[ $python == yes ]]; then
  say "python"
  rm -rf "$build/site"
  cmake --install "$build" --component python --prefix "$build/site" >/dev/null
  cp -r "$root"/python/rtindex/. "$build/site/rtindex/"
  PYTHONPATH="$build/site:${PYTHONPATH:-}" python3 -m pytest -q -p no:cacheprovider \
    "$root"/python/tests/test_*gpu*.py | tee "$build.log" ||
    fail "tests of the Python package failed; their output is above"
  grep -q '[0-9] passed' "$build.log" || fail "no test of the Python package ran: is CuPy or PyTorch installed?"
fi
if [[ $sanitize == yes ]]; then
  say "compute-sanitizer"
  "$root/scripts/gpu-sanitize.sh" "$build"
fi
if [[ $bench == yes ]]; then
  gpu="$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr 'A-Z ' 'a-z-')"
  records="${records:-$root/results/$gpu/gpu.jsonl}"
  mkdir -p "$(dirname "$records")"
  say "measure gpu, records in $records"
  "$build/bin/bench_gpu" --records "$records" ${questions:+--only "$questions"}
fi
