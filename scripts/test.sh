#!/usr/bin/env bash
# Builds everything and runs the tests.
#
#   scripts/test.sh [--sanitize[=address|=thread]] [ctest arguments...]
#
#   --sanitize   also build and test under the address and undefined-behaviour sanitizers and under
#                the thread sanitizer, or under one of them
#
# Other arguments go to ctest: `scripts/test.sh -L keys` runs the tests of src/keys.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

presets=(ci)
ctest_arguments=()
for argument in "$@"; do
  case "$argument" in
    --sanitize) presets=(asan tsan ci) ;;
    --sanitize=address) presets=(asan ci) ;;
    --sanitize=thread) presets=(tsan ci) ;;
    -h | --help)
      sed -n '2,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    *) ctest_arguments+=("$argument") ;;
  esac
done

# ctest counts programs, this counts their test cases.
print_test_cases() {
  awk '/^\[  PASSED  \]/ { passed += $4 } /^\[  SKIPPED \] [0-9]/ { skipped += $4 }
    END { printf "==> %d test cases passed, %d skipped\n", passed, skipped }' \
    "$1/Testing/Temporary/LastTest.log"
}

case "${presets[*]}" in
  *asan*) "$root/scripts/setup.sh" --clang ;;
  *) "$root/scripts/setup.sh" ;;
esac
for preset in "${presets[@]}"; do
  rm -f "$root/build/$preset/ctest.txt"
done
# Kernels are built for the GPUs of this machine. Without a GPU they are only compiled, as fast as nvcc
# can, to PTX: what ptxas would reject shows where there is one.
configure_options=()
if ! nvidia-smi -L >/dev/null 2>&1; then
  configure_options=(-DCMAKE_CUDA_ARCHITECTURES=90-virtual -DRTINDEX_QUICK=ON)
  if nvcc --help 2>/dev/null | grep -q -- --Ofast-compile; then
    configure_options+=("-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG --Ofast-compile=max")
  fi
fi
for preset in "${presets[@]}"; do
  configure "$preset" "${configure_options[@]}"
  build "$preset"
  say "test $preset"
  (cd "$root" && ctest --preset "$preset" --parallel "$(job_count)" "${ctest_arguments[@]}") |
    tee "$root/build/$preset/ctest.txt"
  print_test_cases "$root/build/$preset" | tee -a "$root/build/$preset/ctest.txt"
done
