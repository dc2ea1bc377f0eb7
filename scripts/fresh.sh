#!/usr/bin/env bash
# Runs the demo and the tests on a fresh machine: installs a bare Debian 12 in a folder, clones the
# last commit into it, runs both there and prints how long each took.
#
#   sudo scripts/fresh.sh [--keep] [--sanitize] [--only demo|test]
#
#   --keep       do not delete the folder
#   --sanitize   pass --sanitize to scripts/test.sh
#   --only       run one of the two
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
    -h | --help)
      sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
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

sources="$(machine_sources | grep -E " $suite(-updates|-security)?\$" | sort -u || true)"
mirror="$(awk -v suite="$suite" '$2 == suite { print $1; exit }' <<<"$sources")"
[[ -n "$mirror" ]] || fail "found no mirror for $suite in the apt sources of this machine."

chroot_dir="$(mktemp -d "${TMPDIR:-/var/tmp}/rtindex-fresh.XXXXXX")"
clean_up() {
  local place
  for place in sys proc; do
    if mountpoint -q "$chroot_dir/$place"; then umount "$chroot_dir/$place"; fi
  done
  if $keep; then
    say "kept $chroot_dir"
  else
    rm -rf --one-file-system "$chroot_dir"
  fi
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

say "debootstrap $suite"
debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$chroot_dir" "$mirror" \
  >"$chroot_dir.log" 2>&1 || {
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

# timed NAME COMMAND...
report=()
timed() {
  local name="$1" start="$SECONDS"
  shift
  say "$name"
  in_chroot "$@"
  local seconds=$((SECONDS - start))
  report+=("$(printf '%-24s %3d min %02d s' "$name" $((seconds / 60)) $((seconds % 60)))")
}

for step in "${steps[@]}"; do
  case "$step" in
    demo)
      timed "demo, fresh" /root/rtindex/scripts/demo.sh
      timed "demo, again" /root/rtindex/scripts/demo.sh
      ;;
    test) timed "test" /root/rtindex/scripts/test.sh "${test_arguments[@]}" ;;
  esac
done

say "$(uname -m), $(nproc) processors, Debian $suite"
printf '%s\n' "${report[@]}"
