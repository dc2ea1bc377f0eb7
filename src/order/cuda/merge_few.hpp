#pragma once

#include <cstddef>

#include "order/cuda/device_filter.hpp"
#include "order/cuda/merge_orders.hpp"

namespace rtindex::cuda {

// A small segment after a small change, with the filter of its keys.
struct FewMerged {
  DeviceOrder order;
  DeviceFilter filter;
};

// Whether merge_few() merges these parts: pairs without sources, of which none of the second is
// deleted.
[[nodiscard]] bool can_merge_few(const OrderPart& first, const OrderPart& second,
                                 const MergeTarget& target);

// Merges the keys of a small change into a segment, in the order of merge_orders(), by one kernel;
// another counts deleted rows first, if there may be any, and blocks.
[[nodiscard]] FewMerged merge_few(const OrderPart& first, const OrderPart& second,
                                  const MergeTarget& target, const Queue& queue);

}  // namespace rtindex::cuda
