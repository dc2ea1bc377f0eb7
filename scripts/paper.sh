#!/usr/bin/env bash
# Runs the paper's experiments at the paper's sizes on a machine with an NVIDIA GPU. Continues where
# the last run stopped, and prints the progress.
#
#   scripts/paper.sh [--minutes N] [--limit SECONDS] [--runs-limit SECONDS] [--records FOLDER]
#                    [--rtindex PROGRAM] [--status] [EXPERIMENT...]
#
#   --minutes     start only experiments that are estimated to finish within this time
#   --limit       abandon a batch after this many seconds (60)
#   --runs-limit  seconds for the five runs of a point; longer ones run once (3)
#   --records     the folder of the records; results/<gpu>/ by default
#   --rtindex     the program; by default build/gpu/bin/rtindex, as scripts/gpu.sh --no-tests builds it
#   --status      print the progress, and measure nothing
#
# Section 3 measures rx:optix alone, section 4 compares it with the other indexes. All data are
# generated, sorted and checked on the GPU. The seconds below are those of an H200, which traces rays
# in software, with --limit 8 --runs-limit 0.4. Where extended mode degenerates (key-stride,
# coordinate-scale), a single lookup takes half a minute there, and a launch cannot be cancelled.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

rays="rx:optix@cuda"
everyone="rx:optix@cuda rx:native@cuda hash@cuda btree@cuda sorted@cuda"

# Section, experiment and expected seconds; in each section the shortest come first.
plan="
3 decomposition-uniform 5
3 decomposition-ranges 10
3 key-modes 12
3 decomposition-points 15
3 range-rays 25
3 point-rays 30
3 primitives 30
3 updates 55
3 coordinate-scale 120
3 key-stride 150
4 sorting-floor 1
4 memory 2
4 hardware 2
4 build-time 3
4 lookups 5
4 key-size 5
4 order 5
4 keys 6
4 ranges 10
4 hit-rate 12
4 outside-misses 12
4 multiplicity 12
4 key-skew 15
4 lookup-skew 20
4 batches 35
"

minutes=100000 limit=60 runs_limit=3 records="" program="$root/build/gpu/bin/rtindex" status=no chosen=()
while (($#)); do
  case "$1" in
    --minutes) needs_value "$@"; minutes="$2"; shift ;;
    --limit) needs_value "$@"; limit="$2"; shift ;;
    --runs-limit) needs_value "$@"; runs_limit="$2"; shift ;;
    --records) needs_value "$@"; records="$2"; shift ;;
    --rtindex) needs_value "$@"; program="$2"; shift ;;
    --status) status=yes ;;
    -h | --help) sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "unknown option '$1'; see scripts/paper.sh --help" ;;
    *) chosen+=("$1") ;;
  esac
  shift
done

[[ -x "$program" ]] || fail "$program does not exist: build it with scripts/gpu.sh --no-tests, or pass --rtindex"
[[ "$minutes" =~ ^[0-9]+$ ]] || fail "--minutes takes a whole number, not '$minutes'"
[[ "$limit" =~ ^[0-9.]+$ ]] || fail "--limit takes a number of seconds, not '$limit'"
[[ "$runs_limit" =~ ^[0-9.]+$ ]] || fail "--runs-limit takes a number of seconds, not '$runs_limit'"
if [[ -z "$records" ]]; then
  command -v nvidia-smi >/dev/null || fail "nvidia-smi is not on the PATH: name a folder with --records"
  records="$root/results/$(nvidia-smi --query-gpu=name --format=csv,noheader | head -1 | tr 'A-Z ' 'a-z-')"
fi
for name in "${chosen[@]}"; do
  grep -q " $name " <<<"$plan" || fail "unknown experiment '$name': choose from $(awk '{ printf "%s ", $2 }' <<<"$plan")"
done

# bench_of SECTION ARGUMENT...: rtindex bench with the indexes of the section.
bench_of() {
  local indexes=()
  read -ra indexes <<<"$([[ "$1" == 3 ]] && echo "$rays" || echo "$everyone")"
  shift
  "$program" bench --scale paper --limit "$limit" --runs-limit "$runs_limit" "${indexes[@]/#/--index=}" "$@"
}

# The plan's lines of a section, as far as they are chosen: experiment and seconds.
planned() {
  local section="$1" name
  while read -r number name seconds; do
    [[ "$number" == "$section" ]] || continue
    ((${#chosen[@]} == 0)) || [[ " ${chosen[*]} " == *" $name "* ]] || continue
    printf '%s %s\n' "$name" "$seconds"
  done <<<"$plan"
}

# work_of SECTION: experiment, all points, points left and the seconds that these may take.
work_of() {
  local names all left
  mapfile -t names < <(planned "$1" | cut -d' ' -f1)
  ((${#names[@]} > 0)) || return 0
  all="$(bench_of "$1" "${names[@]}" --dry-run)" || return
  left="$(bench_of "$1" "${names[@]}" --dry-run -o "$records/")" || return
  paste -d' ' <(planned "$1") - <(printf '%s\n' "$left") <<<"$all" |
    awk '{ printf "%s %d %d %d\n", $1, $4, $6, $4 == 0 ? 0 : int($2 * $6 / $4 + 0.5) }'
}

print_progress() {
  printf '%-24s %8s %8s %10s\n' experiment points left 'seconds left'
  { work_of 3; work_of 4; } | awk '{ printf "%-24s %8d %8d %10d\n", $1, $2, $3, $4; seconds += $4 }
    END { printf "about %d minutes remain\n", (seconds + 59) / 60 }'
}

if [[ $status == yes ]]; then
  print_progress
  exit 0
fi
mkdir -p "$records"

end=$((SECONDS + 60 * minutes))
for section in 3 4; do
  work="$(work_of "$section")"
  left=$((end - SECONDS)) names=()
  while read -r name _ points seconds; do
    ((${points:-0} > 0)) || continue
    if ((seconds <= left)); then
      names+=("$name") left=$((left - seconds))
    else
      say "$name would take about $seconds s: skipped"
    fi
  done <<<"$work"
  ((${#names[@]} > 0)) || continue
  say "section $section: ${names[*]}"
  bench_of "$section" "${names[@]}" --continue -o "$records/" \
    --minutes "$(awk -v s="$((end - SECONDS))" 'BEGIN { print (s > 1 ? s : 1) / 60 }')"
done
print_progress
