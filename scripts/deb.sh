#!/usr/bin/env bash
# Builds Debian packages: librtindex0.1 (the library), librtindex-dev (headers, CMake and pkg-config
# files) and rtindex (the command).
#
#   scripts/deb.sh [--cuda] [-o FOLDER]
#
#   --cuda   with the code for NVIDIA GPUs
#   -o       the folder of the results; build/debs by default
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

results="$root/build/debs"
arguments=()
while (($# > 0)); do
  case "$1" in
    --cuda) arguments+=(-DRTINDEX_CUDA=ON) ;;
    -o)
      needs_value "$@"
      results="$2"
      shift
      ;;
    -h | --help)
      sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done
mkdir -p "$results"
results="$(cd "$results" && pwd)"
command -v dpkg-shlibdeps >/dev/null || fail "dpkg-shlibdeps is missing; run scripts/setup.sh --packages."

configure debian "${arguments[@]}"
build debian
say "packages"
(cd "$root/build/debian" && cpack -B "$results" >cpack.txt) ||
  fail "cpack failed; its output is in build/debian/cpack.txt."
rm -rf "$results/_CPack_Packages"
# Tags of level error fail; a bare machine has no lintian.
if command -v lintian >/dev/null; then lintian --fail-on error "$results"/*.deb; fi
sizes "$results"/*.deb
