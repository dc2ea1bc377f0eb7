#!/usr/bin/env bash
# Profiles lookups with Nsight Compute, on a machine with an NVIDIA GPU: warps and bandwidth by
# batch size; caches, bytes and instructions by skew, hit rate, key mode and kind of update.
#
#   scripts/profile.sh [--scale SCALE] [--limit SECONDS] [--index SPEC]... [--records FOLDER]
#                      [--rtindex PROGRAM] [PROFILE...]
#
#   --scale     smoke, laptop or paper (2^26 keys, up to 2^24 lookups, the default)
#   --limit     skip batches that take longer than this many seconds without the profiler (20)
#   --index     an index to profile; may be repeated. RX, native, B+-tree, hash and sorted by default
#   --records   where the records go; results/<gpu>/ by default
#   --rtindex   the program; build/gpu/bin/rtindex by default, which scripts/gpu.sh --no-tests builds
#   PROFILE     profile-lookups, profile-skew, ...; all by default
#
# The counters of a GPU may be reserved for the administrator (ERR_NVGPUCTRPERM): run it as root, or
# load the driver with NVreg_RestrictProfilingToAdminUsers=0.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

scale=paper limit=20 records="" program="$root/build/gpu/bin/rtindex" profiles=() indexes=()
while (($#)); do
  case "$1" in
    --scale) needs_value "$@"; scale="$2"; shift ;;
    --limit) needs_value "$@"; limit="$2"; shift ;;
    --records) needs_value "$@"; records="$2"; shift ;;
    --index) needs_value "$@"; indexes+=("$2"); shift ;;
    --rtindex) needs_value "$@"; program="$2"; shift ;;
    -h | --help) sed -n '2,17s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "unknown option '$1'; see scripts/profile.sh --help" ;;
    *) profiles+=("$1") ;;
  esac
  shift
done
((${#indexes[@]} > 0)) || indexes=(rx:optix@cuda rx:native@cuda btree@cuda hash@cuda sorted@cuda)
((${#profiles[@]} > 0)) || profiles=(profile-lookups profile-skew profile-hit-rate profile-modes profile-updates)

[[ -x "$program" ]] || fail "$program does not exist: build it with scripts/gpu.sh --no-tests, or pass --rtindex"
command -v ncu >/dev/null || fail "ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit"
if [[ -z "$records" ]]; then
  command -v nvidia-smi >/dev/null || fail "nvidia-smi is not on the PATH: name a folder with --records"
  records="$root/results/$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr 'A-Z ' 'a-z-')"
fi

mkdir -p "$records"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
metrics="$("$program" bench profiles --metrics)"
for profile in "${profiles[@]}"; do
  say "$profile"
  # Only from cudaProfilerStart to cudaProfilerStop, and without nvidia-smi, which the program starts.
  ncu --profile-from-start off --clock-control none --target-processes application-only --csv --print-units base \
    --metrics "$metrics" --log-file "$work/$profile.csv" \
    "$program" bench "$profile" --scale "$scale" --limit "$limit" --profiled -o "$work/$profile.jsonl" \
    "${indexes[@]/#/--index=}" >"$work/log" 2>&1 ||
    { tail -20 "$work/log" "$work/$profile.csv" 2>/dev/null || true; fail "profiling failed; the end of its output is above"; }
  "$program" bench profiles "$work/$profile.jsonl" "$work/$profile.csv" -o "$records"
done
