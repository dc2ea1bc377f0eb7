#pragma once

#include <cstddef>
#include <cstdint>

#include "base/array.hpp"

namespace rtindex {

// A key and its rowID side by side, so that one cache line brings both: 8 or 12 bytes.
template <class Key>
struct [[gnu::packed, gnu::aligned(4)]] Pair {
  Key key;
  std::uint32_t row;
};

static_assert(sizeof(Pair<std::uint32_t>) == 8);
static_assert(sizeof(Pair<std::uint64_t>) == 12);

// The rowIDs of an array of pairs, by position.
template <class Key>
class PairRows {
 public:
  explicit PairRows(const Pair<Key>* pairs) : pairs_(pairs) {}
  [[nodiscard]] std::uint32_t operator[](std::size_t position) const {
    return pairs_[position].row;
  }

 private:
  const Pair<Key>* pairs_;
};

}  // namespace rtindex
