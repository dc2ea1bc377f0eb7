#pragma once

#include <cstddef>
#include <cstdint>

#include "base/array.hpp"
#include "order/pairs.hpp"

namespace rtindex {

// What is stored of a column in key order.
enum class OrderLayout : std::uint8_t {
  pairs,     // keys and rowIDs
  keys,      // keys; rows follow each other in key order, as in a column that is sorted already
  sequence,  // neither: keys follow each other as well
};

// A column in key order, equal keys in the order of their rows. The last pair or key is followed by
// a few with the greatest key, so that blocks of them can be compared without a test for the end.
template <class Key>
struct OrderArrays {
  Array<Pair<Key>> pairs;       // empty: the row at a position is first_row + position
  Array<Key> keys;              // empty where pairs are too: the key is first_key + position
  Key first_key = 0;            // of a sequence
  std::uint32_t first_row = 0;  // where there are no pairs
  std::size_t size = 0;         // without the padding

  [[nodiscard]] OrderLayout layout() const {
    if (!pairs.empty()) return OrderLayout::pairs;
    return keys.empty() ? OrderLayout::sequence : OrderLayout::keys;
  }
  [[nodiscard]] std::size_t bytes() const { return pairs.bytes() + keys.bytes(); }
};

// The keys of pairs, by position.
template <class Key>
struct PairKeys {
  const Pair<Key>* pairs;
  [[nodiscard]] Key operator[](std::size_t position) const { return pairs[position].key; }
};

// The keys of a sequence, by position.
template <class Key>
struct SequenceKeys {
  Key first;
  [[nodiscard]] Key operator[](std::size_t position) const {
    return static_cast<Key>(first + position);
  }
};

// The rowIDs in key order, by position. None is greater than `last`, the column's last row, even
// where pairs come from a damaged file.
template <class Key>
class OrderRows {
 public:
  OrderRows(const Pair<Key>* pairs, std::uint32_t last) : pairs_(pairs), bound_(last) {}
  // Rows `first` and those that follow.
  explicit OrderRows(std::uint32_t first) : bound_(first) {}

  [[nodiscard]] std::uint32_t operator[](std::size_t position) const {
    if (pairs_ == nullptr) return bound_ + static_cast<std::uint32_t>(position);
    const std::uint32_t row = pairs_[position].row;
    return row < bound_ ? row : bound_;
  }
  // Its address, to be prefetched; null where no memory is read.
  [[nodiscard]] const void* address(std::size_t position) const {
    return pairs_ == nullptr ? nullptr : pairs_ + position;
  }

 private:
  const Pair<Key>* pairs_ = nullptr;
  std::uint32_t bound_;  // the last row, or without pairs the first
};

}  // namespace rtindex
