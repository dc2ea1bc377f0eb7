#!/usr/bin/env bash
# The tables of docs/reproduce.md are those that the committed records give.
set -euo pipefail
page="$(mktemp)"
trap 'rm -f "$page"' EXIT
cp "$RTINDEX_SOURCE_DIR/docs/reproduce.md" "$page"
cd "$RTINDEX_SOURCE_DIR"
"$RTINDEX" bench claims results/ --update "$page"
diff docs/reproduce.md "$page" || {
  echo "write them again: rtindex bench claims results/ --update docs/reproduce.md"
  exit 1
}
