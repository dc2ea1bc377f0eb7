#!/usr/bin/env bash
# Builds the fuzzers and runs them, each from its corpus.
#
#   scripts/fuzz.sh [--seconds N] [--jobs N] [--records FILE] [--minimise] [TARGET...]
#
#   --seconds N      how long each target runs (60)
#   --jobs N         processes at once (one per processor); with more of them than targets, several
#                    work on each target
#   --records FILE   append a JSON line for each target: executions, seconds, commit, machine
#   --minimise       afterwards replace fuzz/corpus/TARGET by the 100 inputs that reach most
#   TARGET           a file of fuzz/ without its extension; all of them by default
#
# New inputs are kept in build/fuzz/corpus/TARGET. What fails is kept in build/fuzz/failures;
# build/asan/bin/fuzz_TARGET FILE repeats it.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

seconds=60 jobs="$(nproc)" records="" minimise=false targets=()
while (($# > 0)); do
  case "$1" in
    --seconds | --jobs | --records)
      needs_value "$@"
      printf -v "${1#--}" '%s' "$2"
      shift
      ;;
    --minimise) minimise=true ;;
    -h | --help)
      sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "unknown option '$1'; see --help." ;;
    *) targets+=("$1") ;;
  esac
  shift
done

known=()
for source in "$root"/fuzz/*.cpp; do known+=("$(basename "$source" .cpp)"); done
((${#targets[@]} > 0)) || targets=("${known[@]}")
for target in "${targets[@]}"; do
  [[ -f "$root/fuzz/$target.cpp" ]] || fail "unknown target '$target'; choose from: ${known[*]}"
done

# Longer inputs reach no further code.
longest_input() {
  case "$1" in
    spec | sosd) echo 128 ;;
    text_values) echo 64 ;;
    calls | index_file | intervals | points) echo 256 ;;
    *) echo 512 ;;
  esac
}

folder="$root/build/fuzz" programs="$root/build/asan/bin"
# Leaks are detected at the end only: after every input that is slow if threads keep memory. Weights by
# rare branches (entropic) take most of the time if an input reaches tens of thousands of them.
options=(-print_final_stats=1 -detect_leaks=0 -entropic=0 -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=256
  -artifact_prefix="$folder/failures/")

# Stacks of every allocation, and 256 MiB of freed memory that is kept, take a fifth of the time. Without this
# variable, a failure that is repeated shows them.
export ASAN_OPTIONS="${ASAN_OPTIONS:-malloc_context_size=2:quarantine_size_mb=16}"

# run_target TARGET LOG: one process.
run_target() {
  local target="$1" log="$2" dictionary="$root/fuzz/dictionaries/$1.dict" arguments=()
  [[ -f "$dictionary" ]] && arguments+=(-dict="$dictionary")
  arguments+=(-max_len="$(longest_input "$target")" -max_total_time="$seconds")
  "$programs/fuzz_$target" "${options[@]}" "${arguments[@]}" "$folder/corpus/$target" \
    "$root/fuzz/corpus/$target" >"$log" 2>&1
}

# stat_of TARGET NAME: the sum of a number over the logs of a target; each log may hold it twice.
stat_of() {
  awk -v name="stat::$2:" '$1 == name { last[FILENAME] = $2 }
    END { for (file in last) sum += last[file]; print sum + 0 }' "$folder/logs/$1".*.log
}

record() {
  local target="$1" cpu
  cpu="$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)"
  printf '{"experiment":"fuzz","index":"every index","series":"%s","metric":"executions","value":%d,"status":"ok",' \
    "$target" "$(stat_of "$target" number_of_executed_units)"
  printf '"workload":{"seconds":%d,"processes":%d},"command":"scripts/fuzz.sh --seconds %d %s",' \
    "$seconds" "$processes" "$seconds" "$target"
  printf '"commit":"%s","machine":{"cpu":"%s","cores":%d,"arch":"%s","compiler":"%s"}}\n' \
    "$(git -C "$root" rev-parse --short=12 HEAD)" "$cpu" "$(nproc)" "$(uname -m)" \
    "$(clang++ --version | sed -n '1s/.*version \([0-9.]*\).*/clang++ \1/p')"
}

"$root/scripts/setup.sh" --clang
configure asan
build asan "${targets[@]/#/fuzz_}"
rm -rf "$folder/logs"
mkdir -p "$folder/logs" "$folder/failures"
processes=$((jobs / ${#targets[@]} > 0 ? jobs / ${#targets[@]} : 1))
say "run ${targets[*]}: $seconds seconds each, $processes process(es) per target"
failed=()
for target in "${targets[@]}"; do
  mkdir -p "$folder/corpus/$target" "$root/fuzz/corpus/$target"
  for ((process = 0; process < processes; ++process)); do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    log="$folder/logs/$target.$process.log"
    { run_target "$target" "$log" || touch "$log.failed"; } &
  done
done
wait

total=0
for target in "${targets[@]}"; do
  executions="$(stat_of "$target" number_of_executed_units)"
  total=$((total + executions))
  printf '%-12s %12d executions\n' "$target" "$executions"
  for log in "$folder/logs/$target".*.failed; do
    [[ -e "$log" ]] || continue
    failed+=("$target")
    tail -n 60 "${log%.failed}"
  done
  [[ -z "$records" ]] || record "$target" >>"$records"
done
printf '%-12s %12d executions\n' all "$total"
((${#failed[@]} == 0)) || fail "failed: ${failed[*]}; the inputs are in build/fuzz/failures."

if $minimise; then
  for target in "${targets[@]}"; do
    say "minimise $target"
    rm -rf "$folder/smallest"
    mkdir "$folder/smallest"
    # By branches reached, not by how often. At most 100 inputs of the merge are kept, not its hundreds.
    rm -f "$folder/logs/$target.control"
    mkdir -p "$folder/merged"
    "$programs/fuzz_$target" -set_cover_merge=1 -use_counters=0 -detect_leaks=0 \
      -max_len="$(longest_input "$target")" -merge_control_file="$folder/logs/$target.control" "$folder/merged" \
      "$root/fuzz/corpus/$target" "$folder/corpus/$target" >"$folder/logs/$target.merge" 2>&1
    python3 "$root/scripts/fuzz_corpus.py" "$folder/logs/$target.control" "$folder/smallest"
    rm -rf "$folder/merged"
    rm -rf "$root/fuzz/corpus/$target"
    mv "$folder/smallest" "$root/fuzz/corpus/$target"
  done
fi
