#!/usr/bin/env bash
# Creates a virtual environment in build/python/venv with the Python packages of this tree (rtindex and
# rtindex-report) and those that their tests, the tutorial and the benchmark import.
#
#   scripts/python.sh [--prebuilt FOLDER]
#
#   --prebuilt   use the libraries of a CMake build of this tree (build/ci) and compile only the
#                bindings
#
# Packages come from PyPI; if it cannot be reached, the exit status is 3.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

prebuilt=()
while (($# > 0)); do
  case "$1" in
    --prebuilt)
      [[ -d "${2:-}" ]] || fail "--prebuilt takes a build folder that exists."
      prebuilt=(--config-settings "cmake.define.RTINDEX_PREBUILT=$(cd "$2" && pwd)")
      shift
      ;;
    -h | --help)
      sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done

venv="$root/build/python/venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1

# The requirements of pyproject.toml, build system first.
requirements() {
  "$venv/bin/python" - "$root/pyproject.toml" <<'PYTHON'
import sys
try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib
with open(sys.argv[1], "rb") as file:
    project = tomllib.load(file)
print(*project["build-system"]["requires"], *project["project"]["dependencies"],
      *project["project"]["optional-dependencies"]["test"], sep="\n")
PYTHON
}

if [[ ! -x "$venv/bin/pip" ]]; then
  say "create $venv"
  python3 -m venv --clear "$venv" ||
    fail "a virtual environment needs Python's venv module; scripts/setup.sh installs it."
fi
mapfile -t needed < <(requirements)
if ! log="$("$venv/bin/pip" install --quiet --no-compile "${needed[@]}" 2>&1)"; then
  printf '%s\n' "$log" >&2
  say "PyPI cannot be reached, or lacks a package; pip's output is above"
  exit 3
fi
say "build and install rtindex"
CMAKE_BUILD_PARALLEL_LEVEL="$(job_count)" "$venv/bin/pip" install --quiet --no-build-isolation \
  --no-deps --force-reinstall "${prebuilt[@]}" "$root"
"$venv/bin/pip" install --quiet --no-build-isolation --no-deps --force-reinstall "$root/report"
say "ready: $venv/bin/python"
