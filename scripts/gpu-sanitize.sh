#!/usr/bin/env bash
# Runs every kind of index on the GPU under compute-sanitizer, on a column small enough for it:
# points and ranges, each answer, each way to gather and to order. Fails at the first finding.
#
#   scripts/gpu-sanitize.sh [BUILD] [TOOL...]
#
#   BUILD   build folder with bin/rtindex in it; build/gpu by default
#   TOOL    tools of compute-sanitizer; memcheck, racecheck and initcheck by default
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
case "${1:-}" in
  -h | --help) sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) fail "unknown option '$1'; see scripts/gpu-sanitize.sh --help" ;;
esac

rtindex="${1:-$root/build/gpu}/bin/rtindex"
tools=("${@:2}")
((${#tools[@]})) || tools=(memcheck racecheck initcheck)
[[ -x $rtindex ]] || fail "$rtindex is not there: build with scripts/gpu.sh --no-tests first"
command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on the PATH; it comes with the CUDA toolkit"

work="$(mktemp -d)"
trap 'wait; rm -rf "$work"' EXIT
# Keys with duplicates and gaps, most of them in one corner; lookups that hit, miss and cross rows.
awk 'BEGIN { srand(7); print "key,value"
  for (i = 0; i < 6000; ++i) print int(rand() * (i % 8 ? 4096 : 4294967295)) "," int(rand() * 1000) }' \
  >"$work/column.csv"
awk 'BEGIN { srand(8); print "lower,upper"
  for (i = 0; i < 700; ++i) { l = int(rand() * (i % 3 ? 5000 : 4294967295))
    print l "," l + int(rand() * (i % 5 ? 40 : 400000000)) } }' >"$work/lookups.csv"

specs='rx:native@cuda rx:native@cuda,order=on,gather=on sorted@cuda,gather=off sorted@cuda,gather=on
  btree@cuda btree@cuda,group=16 hash@cuda hash@cuda,group=8'
# What the driver brings for OptiX is not ours to check: only the kernels around it are.
if "$rtindex" indexes | grep -q 'rx:optix@cuda *yes'; then specs+=' rx:optix'; fi

# run TOOL SPEC KIND ANSWERS: one call of rtindex under the tool; what it printed where it fails.
run() {
  local tool="$1" spec="$2" kind="$3" answers="$4" log="$work/log.$BASHPID"
  local arguments=("$kind" --quiet --column "$work/column.csv" --csv-column key --index "$spec"
    --answer "$answers" -o "$work/out.$BASHPID.npy")
  case "$kind" in
    lookup) arguments+=(--keys "$work/lookups.csv" --keys-csv-column lower) ;;
    range) arguments+=(--lower "$work/lookups.csv" --lower-csv-column lower
      --upper "$work/lookups.csv" --upper-csv-column upper) ;;
  esac
  case "$answers" in
    *sum*) arguments+=(--values "$work/column.csv" --values-csv-column value) ;;
  esac
  compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 "$rtindex" "${arguments[@]}" \
    >"$log" 2>&1 && return
  cat "$log" >&2
  return 1
}

for tool in "${tools[@]}"; do
  runs=0
  for spec in $specs; do
    say "compute-sanitizer $tool: $spec"
    for kind in lookup range; do
      if [[ $kind == range && $spec == hash* ]]; then continue; fi
      jobs=()
      for answers in any any,count first sum sum,min,max rows; do
        run "$tool" "$spec" "$kind" "$answers" &
        jobs+=($!)
      done
      for job in "${jobs[@]}"; do
        wait "$job" || fail "compute-sanitizer $tool found something: rtindex $kind on $spec"
        runs=$((runs + 1))
      done
    done
  done
  say "compute-sanitizer $tool: $runs runs, clean"
done
