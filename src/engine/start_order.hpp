#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "engine/ordered_searcher.hpp"

namespace rtindex {

// Keys and rows of a searcher, by position.
template <class Key>
class StartOrder {
 public:
  StartOrder() = default;
  StartOrder(const Searcher& starts, std::size_t row_count)
      : order_(starts.sorted_pairs()->order_input()),
        last_row_(row_count == 0 ? 0 : static_cast<std::uint32_t>(row_count - 1)) {}

  [[nodiscard]] std::uint32_t row(std::size_t position) const {
    if (order_.pairs == nullptr) return order_.first_row + static_cast<std::uint32_t>(position);
    return std::min(static_cast<const Pair<Key>*>(order_.pairs)[position].row, last_row_);
  }
  [[nodiscard]] std::uint64_t key(std::size_t position) const {
    if (order_.pairs != nullptr) return static_cast<const Pair<Key>*>(order_.pairs)[position].key;
    if (order_.keys != nullptr) return static_cast<const Key*>(order_.keys)[position];
    return order_.first_key + position;
  }
  void prefetch_row(std::size_t position) const {
    if (order_.pairs != nullptr) prefetch(static_cast<const Pair<Key>*>(order_.pairs) + position);
  }

 private:
  OrderInput order_;
  std::uint32_t last_row_ = 0;
};

}  // namespace rtindex
