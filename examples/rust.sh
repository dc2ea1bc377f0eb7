#!/usr/bin/env bash
# Compiles and runs the example in Rust: rust.sh LIBRARY_FOLDER WORK_FOLDER
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
if ! command -v rustc >/dev/null; then
  echo "skipped: rustc is not installed; scripts/setup.sh installs it" >&2
  exit 77
fi
rustc --edition 2021 -D warnings "$here/example.rs" -o "$2/example_rust" -L "$1" -l rtindex \
  -C link-arg=-Wl,-rpath,"$1" -A dead_code
exec "$2/example_rust"
