#!/usr/bin/env bash
# Installs what building and testing need, on Debian and its relatives. Touches nothing that is
# there already, and asks for nothing when all is there.
#
#   scripts/setup.sh [--browser]
#
#   --browser   also install Chromium, in which the report's page is tested
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Programs, as command:package. One that is on the PATH counts, wherever it came from.
programs=(
  g++:g++ cmake:cmake ninja:ninja-build pkg-config:pkg-config python3:python3 git:git
)
case "${1:-}" in
  "") ;;
  --browser) programs+=(chromium:chromium) ;;
  -h | --help)
    sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  *) fail "unknown option '$1'; see --help." ;;
esac
libraries=(
  libembree-dev libtbb-dev libfmt-dev libcli11-dev nlohmann-json3-dev libgtest-dev libabsl-dev
  python3-dev python3-venv
)

if ! command -v apt-get >/dev/null; then
  say "no apt-get here: install g++ 12, CMake 3.25, Ninja, oneTBB, fmt, CLI11, nlohmann-json,"
  say "GoogleTest, Abseil and Embree yourself; going on with what is there"
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
    fail "packages are missing and neither root nor sudo is at hand; as root, run:
  apt-get install ${missing[*]}"
  as_root=(sudo)
fi

# Packages are set up without questions; apt's own chatter is shown only when something fails.
quietly() {
  local log
  if ! log="$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "$@" 2>&1)"; then
    printf '%s\n' "$log" >&2
    fail "'$*' failed; its words are above."
  fi
}

say "install ${missing[*]}"
quietly apt-get update -q
quietly apt-get install -q -y --no-install-recommends "${missing[@]}"
