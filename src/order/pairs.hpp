#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "keys/codec.hpp"

namespace rtindex {

// A key and its rowID side by side, so that one cache line brings both: 8 or 12 bytes.
template <class Key>
struct [[gnu::packed, gnu::aligned(4)]] Pair {
  Key key;
  std::uint32_t row;
};

static_assert(sizeof(Pair<std::uint32_t>) == 8);
static_assert(sizeof(Pair<std::uint64_t>) == 12);

// The key of an element in key order: a pair, or a key alone where rows follow from positions.
template <class Key>
[[nodiscard]] Key key_of(const Pair<Key>& pair) {
  return pair.key;
}
[[nodiscard]] inline std::uint32_t key_of(const std::uint32_t& key) { return key; }
[[nodiscard]] inline std::uint64_t key_of(const std::uint64_t& key) { return key; }

// Sorts pairs by key, and by row among equal keys; they must be in row order before. Parallel;
// needs as much memory again while it runs.
template <class Key>
void sort_pairs(std::span<Pair<Key>> pairs);

extern template void sort_pairs(std::span<Pair<std::uint32_t>>);
extern template void sort_pairs(std::span<Pair<std::uint64_t>>);

// For lossy encodings (long strings, wide composites): sorts runs of equal encoded keys by their
// full keys, then by row.
template <class Key>
void order_by_full_key(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec);

}  // namespace rtindex
