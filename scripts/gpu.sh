#!/usr/bin/env bash
# Builds with CUDA, runs the GPU tests and measures, on a machine with an NVIDIA GPU.
#
#   scripts/gpu.sh [--no-tests] [--sanitize] [--bench[=QUESTIONS]] [--records FILE] [-- OPTIONS]
#
#   --no-tests   build only, and measure where asked to
#   --sanitize   also run every index and answer under compute-sanitizer (scripts/gpu-sanitize.sh)
#   --bench      run bench_gpu, all of it or some QUESTIONS (points32,ranges,...)
#   --records    where bench_gpu appends its measurements; results/<gpu>/gpu.jsonl by default
#   OPTIONS      for cmake, such as -DRTINDEX_WARPCORE_DIR=...
#
# Packages are not installed here. CMAKE_PREFIX_PATH may name where they are.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tests=yes sanitize=no bench=no questions="" records=""
while (($#)); do
  case "$1" in
    --no-tests) tests=no ;;
    --sanitize) sanitize=yes ;;
    --bench) bench=yes ;;
    --bench=*) bench=yes questions="${1#*=}" ;;
    --records) needs_value "$@"; records="$2"; shift ;;
    --) shift; break ;;
    -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown option '$1'; see scripts/gpu.sh --help" ;;
  esac
  shift
done

command -v nvidia-smi >/dev/null || fail "nvidia-smi is not on the PATH: is there an NVIDIA GPU and its driver?"
build="$root/build/gpu"
say "configure gpu"
cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DRTINDEX_CUDA=ON \
  -DRTINDEX_BENCH=ON "$@" >"$build.log" 2>&1 || { cat "$build.log"; fail "configuring failed"; }
tail -4 "$build.log"
say "build gpu"
cmake --build "$build" --parallel "$(nproc)" >"$build.log" 2>&1 ||
  { grep -E -A5 "error|FAILED" "$build.log" | head -60; fail "building failed"; }

if [[ $tests == yes ]]; then
  say "test gpu"
  (cd "$build" && ctest -R cuda --parallel 8 --output-on-failure --no-tests=error | tail -60)
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
