#!/usr/bin/env bash
# Checks layout with clang-format and code with clang-tidy, as far as they are installed.
#
#   scripts/lint.sh [--fix] [FILE...]
#
#   --fix   let clang-format rewrite the files, and skip clang-tidy
#
# Without files: everything that git knows or would add; clang-tidy then takes half an hour on two cores.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$root"

fix=false
files=()
for argument in "$@"; do
  case "$argument" in
    --fix) fix=true ;;
    -h | --help)
      sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) files+=("$argument") ;;
  esac
done
if ((${#files[@]} == 0)); then
  mapfile -t files < <(
    git ls-files --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cuh' '*.cu' '*.js' |
      while read -r file; do [[ -e "$file" ]] && printf '%s\n' "$file"; done
  )
fi
((${#files[@]} > 0)) || fail "there are no files to check."

if ! command -v clang-format >/dev/null; then
  say "clang-format is not installed; layout is not checked"
elif $fix; then
  say "clang-format ${#files[@]} files"
  clang-format -i "${files[@]}"
  exit 0
else
  say "clang-format: check ${#files[@]} files"
  clang-format --dry-run -Werror "${files[@]}"
fi

if ! command -v clang-tidy >/dev/null; then
  say "clang-tidy is not installed; code is not checked"
  exit 0
fi
# Clang cannot read the headers that another compiler has compiled in advance.
configure dev -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
# Only what the build compiles; headers are checked through the files that include them.
mapfile -t sources < <(
  for file in "${files[@]}"; do
    grep -qF "\"file\": \"$root/$file\"" build/lint/compile_commands.json && printf '%s\n' "$file"
  done
)
if ((${#sources[@]} > 0)); then
  say "clang-tidy: check ${#sources[@]} files"
  printf '%s\0' "${sources[@]}" |
    xargs -0 -n 1 -P "$(job_count)" clang-tidy --quiet -p build/lint --extra-arg=-Wno-unknown-warning-option
fi
