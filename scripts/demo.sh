#!/usr/bin/env bash
# From a fresh clone to lookups answered by rays. Arguments go to `rtindex demo`.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
configure release
build release rtindex_cli
say "rtindex demo"
exec "$root/build/release/bin/rtindex" demo "$@"
