# shellcheck shell=bash
# Functions of the other scripts; sourced, not run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { printf '==> %s\n' "$*"; }

fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# needs_value OPTION [VALUE...]: fails if the last argument is an option that needs a value.
needs_value() { (($# > 1)) || fail "$1 needs a value; see --help"; }

# sizes FILE...: a line each.
sizes() {
  stat --printf '%s %n\n' "$@" | awk '{ sub(".*/", "", $2); printf "%7.2f MiB  %s\n", $1 / 1048576, $2 }'
}

# The smallest of the arguments.
smallest() { printf '%s\n' "$@" | sort -n | head -n 1; }

# Parallel compilers: one per processor, but no more than fit into memory at 1.5 GiB each.
job_count() {
  local kib limit
  kib="$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)"
  kib="${kib:-4194304}"
  limit="$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)"
  if [[ "$limit" =~ ^[0-9]+$ ]]; then
    kib="$(smallest "$kib" "$((limit / 1024))")"
  fi
  local by_memory=$((kib / 1572864))
  smallest "$(nproc)" "$((by_memory > 0 ? by_memory : 1))"
}

# configure PRESET [CMAKE ARGUMENT...]: quiet unless it fails.
configure() {
  local preset="$1" log
  shift
  say "configure $preset"
  if ! log="$(cd "$root" && cmake --preset "$preset" "$@" 2>&1)"; then
    printf '%s\n' "$log" >&2
    fail "configuring preset '$preset' failed; CMake's output is above."
  fi
}

# build PRESET [TARGET...]
build() {
  local preset="$1"
  shift
  local arguments=(--build "$root/build/$preset" --parallel "$(job_count)")
  if (($# > 0)); then
    arguments+=(--target "$@")
  fi
  say "build $preset"
  cmake "${arguments[@]}"
}
