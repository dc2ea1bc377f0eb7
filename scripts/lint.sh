#!/usr/bin/env bash
# Checks the layout of C, C++ and JavaScript with clang-format, C++ with clang-tidy, shell scripts with
# ShellCheck, and the subjects of commits.
#
#   scripts/lint.sh [--all | --fix | --changed[=BASE]] [FILE...]
#
#   --all       check every file, which takes half an hour on two cores; the default
#   --fix       rewrite the files with clang-format, and check nothing else
#   --changed   run clang-tidy only on what changed since BASE, for 40 seconds at most, newest
#               first. BASE is the fork point from origin/main by default; on origin/main itself, or
#               without it, the last ten commits count
#   FILE        check these files only
#
# scripts/setup.sh --lint installs the programs. Files of python/src, duckdb and fuzz are compiled with
# headers that pip downloads (nanobind, DuckDB's) and with libFuzzer.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

# The last commit before the rule that a subject has at most 72 characters.
rule_starts_after=62fb259a
longest_subject=72
tidy_seconds=40

mode=all base="" files=()
for argument in "$@"; do
  case "$argument" in
    --all) mode=all ;;
    --fix) mode=fix ;;
    --changed) mode=changed ;;
    --changed=*) mode=changed base="${argument#*=}" ;;
    -h | --help)
      sed -n '2,15s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "unknown option '$argument'; see --help." ;;
    *) files+=("$argument") ;;
  esac
done

needs() {
  command -v "$1" >/dev/null || fail "$1 is not installed: run scripts/setup.sh --lint."
}

# existing: the files of a list that are still there.
existing() {
  local file
  while read -r file; do
    if [[ -f "$file" ]]; then printf '%s\n' "$file"; fi
  done
}

tracked() { git ls-files --cached --others --exclude-standard -- "$@" | existing; }

check_format() {
  needs clang-format
  local formatted
  mapfile -t formatted < <(
    if ((${#files[@]} > 0)); then
      printf '%s\n' "${files[@]}" | grep -E '\.(h|hpp|c|cpp|cuh|cu|js)$' || true
    else
      tracked '*.h' '*.hpp' '*.c' '*.cpp' '*.cuh' '*.cu' '*.js'
    fi
  )
  ((${#formatted[@]} > 0)) || return 0
  say "clang-format: ${#formatted[@]} files"
  if [[ $mode == fix ]]; then
    clang-format -i "${formatted[@]}"
  else
    clang-format --dry-run -Werror "${formatted[@]}"
  fi
}

check_scripts() {
  needs shellcheck
  local scripts
  mapfile -t scripts < <(tracked '*.sh' .ci/run)
  say "shellcheck: ${#scripts[@]} scripts"
  shellcheck -x "${scripts[@]}"
}

# Commits after the rule; in a shallow clone that ends before it, all commits.
check_subjects() {
  local range=HEAD hash subject long=0 count=0
  if git cat-file -e "$rule_starts_after^{commit}" 2>/dev/null; then
    range="$rule_starts_after..HEAD"
  fi
  while read -r hash subject; do
    count=$((count + 1))
    ((${#subject} <= longest_subject)) && continue
    printf '%s: %d characters: %s\n' "$hash" "${#subject}" "$subject" >&2
    long=$((long + 1))
  done < <(git log --no-merges --format='%h %s' "$range")
  say "commit subjects: $count"
  ((long == 0)) || fail "$long commit subjects are longer than $longest_subject characters."
}

# The commits that count as changes.
changed_commits() {
  local fork
  if [[ -n "$base" ]]; then
    git rev-parse --verify --quiet "$base^{commit}" >/dev/null ||
      fail "--changed: '$base' is not a commit."
    echo "$base..HEAD"
    return
  fi
  fork="$(git merge-base HEAD origin/main 2>/dev/null || true)"
  if [[ -n "$fork" && "$fork" != "$(git rev-parse HEAD)" ]]; then
    echo "$fork..HEAD"
  elif git rev-parse --verify --quiet HEAD~10 >/dev/null; then
    echo "HEAD~10..HEAD"
  else
    echo HEAD
  fi
}

# Files of the working tree that changed, then those of commits, the newest first.
changed_files() {
  local commits
  commits="$(changed_commits)"
  {
    git diff --name-only HEAD
    git ls-files --others --exclude-standard
    git log --format= --name-only "$commits"
  } | awk '!seen[$0]++' | existing
}

# Prints nanobind's CMake folder, of the virtual environment of the tests or of one of our own.
nanobind_folder() {
  local venv="$root/build/python/venv"
  if ! "$venv/bin/python" -m nanobind --cmake_dir 2>/dev/null; then
    venv="$root/build/lint-venv"
    [[ -x "$venv/bin/pip" ]] || python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check nanobind
    "$venv/bin/python" -m nanobind --cmake_dir
  fi
}

# not_checked REASON: CI goes on without the network, --all does not.
not_checked() {
  [[ $mode == changed ]] || fail "not checked: $1"
  say "not checked: $1"
}

# configure_for FILE...: build folders whose compile commands have these files, as `folders`.
configure_for() {
  local options=(-DCMAKE_UNITY_BUILD=OFF) nanobind headers
  # clang cannot read the headers that another compiler has precompiled.
  options+=(-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON)
  folders=(build/lint)
  if printf '%s\n' "$@" | grep -q '^fuzz/'; then
    configure asan -B build/lint-fuzz "${options[@]}"
    folders+=(build/lint-fuzz)
  fi
  if printf '%s\n' "$@" | grep -q '^python/src/'; then
    if nanobind="$(nanobind_folder)"; then
      options+=(-DRTINDEX_PYTHON=ON "-Dnanobind_DIR=$nanobind")
    else
      not_checked "python/src: pip cannot install nanobind"
    fi
  fi
  if printf '%s\n' "$@" | grep -q '^duckdb/'; then
    if headers="$("$root/scripts/duckdb.sh" --headers | tail -n 1)"; then
      options+=(-DRTINDEX_DUCKDB=ON "-DRTINDEX_DUCKDB_DIR=$headers")
    else
      not_checked "duckdb: pip cannot download DuckDB's headers"
    fi
  fi
  configure dev -B build/lint "${options[@]}"
}

# folder_of SOURCE: the first of `folders` that compiles it.
folder_of() {
  local folder
  for folder in "${folders[@]}"; do
    if grep -qF "\"file\": \"$root/$1\"" "$folder/compile_commands.json"; then
      printf '%s\n' "$folder"
      return
    fi
  done
}

# sources_of FILE...: what the builds compile of them; a header through a source that includes it.
sources_of() {
  local file source
  for file in "$@"; do
    case "$file" in
      *.cpp) source="$file" ;;
      *.hpp)
        source="${file%.hpp}.cpp"
        if [[ ! -f "$source" ]]; then
          source="$(git grep -lE "#include [<\"](.*/)?${file##*/}[>\"]" -- '*.cpp' | head -n 1 || true)"
        fi
        ;;
      *) continue ;;
    esac
    if [[ -n "$source" && -n "$(folder_of "$source")" ]]; then printf '%s\n' "$source"; fi
  done | awk '!seen[$0]++'
}

check_code() {
  needs clang-tidy
  local chosen sources jobs folders
  if ((${#files[@]} > 0)); then
    chosen=("${files[@]}")
  elif [[ $mode == changed ]]; then
    mapfile -t chosen < <(changed_files)
  else
    mapfile -t chosen < <(tracked '*.hpp' '*.cpp')
  fi
  configure_for "${chosen[@]}"
  mapfile -t sources < <(sources_of "${chosen[@]}")
  say "clang-tidy: ${#sources[@]} files"
  jobs="$(job_count)"
  local running=0 failed=0 left=0 start="$SECONDS" source
  for source in "${sources[@]}"; do
    if [[ $mode == changed ]] && ((SECONDS - start >= tidy_seconds)); then
      left=$((left + 1))
      continue
    fi
    if ((running == jobs)); then
      wait -n || failed=1
      running=$((running - 1))
    fi
    clang-tidy --quiet -p "$(folder_of "$source")" --extra-arg=-Wno-unknown-warning-option "$source" &
    running=$((running + 1))
  done
  while ((running > 0)); do
    wait -n || failed=1
    running=$((running - 1))
  done
  ((left == 0)) || say "clang-tidy: $left files not checked within $tidy_seconds s"
  ((failed == 0)) || fail "clang-tidy found something; its output is above."
}

if [[ $mode == fix ]]; then
  check_format
  exit 0
fi
checks=(check_format)
if ((${#files[@]} == 0)); then checks+=(check_scripts check_subjects); fi
checks+=(check_code)
failed=()
for check in "${checks[@]}"; do
  ("$check") || failed+=("${check#check_}")
done
((${#failed[@]} == 0)) || fail "lint failed: ${failed[*]}"
