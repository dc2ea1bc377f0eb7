#!/usr/bin/env bash
# From a fresh clone to lookups answered by rays. Arguments go to `rtindex demo`.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
# Device code for every kind of GPU takes longer to compile than all else, and helps only where one is.
cuda=AUTO
nvidia-smi -L >/dev/null 2>&1 || cuda=OFF
configure demo "-DRTINDEX_CUDA=$cuda"
build demo rtindex_cli
say "rtindex demo"
exec "$root/build/demo/bin/rtindex" demo "$@"
