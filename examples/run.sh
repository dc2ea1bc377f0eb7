#!/usr/bin/env bash
# Runs an example and compares its output with expected/NAME.txt: run.sh NAME COMMAND...
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
name="$1"
shift
output="$("$@")" || exit $?
diff "$here/expected/$name.txt" - <<<"$output" && echo "as expected"
