#pragma once

#include <cstddef>
#include <cstdint>

#include "order/cuda/device_order.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

// Keys in key order that are merged with others.
struct OrderPart {
  const DeviceOrder* order = nullptr;  // null: none
  std::uint64_t shift = 0;             // added to every key
  RowBits deleted;                     // rows that are dropped

  [[nodiscard]] std::size_t size() const { return order == nullptr ? 0 : order->size(); }
  [[nodiscard]] bool has_deleted() const { return !deleted.empty() && size() != 0; }
};

// Where the keys and rows of a merge came from.
struct MergeSources {
  // For each key of the result its position among the first part's keys, or among the second's
  // behind these. Empty unless requested.
  DeviceArray<std::uint32_t> positions;
  std::size_t first_size = 0;
};

struct MergedOrder {
  DeviceOrder order;
  MergeSources sources;
};

// The result of a merge: its layout and the largest key and row.
struct MergeTarget {
  Layout layout;
  std::uint64_t span;
  std::size_t row_count;
  bool wants_sources;
};

// Whether the keys of two parts can be merged: their positions must fit 32 bits.
[[nodiscard]] bool can_merge(std::size_t first_size, std::size_t second_size);

// Merges two parts in one pass over their keys, after one that drops deleted rows, if there are
// any. Blocks only to count valid rows where some are deleted. Among equal keys those of the first
// part come first. Keys of 4 bytes whose rows ascend in both parts are merged in the order of rows.
[[nodiscard]] MergedOrder merge_orders(const OrderPart& first, const OrderPart& second,
                                       const MergeTarget& target, const Queue& queue);

// Appends the keys of a column that are not deleted to another, which lists rows and has room for
// them. Blocks only to count them.
void append_valid(const DeviceColumn& from, std::uint64_t shift, RowBits deleted, DeviceColumn& to,
                  const Queue& queue);

}  // namespace rtindex::cuda
