#pragma once

#include <cstdint>

#include "order/cuda/device_extent_tree.hpp"

namespace rtindex::cuda {

// A bit for each of the 32 keys of a node that is not less, or not greater, than `key`.
template <bool not_less, class Key>
[[nodiscard]] __device__ std::uint32_t matching_keys(const Key* keys, Key key) {
  std::uint32_t found = 0;
  const auto test = [&](unsigned i, Key one) {
    found |= static_cast<std::uint32_t>(not_less ? one >= key : one <= key) << i;
  };
  if constexpr (sizeof(Key) == 4) {
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
      const uint4 four = __ldg(reinterpret_cast<const uint4*>(keys) + i);
      test(4 * i, four.x);
      test(4 * i + 1, four.y);
      test(4 * i + 2, four.z);
      test(4 * i + 3, four.w);
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < 16; ++i) {
      const ulonglong2 two = __ldg(reinterpret_cast<const ulonglong2*>(keys) + i);
      test(2 * i, two.x);
      test(2 * i + 1, two.y);
    }
  }
  return found;
}

// Calls take(position) for the positions in [begin, end) whose end is not less, or not greater,
// than `key`, from the last to the first, until it returns true. There is no stack: after a node,
// the rest of its parent is read once more.
template <bool not_less, class Key, class Take>
__device__ void visit(const ExtentTreeView<Key>& tree, std::uint32_t begin, std::uint32_t end,
                      Key key, Take&& take) {
  constexpr std::uint32_t log2_fan_out = ExtentTreeView<Key>::log2_fan_out;
  std::uint32_t level = 0;
  std::uint32_t at = end;  // the entries of the level before it are left
  while (at != 0) {
    const std::uint32_t shift = level * log2_fan_out;
    const std::uint32_t node = (at - 1) >> log2_fan_out;
    const std::uint32_t first = node << log2_fan_out;
    const std::uint32_t first_wanted = begin >> shift;
    if (at <= first_wanted) return;
    const Key* const keys = not_less ? tree.greatest[level] : tree.least[level];
    std::uint32_t found = matching_keys<not_less>(keys + first, key);
    found &= ~0U >> (32 - (at - first));
    if (first_wanted > first) found &= ~0U << (first_wanted - first);
    if (level == 0) {
      while (found != 0) {
        const std::uint32_t last = 31U - __clz(static_cast<int>(found));
        found ^= 1U << last;
        if (take(first + last)) return;
      }
    } else if (found != 0) {
      const std::uint32_t entry = first + 31U - __clz(static_cast<int>(found));
      --level;
      const std::uint64_t behind = (std::uint64_t{entry} + 1) << log2_fan_out;
      at = behind < tree.sizes[level] ? static_cast<std::uint32_t>(behind) : tree.sizes[level];
      continue;
    }
    if (++level == tree.levels) return;
    at = node;
  }
}

// visit() by a warp, whose lanes call it with the same arguments: calls take(first, found, end) for
// the leaves with matches, until it returns true. `found` has a bit for each position from `first`
// on, and a lane has the end at its own position.
template <bool not_less, class Key, class Take>
__device__ void visit_by_warp(const ExtentTreeView<Key>& tree, std::uint32_t begin,
                              std::uint32_t end, Key key, Take&& take) {
  constexpr std::uint32_t log2_fan_out = ExtentTreeView<Key>::log2_fan_out;
  static_assert(ExtentTreeView<Key>::fan_out == 32);
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t level = 0;
  std::uint32_t at = end;
  while (at != 0) {
    const std::uint32_t node = (at - 1) >> log2_fan_out;
    const std::uint32_t first = node << log2_fan_out;
    const std::uint32_t first_wanted = begin >> (level * log2_fan_out);
    if (at <= first_wanted) return;
    const Key own = __ldg((not_less ? tree.greatest[level] : tree.least[level]) + first + lane);
    std::uint32_t found = __ballot_sync(~0U, not_less ? own >= key : own <= key);
    found &= ~0U >> (32 - (at - first));
    if (first_wanted > first) found &= ~0U << (first_wanted - first);
    if (level == 0) {
      if (found != 0 && take(first, found, own)) return;
    } else if (found != 0) {
      const std::uint32_t entry = first + 31U - __clz(static_cast<int>(found));
      --level;
      const std::uint64_t behind = (std::uint64_t{entry} + 1) << log2_fan_out;
      at = behind < tree.sizes[level] ? static_cast<std::uint32_t>(behind) : tree.sizes[level];
      continue;
    }
    if (++level == tree.levels) return;
    at = node;
  }
}

}  // namespace rtindex::cuda
