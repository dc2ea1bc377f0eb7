#include <algorithm>
#include <utility>

#include "base/types.hpp"
#include "engine/cuda/device_backend.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "order/cuda/merge_orders.hpp"

namespace rtindex::cuda {

namespace {

using Memory = std::shared_ptr<DeviceMemory>;

// The keys of all segments.
KeyExtent united_extent(std::span<const Segment> segments) {
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
  const OrderedValues* values = nullptr;
  const KeylessValues* keyless = nullptr;
};

MergeSide side_of(const Segment& segment, const KeyExtent& extent) {
  const OrderedArrays& arrays = arrays_of(segment);
  return {{&arrays.order, shift_of(segment, extent), bits_of(segment.deleted)},
          arrays.included.get(),
          &arrays.keyless};
}

// Replaces the arrays by both sides merged; the first may be what they hold. On their stream.
void merge_into(OrderedArrays& arrays, const MergeSide& first, const MergeSide& second,
                const MergeTarget& target, const Queue& queue) {
  MergedOrder merged = merge_orders(first.part, second.part, target, queue);
  if (first.values != nullptr) {
    static const KeylessValues none;
    auto values = std::make_unique<OrderedValues>(
        merge_values(*first.values, second.values, merged.sources, queue));
    KeylessValues keyless = merge_keyless(*first.keyless, first.part.deleted,
                                          second.keyless == nullptr ? none : *second.keyless,
                                          second.part.deleted, first.values->type(), queue);
    arrays.included = std::move(values);
    std::swap(arrays.keyless, keyless);
  }
  arrays.order = std::move(merged.order);
}

}  // namespace

Segment DeviceBackend::merge(const Spec& spec, std::span<const Segment> segments,
                             std::size_t row_count, bool is_all) const {
  const OnDevice current(spec.device_number());
  const bool is_native_column =
      std::all_of(segments.begin(), segments.end(), [](const Segment& segment) {
        return segment.codec->native_base().has_value() && !segment.codec->has_residual();
      });
  if (!is_native_column) return Backend::merge(spec, on_host(segments), row_count, is_all);
  std::size_t keys = 0;
  bool is_ordered = device_options(spec).keeps_order;
  for (const Segment& segment : segments) {
    keys += segment.keys();
    is_ordered =
        is_ordered && dynamic_cast<const DeviceStructure*>(segment.structure.get()) != nullptr;
  }
  if (is_ordered && can_merge(keys, 0))
    return merge_ordered(spec, segments, row_count, is_all ? SegmentUse::main : SegmentUse::delta);
  if (segments.front().structure->included())
    return Backend::merge(spec, on_host(segments), row_count, is_all);
  return merge_columns(spec, segments, row_count);
}

Segment DeviceBackend::merge_ordered(const Spec& spec, std::span<const Segment> segments,
                                     std::size_t row_count, SegmentUse use) const {
  const DeviceOptions options = device_options(spec);
  const Memory memory = segments.front().structure->device_memory();
  const Type type = segments.front().codec->type();
  const MemoryMeter meter;
  const KeyExtent extent = united_extent(segments);
  auto arrays = std::make_unique<OrderedArrays>(PooledStream());
  const Queue queue(memory, arrays->stream.get());
  // The segments may be freed as soon as this throws.
  const WaitOnExit wait(queue);
  const MergeTarget target{options.layout, extent.empty() ? 0 : extent.largest - extent.smallest,
                           row_count, segments.front().structure->included().has_value()};
  for (const Segment& segment : segments) cuda::wait_for(queue, arrays_of(segment).stream.get());
  const MergeSide second = segments.size() > 1 ? side_of(segments[1], extent) : MergeSide{};
  merge_into(*arrays, side_of(segments[0], extent), second, target, queue);
  for (std::size_t i = 2; i < segments.size(); ++i)
    merge_into(*arrays, {{&arrays->order, 0, {}}, arrays->included.get(), &arrays->keyless},
               side_of(segments[i], extent), target, queue);
  std::shared_ptr<KeyCodec> codec = make_native_codec(type, extent);
  if (arrays->order.size() == 0 && !extent.empty()) {
    codec = make_native_codec(type, KeyExtent{});
    DeviceColumn none;
    none.row_count = row_count;
    arrays->order = DeviceOrder(std::move(none), Sorting::needed, options.layout, queue);
  }
  if (options.holds && !options.holds(arrays->order.span()))
    require_held(spec, arrays->order.column(queue), *codec, queue);
  Segment result;
  result.codec = std::move(codec);
  result.structure =
      std::make_shared<DeviceStructure>(options, std::move(arrays), use, memory, meter);
  return result;
}

Segment DeviceBackend::merge_columns(const Spec& spec, std::span<const Segment> segments,
                                     std::size_t row_count) const {
  const Memory memory = segments.front().structure->device_memory();
  const Type type = segments.front().codec->type();
  const MemoryMeter meter;
  KeyExtent extent = united_extent(segments);
  DeviceRows rows{PooledStream()};
  const Queue queue(memory, rows.stream.get());
  const WaitOnExit wait(queue);
  std::size_t most = 0;
  for (const Segment& segment : segments) most += segment.keys();
  DeviceColumn all;
  all.row_count = row_count;
  all.span = extent.empty() ? 0 : extent.largest - extent.smallest;
  all.rows = DeviceArray<std::uint32_t>(queue, most);
  if (all.is_wide())
    all.wide = DeviceArray<std::uint64_t>(queue, most);
  else
    all.narrow = DeviceArray<std::uint32_t>(queue, most);
  for (const Segment& segment : segments) {
    const DeviceColumn column =
        dynamic_cast<const GpuStructure&>(*segment.structure).device_column(queue);
    append_valid(column, shift_of(segment, extent), bits_of(segment.deleted), all, queue);
  }
  if (all.size == 0) {
    extent = {};
    all = DeviceColumn{};
    all.row_count = row_count;
  }
  all = in_row_order(std::move(all), queue);
  if (all.size == row_count) all.rows = DeviceArray<std::uint32_t>();
  Segment result;
  result.codec = make_native_codec(type, extent);
  require_held(spec, all, *result.codec, queue);
  rows.column = std::move(all);
  rows.row_count = row_count;
  result.structure = build_keys(spec, std::move(rows), SegmentUse::main, memory, meter);
  return result;
}

}  // namespace rtindex::cuda
