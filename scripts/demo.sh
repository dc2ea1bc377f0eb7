#!/usr/bin/env bash
# Builds the rtindex command and runs `rtindex demo` with the arguments of this script.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh" --demo
# Device code takes longer to compile than everything else, and needs a GPU to run.
cuda=AUTO
nvidia-smi -L >/dev/null 2>&1 || cuda=OFF
configure demo "-DRTINDEX_CUDA=$cuda"
build demo rtindex_cli
say "rtindex demo"
exec "$root/build/demo/bin/rtindex" demo "$@"
