#include "engine/ordered_backend.hpp"

#include <algorithm>
#include <utility>

#include "base/types.hpp"
#include "file/stored.hpp"
#include "keys/codecs.hpp"

namespace rtindex {

std::optional<OrderedMerge> plan_merge(std::span<const Segment> segments) {
  OrderedMerge plan;
  KeyExtent extent;
  for (const Segment& segment : segments) {
    const std::optional<std::uint64_t> base = segment.codec->native_base();
    const auto* const ordered = dynamic_cast<const HasKeyOrder*>(segment.structure.get());
    if (!base || ordered == nullptr) return std::nullopt;
    plan.inputs.push_back(ordered->order_input());
    plan.inputs.back().deleted = bits_of(segment.deleted);
    if (const IncludedValues* const values = ordered->included_values(); values != nullptr)
      plan.included.push_back({values, bits_of(segment.deleted)});
    if (segment.codec->empty() && segment.keys() != 0)
      fail_damaged_in_use("a segment without keys has some");
    if (segment.codec->empty()) continue;
    extent.smallest = std::min(extent.smallest, *base);
    extent.largest = std::max(extent.largest, *base + segment.codec->span());
  }
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (!segments[i].codec->empty())
      plan.inputs[i].shift = *segments[i].codec->native_base() - extent.smallest;
  plan.codec = make_native_codec(segments.front().codec->type(), extent);
  return plan;
}

}  // namespace rtindex
