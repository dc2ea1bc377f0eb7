#include <cstring>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_lookups.hpp"
#include "order/cuda/device_columns.hpp"

// Box queries in device memory: native conditions are encoded there, single values and all others
// by the host.
namespace rtindex::cuda {

namespace {

using KeyIntervals = KeyInterval<std::uint64_t>;

[[nodiscard]] RangeEnds ends_of(const Condition& condition) {
  return {.lower_open = condition.ends == Ends::left_open || condition.ends == Ends::open,
          .upper_open = condition.ends == Ends::right_open || condition.ends == Ends::open};
}

// A condition with those ends only that `is_kept` holds for.
template <class IsKept>
[[nodiscard]] Condition part_of(const Condition& condition, const IsKept& is_kept) {
  return {condition.kind, is_kept(condition.lower) ? condition.lower : ColumnView(),
          is_kept(condition.upper) ? condition.upper : ColumnView(), condition.ends};
}

[[nodiscard]] bool has_array(const Condition& condition) {
  const auto is_array = [](const ColumnView& end) {
    return end.has_value() && (end.size() != 1 || is_on_device(end));
  };
  return condition.kind == ConditionKind::range &&
         (is_array(condition.lower) || is_array(condition.upper));
}

// Encodes conditions [first, first + count) on the host.
void encode_ranges(const PointCodec& codec, std::size_t column, const Condition& condition,
                   std::size_t first, std::size_t count, KeyIntervals* to, CopiesIn& in,
                   cudaStream_t stream) {
  const auto fill = [&](std::byte* buffer, std::size_t at, std::size_t bytes) {
    auto* const out = reinterpret_cast<KeyIntervals*>(buffer);
    const std::size_t done = first + at / sizeof(KeyIntervals);
    parallel_for(bytes / sizeof(KeyIntervals), chunk_lookups,
                 [&](std::size_t begin, std::size_t size) {
                   Interval intervals[chunk_lookups];
                   codec.encode_condition(column, condition, done + begin, size, intervals);
                   for (std::size_t i = 0; i < size; ++i)
                     out[begin + i] = {intervals[i].lower, intervals[i].upper};
                 });
  };
  in.copy_filled(to, count * sizeof(KeyIntervals), stream, fill);
}

}  // namespace

bool encodes_on_device(const PointCodec& codec, std::size_t column, const Condition& condition) {
  const auto is_read = [](const ColumnView& end) {
    return !is_on_device(end) || (is_native(end.type()) && end.dictionary_positions() == nullptr);
  };
  return condition.kind == ConditionKind::range && codec.native_map(column).has_value() &&
         is_read(condition.lower) && is_read(condition.upper);
}

DeviceLookups LookupEncoder::encode_boxes(std::size_t first, std::size_t count,
                                          LookupBuffers& buffers, CopiesIn& in,
                                          const Queue& queue) const {
  const PointCodec& codec = *point_codec(batch_.codec());
  const std::size_t begin = batch_.offset() + first;
  DeviceBoxes& boxes = buffers.boxes;
  const auto array_of = [&](std::size_t size) {
    return static_cast<KeyIntervals*>(
        buffers.box_arrays.emplace_back(queue, size * sizeof(KeyIntervals)).data());
  };
  static_assert(max_encoded_columns == DeviceBoxes::max_sides);
  std::vector<NativeLookups> on_device;
  std::vector<std::uint32_t> sides_on_device;
  for (std::size_t c = 0; c < batch_.conditions().size(); ++c) {
    const Condition& condition = batch_.conditions()[c];
    if (condition.kind == ConditionKind::none) continue;
    DeviceBoxSide side;
    side.column = static_cast<std::uint32_t>(c);
    if (condition.kind == ConditionKind::isin) {
      const std::vector<Interval> ranges = codec.encode_values(c, condition.lower);
      if (ranges.empty()) {
        boxes.is_empty = true;
        continue;
      }
      KeyIntervals* const set = array_of(ranges.size());
      static_assert(sizeof(Interval) == sizeof(KeyIntervals));
      in.copy_filled(set, ranges.size() * sizeof(Interval), queue,
                     [&](std::byte* buffer, std::size_t at, std::size_t bytes) {
                       std::memcpy(buffer, reinterpret_cast<const std::byte*>(ranges.data()) + at,
                                   bytes);
                     });
      side.set = set;
      side.set_size = static_cast<std::uint32_t>(ranges.size());
      side.all = {ranges.front().lower, ranges.back().upper};
    } else if (!has_array(condition)) {
      codec.encode_condition(c, condition, 0, 1, &side.all);
      if (side.all.empty()) boxes.is_empty = true;
      if (side.all.lower == 0 && side.all.upper >= codec.largest(c)) continue;
    } else if (!is_on_device(condition.lower) && !is_on_device(condition.upper)) {
      KeyIntervals* const own = array_of(count);
      encode_ranges(codec, c, condition, begin, count, own, in, queue);
      side.own = own;
    } else {
      const Condition here = part_of(
          condition, [](const ColumnView& end) { return end.has_value() && !is_on_device(end); });
      if (here.lower.has_value() || here.upper.has_value())
        codec.encode_condition(c, here, 0, 1, &side.all);
      if (side.all.empty()) boxes.is_empty = true;
      const Condition there = part_of(condition, is_on_device);
      // Their memory is borrowed.
      DeviceBytes unused, no_bits;
      const DeviceElements lower =
          elements_on_device(there.lower, begin, count, unused, no_bits, in, queue);
      const DeviceElements upper =
          elements_on_device(there.upper, begin, count, unused, no_bits, in, queue);
      on_device.push_back({lower, upper, ends_of(condition), *codec.native_map(c)});
      sides_on_device.push_back(boxes.count);
    }
    boxes.sides[boxes.count++] = side;
  }
  if (!on_device.empty()) {
    KeyIntervals* own = array_of(count * on_device.size());
    encode_lookups(on_device, own, queue);
    for (const std::uint32_t side : sides_on_device)
      boxes.sides[side].own = std::exchange(own, own + count);
  }
  DeviceLookups lookups;
  lookups.count = count;
  lookups.boxes = &boxes;
  return lookups;
}

}  // namespace rtindex::cuda
