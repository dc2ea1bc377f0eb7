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

// The rowIDs of an array of pairs, by position. None is greater than `last`, the column's last row,
// even where the pairs come from a damaged file.
template <class Key>
class PairRows {
 public:
  PairRows(const Pair<Key>* pairs, std::uint32_t last) : pairs_(pairs), last_(last) {}
  [[nodiscard]] std::uint32_t operator[](std::size_t position) const {
    const std::uint32_t row = pairs_[position].row;
    return row < last_ ? row : last_;
  }
  // Its address, to be prefetched.
  [[nodiscard]] const void* address(std::size_t position) const { return pairs_ + position; }

 private:
  const Pair<Key>* pairs_;
  std::uint32_t last_;
};

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
