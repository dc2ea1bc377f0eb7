#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/array.hpp"
#include "order/pairs.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// A column in key order that is merged with others: sorted pairs with keys of 4 or 8 bytes.
struct OrderInput {
  const void* pairs = nullptr;
  bool is_wide = false;
  std::size_t size = 0;
  std::uint64_t shift = 0;  // what is added to its keys
  RowBits deleted;          // rows to omit
};

template <class Key>
struct MergedOrders {
  Array<Pair<Key>> pairs;  // with room for `padding` more
  std::size_t size = 0;    // without the padding
  Array<std::uint32_t>
      sources;  // the position of each pair in the concatenated inputs; if requested
};

// Merges columns in key order into one, equal keys in the order of their rows, in passes at the
// speed of memory: the newest, which are small, first. Keys and their shifts fit `Key`.
template <class Key>
[[nodiscard]] MergedOrders<Key> merge_orders(std::span<const OrderInput> inputs,
                                             std::size_t padding, bool wants_sources);

extern template MergedOrders<std::uint32_t> merge_orders(std::span<const OrderInput>, std::size_t,
                                                         bool);
extern template MergedOrders<std::uint64_t> merge_orders(std::span<const OrderInput>, std::size_t,
                                                         bool);

}  // namespace rtindex
