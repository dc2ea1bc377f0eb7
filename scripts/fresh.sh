#!/usr/bin/env bash
# Runs the demo and the tests on a fresh machine: installs a bare Debian 12 in a folder, clones the
# last commit into it, runs both there and prints how long each took.
#
#   sudo scripts/fresh.sh [--keep] [--sanitize] [--only demo|test | --packages]
#
#   --keep       do not delete the folder
#   --sanitize   pass --sanitize to scripts/test.sh
#   --only       run one of the two
#   --packages   instead build the wheels and the Debian packages here, install them there, in a
#                Debian 12 and (the wheel) a Debian 13 with Python and nothing else, and run the
#                package's tests, the pages' examples and the demo; prints seconds and sizes
#
# Needs root and debootstrap. Packages come from the sources of this machine.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

suite=bookworm
keep=false
test_arguments=()
steps=(demo test)
while (($# > 0)); do
  case "$1" in
    --keep) keep=true ;;
    --sanitize) test_arguments+=(--sanitize) ;;
    --only)
      [[ "${2:-}" == demo || "${2:-}" == test ]] || fail "--only takes demo or test."
      steps=("$2")
      shift
      ;;
    --packages) steps=(packages) ;;
    -h | --help)
      sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) fail "unknown option '$1'; see --help." ;;
  esac
  shift
done

(($(id -u) == 0)) || fail "a chroot needs root; run this with sudo."
command -v debootstrap >/dev/null || fail "debootstrap is missing; apt-get install debootstrap."
command -v git >/dev/null || fail "git is missing; apt-get install git."

# "URI suite" for every enabled source of this machine, in both of apt's formats.
machine_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -e "$file" ]] || continue
    sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]]+([^[:space:]]+).*/\2 \3/p' \
      "$file"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -e "$file" ]] || continue
    awk '
      function flush(   i, j, u, s, m, n) {
        if (types ~ /(^| )deb( |$)/ && tolower(enabled) != "no") {
          m = split(uris, u, " "); n = split(suites, s, " ")
          for (i = 1; i <= m; i++) for (j = 1; j <= n; j++) print u[i], s[j]
        }
        types = uris = suites = enabled = ""
      }
      /^#/ { next }
      /^[[:space:]]*$/ { flush(); next }
      { value = $0; sub(/^[^:]*:[[:space:]]*/, "", value) }
      tolower($1) == "types:" { types = value }
      tolower($1) == "uris:" { uris = value }
      tolower($1) == "suites:" { suites = value }
      tolower($1) == "enabled:" { enabled = value }
      END { flush() }
    ' "$file"
  done
}

chroots=()
clean_up() {
  local folder place
  for folder in "${chroots[@]}"; do
    for place in sys proc; do
      if mountpoint -q "$folder/$place"; then umount "$folder/$place"; fi
    done
    if $keep; then
      say "kept $folder"
    else
      rm -rf --one-file-system "$folder"
    fi
  done
}
trap clean_up EXIT

# in_chroot COMMAND...: in the chroot, with nothing of our environment but proxies and the package
# index.
in_chroot() {
  local environment=(HOME=/root LANG=C.UTF-8 "TERM=${TERM:-dumb}"
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
  local name
  for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL; do
    if [[ -n "${!name:-}" ]]; then environment+=("$name=${!name}"); fi
  done
  chroot "$chroot_dir" env -i "${environment[@]}" "$@"
}

# enter SUITE PACKAGES: makes a chroot with these packages and a clone of the last commit; the
# functions above and below then work in it.
enter() {
  local packages="$2" sources mirror
  suite="$1"
  # A suite that this machine does not use comes from the mirror of the one that it does.
  sources="$(machine_sources | grep -E " $suite(-updates|-security)?\$" | sort -u || true)"
  if [[ -z "$sources" ]]; then sources="$(machine_sources | head -n 1 | cut -d ' ' -f 1) $suite"; fi
  mirror="$(awk -v suite="$suite" '$2 == suite { print $1; exit }' <<<"$sources")"
  [[ "$mirror" == *://* ]] || fail "found no mirror for $suite in the apt sources of this machine."
  chroot_dir="$(mktemp -d "${TMPDIR:-/var/tmp}/rtindex-fresh.XXXXXX")"
  chroots+=("$chroot_dir")

  say "debootstrap $suite"
  debootstrap --variant=minbase --include="ca-certificates,$packages" "$suite" "$chroot_dir" \
    "$mirror" >"$chroot_dir.log" 2>&1 || {
    tail -n 20 "$chroot_dir.log" >&2
    fail "debootstrap failed; the end of its output is above, all of it in $chroot_dir.log."
  }
  rm -f "$chroot_dir.log"

  # Network, apt and pip as on this machine.
  sed -E 's/.*/deb & main/' <<<"$sources" >"$chroot_dir/etc/apt/sources.list"
  apt-config dump | grep -E '^Acquire::(https?::|ftp::|Check-Valid-Until|Retries|ForceIPv)' \
    >"$chroot_dir/etc/apt/apt.conf.d/90machine" || true
  cp -L /etc/resolv.conf /etc/hosts "$chroot_dir/etc/"
  if [[ -e /etc/pip.conf ]]; then cp -L /etc/pip.conf "$chroot_dir/etc/"; fi
  if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
    cp -L /usr/local/share/ca-certificates/*.crt "$chroot_dir/usr/local/share/ca-certificates/"
    in_chroot update-ca-certificates >/dev/null 2>&1
  fi

  mount -t proc proc "$chroot_dir/proc"
  mount -t sysfs -o ro sysfs "$chroot_dir/sys"

  say "clone"
  git clone --quiet --no-hardlinks "file://$root" "$chroot_dir/root/rtindex"
  if [[ -n "$(git -C "$root" status --porcelain)" ]]; then
    say "note: the clone lacks uncommitted changes"
  fi
}

# timed NAME COMMAND...
report=()
timed() {
  local name="$1" start="$SECONDS"
  shift
  say "$name"
  in_chroot "$@"
  local seconds=$((SECONDS - start))
  report+=("$(printf '%-36s %3d min %02d s' "$name" $((seconds / 60)) $((seconds % 60)))")
}

# The wheel where there is Python and nothing else: the package's tests run the README's and the
# pages' examples as well.
try_wheel() {
  local name="wheel, Debian ${1}"
  mkdir -p "$chroot_dir/root/packages"
  cp "$root"/build/wheels/rtindex-*.whl "$chroot_dir/root/packages/"
  in_chroot python3 -m venv /root/venv
  timed "$name: pip install" /root/venv/bin/pip install --quiet --find-links /root/packages rtindex
  timed "$name: rtindex demo" /root/venv/bin/rtindex demo
  timed "$name: its tests' packages" /root/venv/bin/pip install --quiet --find-links /root/packages \
    "rtindex[test]"
  timed "$name: its tests" bash -c 'cd /root/rtindex && /root/venv/bin/python -m pytest -q'
}

# The Debian packages: the README's C++ example, compiled in both ways, and the command.
try_debs() {
  mkdir -p "$chroot_dir/root/debs"
  cp "$root"/build/debs/*.deb "$chroot_dir/root/debs/"
  in_chroot apt-get update -qq
  timed "deb: apt install" bash -c 'apt-get install -y -qq /root/debs/*.deb >/root/apt.txt'
  in_chroot apt-get install -y -qq --no-install-recommends g++ cmake make pkg-config >/dev/null
  timed "deb: README's example" python3 /root/rtindex/tests/package/readme_example.py
  timed "deb: rtindex demo" rtindex demo
}

try_packages() {
  "$root/scripts/wheel.sh"
  "$root/scripts/deb.sh"
  enter bookworm python3,python3-venv
  try_wheel 12
  try_debs
  enter trixie python3,python3-venv
  try_wheel 13
  report+=("$(sizes "$root"/build/wheels/* "$root"/build/debs/*.deb)")
}

case "${steps[*]}" in
  packages) try_packages ;;
  *) enter "$suite" git ;;
esac
for step in "${steps[@]}"; do
  case "$step" in
    demo)
      timed "demo, fresh" /root/rtindex/scripts/demo.sh
      timed "demo, again" /root/rtindex/scripts/demo.sh
      ;;
    test) timed "test" /root/rtindex/scripts/test.sh "${test_arguments[@]}" ;;
  esac
done

say "$(uname -m), $(nproc) processors"
printf '%s\n' "${report[@]}"
