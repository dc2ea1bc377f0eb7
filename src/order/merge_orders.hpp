#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/array.hpp"
#include "order/key_order.hpp"

namespace rtindex {

template <class Key>
struct MergedOrders {
  OrderArrays<Key> arrays;  // pairs or keys with room for `padding` more
  // The position of each key in the concatenated inputs; if requested.
  Array<std::uint32_t> sources;
};

// Merges columns in key order into one, equal keys in the order of their rows, in passes at the
// speed of memory: the newest, which are small, first. Keys and their shifts fit `Key`. Rows that
// follow each other in key order are not stored (OrderLayout); columns without rowIDs whose keys
// and valid rows follow each other are concatenated.
template <class Key>
[[nodiscard]] MergedOrders<Key> merge_orders(std::span<const OrderInput> inputs,
                                             std::size_t padding, bool wants_sources);

extern template MergedOrders<std::uint32_t> merge_orders(std::span<const OrderInput>, std::size_t,
                                                         bool);
extern template MergedOrders<std::uint64_t> merge_orders(std::span<const OrderInput>, std::size_t,
                                                         bool);

}  // namespace rtindex
