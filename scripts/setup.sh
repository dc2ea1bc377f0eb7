#!/usr/bin/env bash
# Installs the packages that building and testing need, on Debian and its derivatives. Does nothing
# when all of them are installed.
#
#   scripts/setup.sh [--demo] [--browser] [--clang] [--lint] [--packages]
#
#   --demo      only the packages that scripts/demo.sh needs
#   --browser   also Chromium, which runs the tests of the report's page
#   --clang     also clang with its sanitizers, for scripts/fuzz.sh and scripts/test.sh --sanitize
#   --lint      also clang, clang-format, clang-tidy and ShellCheck, for scripts/lint.sh
#   --packages  also what scripts/deb.sh and scripts/fresh.sh use
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Programs, as command:package. One that is on the PATH counts, wherever it came from.
programs=(g++:g++ cmake:cmake ninja:ninja-build)
libraries=(libembree-dev libtbb-dev libfmt-dev libcli11-dev nlohmann-json3-dev)
test_programs=(pkg-config:pkg-config python3:python3 git:git rustc:rustc jq:jq)
test_libraries=(libgtest-dev libabsl-dev python3-dev python3-venv)
for argument in "$@"; do
  case "$argument" in
    --demo) test_programs=() test_libraries=() ;;
    --browser) programs+=(chromium:chromium) ;;
    --clang)
      programs+=(clang++:clang)
      libraries+=(libclang-rt-dev)
      ;;
    --lint)
      programs+=(clang++:clang clang-format:clang-format clang-tidy:clang-tidy shellcheck:shellcheck)
      libraries+=(libclang-rt-dev)
      ;;
    --packages)
      programs+=(dpkg-shlibdeps:dpkg-dev lintian:lintian help2man:help2man debootstrap:debootstrap)
      ;;
    -h | --help)
      sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$argument'; see --help." ;;
  esac
done
programs+=("${test_programs[@]}")
libraries+=("${test_libraries[@]}")

if ! command -v apt-get >/dev/null; then
  say "apt-get was not found: install g++ 12, CMake 3.25, Ninja, oneTBB, fmt, CLI11, nlohmann-json,"
  say "GoogleTest, Abseil and Embree yourself; continuing with what is installed"
  exit 0
fi

missing=()
for entry in "${programs[@]}"; do
  command -v "${entry%%:*}" >/dev/null || missing+=("${entry##*:}")
done
for package in "${libraries[@]}"; do
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] ||
    missing+=("$package")
done

if ((${#missing[@]} == 0)); then
  say "all packages are installed"
  exit 0
fi

as_root=()
if (($(id -u) != 0)); then
  command -v sudo >/dev/null ||
    fail "packages are missing, and installing them takes root or sudo; as root, run:
  apt-get install ${missing[*]}"
  as_root=(sudo)
fi

# Packages are configured without questions; apt's output is shown only when it fails.
quietly() {
  local log
  if ! log="$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" 2>&1)"; then
    printf '%s\n' "$log" >&2
    fail "'$*' failed; its output is above."
  fi
}

say "install ${missing[*]}"
quietly apt-get update -q
quietly apt-get install -q -y --no-install-recommends "${missing[@]}"
