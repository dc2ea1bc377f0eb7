#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "order/cuda/merge_few.hpp"
#include "order/cuda/merge_orders.hpp"

namespace rtindex::cuda {

namespace {

// The extent of the keys of all segments.
KeyExtent union_of_extents(std::span<const Segment> segments) {
  KeyExtent extent;
  for (const Segment& segment : segments) {
    if (segment.codec->empty()) continue;
    const std::uint64_t base = segment.codec->native_base().value_or(0);
    extent.smallest = std::min(extent.smallest, base);
    extent.largest = std::max(extent.largest, base + segment.codec->span());
  }
  return extent;
}

// How far the keys of a segment are from those of a merge.
std::uint64_t shift_of(const Segment& segment, const KeyExtent& extent) {
  return segment.codec->empty() ? 0 : segment.codec->native_base().value_or(0) - extent.smallest;
}

// One side of a merge: a segment, or what was merged before.
struct MergeSide {
  OrderPart part;
  const std::vector<DeviceIncluded>* included = nullptr;  // null: there is no such segment

  [[nodiscard]] IncludedPart column(std::size_t number) const {
    return {included == nullptr ? nullptr : &(*included)[number], part.deleted};
  }
};

MergeSide side_of(const Segment& segment, const KeyExtent& extent) {
  const OrderedArrays& arrays = *device_searcher(segment).ordered_arrays();
  return {{&arrays.order, shift_of(segment, extent), bits_of(segment.deleted)}, &arrays.included};
}

// Replaces the arrays by both sides merged; the first may be what they hold. On their stream.
void merge_into(OrderedArrays& arrays, const MergeSide& first, const MergeSide& second,
                const MergeTarget& target, const Queue& queue) {
  MergedOrder merged = merge_orders(first.part, second.part, target, queue);
  std::vector<DeviceIncluded> included;
  for (std::size_t i = 0; i < first.included->size(); ++i)
    included.push_back(merge_included(first.column(i), second.column(i), merged.sources, queue));
  arrays.included = std::move(included);
  arrays.order = std::move(merged.order);
}

}  // namespace

Segment DeviceSegmentBuilder::merge(std::span<const Segment> segments, std::size_t row_count,
                                    bool is_all) const {
  const OnDevice current(gpu_.device);
  if (segments.front().codec->are_points() && !kind_->points) {
    if (std::optional<Segment> merged = merge_points(segments, row_count))
      return std::move(*merged);
  }
  const auto merge_on_host = [&] { return host_.merge(on_host(segments), row_count, is_all); };
  std::size_t keys = 0;
  bool is_ordered = true;
  for (const Segment& segment : segments) {
    if (!segment.codec->native_base() || segment.codec->has_residual()) return merge_on_host();
    keys += segment.keys();
    is_ordered = is_ordered && device_searcher(segment).ordered_arrays() != nullptr;
  }
  if (is_ordered && can_merge(keys, 0))
    return merge_ordered(segments, row_count, is_all ? SegmentUse::main : SegmentUse::delta);
  if (!segments.front().searcher->included().empty()) return merge_on_host();
  return merge_columns(segments, row_count);
}

Segment DeviceSegmentBuilder::merge_ordered(std::span<const Segment> segments,
                                            std::size_t row_count, SegmentUse use) const {
  const Type type = segments.front().codec->type();
  const MemoryMeter meter;
  const KeyExtent extent = union_of_extents(segments);
  auto arrays = std::make_unique<OrderedArrays>(PooledStream());
  const Queue queue(gpu_.memory, arrays->stream.get());
  // The segments may be freed as soon as this throws.
  const WaitOnExit wait(queue);
  const MergeTarget target{kind_->layout, extent.empty() ? 0 : extent.largest - extent.smallest,
                           row_count, !segments.front().searcher->included().empty()};
  for (const Segment& segment : segments)
    wait_for(queue, device_searcher(segment).ordered_arrays()->stream.get());
  const MergeSide first = side_of(segments[0], extent);
  const MergeSide second = segments.size() > 1 ? side_of(segments[1], extent) : MergeSide{};
  if (use == SegmentUse::delta && segments.size() <= 2 &&
      can_merge_few(first.part, second.part, target)) {
    FewMerged merged = merge_few(first.part, second.part, target, queue);
    arrays->order = std::move(merged.order);
    arrays->filter = std::move(merged.filter);
  } else {
    merge_into(*arrays, first, second, target, queue);
  }
  for (std::size_t i = 2; i < segments.size(); ++i)
    merge_into(*arrays, {{&arrays->order, 0, {}}, &arrays->included}, side_of(segments[i], extent),
               target, queue);
  std::shared_ptr<KeyCodec> codec = make_native_codec(type, extent);
  if (arrays->order.size() == 0 && !extent.empty()) {
    codec = make_native_codec(type, KeyExtent{});
    DeviceColumn none;
    none.row_count = row_count;
    arrays->order = DeviceOrder(std::move(none), Sorting::needed, kind_->layout, queue);
  }
  drop_rows(*arrays, use);
  if (kind_->holds && !kind_->holds(arrays->order.span()))
    require_held(arrays->order.column(queue), *codec, queue);
  return {std::move(codec),
          std::make_shared<OrderedSearcher>(gpu_, kind_, std::move(arrays), use, meter), nullptr};
}

Segment DeviceSegmentBuilder::merge_columns(std::span<const Segment> segments,
                                            std::size_t row_count) const {
  const Type type = segments.front().codec->type();
  const MemoryMeter meter;
  KeyExtent extent = union_of_extents(segments);
  DeviceRows rows{PooledStream()};
  const Queue queue(gpu_.memory, rows.stream.get());
  const WaitOnExit wait(queue);
  std::size_t max_keys = 0;
  for (const Segment& segment : segments) max_keys += segment.keys();
  DeviceColumn all;
  all.row_count = row_count;
  all.span = extent.empty() ? 0 : extent.largest - extent.smallest;
  all.rows = DeviceArray<std::uint32_t>(queue, max_keys);
  if (all.is_wide())
    all.wide = DeviceArray<std::uint64_t>(queue, max_keys);
  else
    all.narrow = DeviceArray<std::uint32_t>(queue, max_keys);
  for (const Segment& segment : segments)
    append_valid(device_searcher(segment).device_column(queue), shift_of(segment, extent),
                 bits_of(segment.deleted), all, queue);
  if (all.size == 0) {
    extent = {};
    all = DeviceColumn{};
    all.row_count = row_count;
  }
  all = in_row_order(std::move(all), queue);
  if (all.size == row_count) all.rows = DeviceArray<std::uint32_t>();
  Segment result;
  result.codec = make_native_codec(type, extent);
  require_held(all, *result.codec, queue);
  rows.column = std::move(all);
  rows.row_count = row_count;
  result.searcher = make_searcher(std::move(rows), SegmentUse::main, meter);
  return result;
}

}  // namespace rtindex::cuda
