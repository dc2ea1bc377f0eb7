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
  // Where it is read from.
  [[nodiscard]] const void* address(std::size_t position) const { return pairs_ + position; }

 private:
  const Pair<Key>* pairs_;
  std::uint32_t last_;
};

// Sorts pairs by key, and by row among equal keys. The pairs come in row order. Parallel; needs as
// much memory again for the time of the sort.
template <class Key>
void sort_pairs(std::span<Pair<Key>> pairs);

extern template void sort_pairs(std::span<Pair<std::uint32_t>>);
extern template void sort_pairs(std::span<Pair<std::uint64_t>>);

// Where the encoding is lossy (long strings, wide composites): runs of equal encoded keys get the
// order of their full keys, then of their rows.
template <class Key>
void order_by_full_key(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec);

}  // namespace rtindex
