#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "engine/cuda/box_searcher.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/merge_points.hpp"

// Segments of native points, encoded on the GPU.
namespace rtindex::cuda {

std::optional<NewSegment> DeviceSegmentBuilder::build_points(const ColumnView& column,
                                                             std::span<const ColumnView> include,
                                                             Stream caller) const {
  const std::span<const ColumnView> parts = column.parts();
  const bool is_encoded_here =
      column.validity() == nullptr && std::all_of(parts.begin(), parts.end(), [](const auto& part) {
        return is_native(part.type()) && part.dictionary_positions() == nullptr;
      });
  if (!is_encoded_here) return std::nullopt;
  const MemoryMeter meter;
  std::vector<NamedColumn> named;
  for (const ColumnView& part : parts) named.push_back({part, "points"});
  for (const ColumnView& values : include) named.push_back({values, "included values"});
  DeviceRows rows(build_stream(caller, named));
  const Queue queue(gpu_.memory, rows.stream.get());
  const WaitOnExit wait(queue);

  std::vector<PointCodec::PointColumn> codecs;
  DevicePoints points;
  points.size = column.size();
  for (const ColumnView& part : parts) {
    const OnGpuElements elements(part, queue);
    const DeviceExtent extent = extent_of(elements.elements(), queue);
    const bool has_nulls = extent.valid != part.size();
    const PointCodec::PointColumn& own = codecs.emplace_back(PointCodec::PointColumn{
        make_native_codec(part.type(), {extent.smallest, extent.largest}), has_nulls});
    if (!PointCodec::leaves_null_key(*own.values, has_nulls)) return std::nullopt;
    const std::uint64_t null_key = has_nulls ? own.null() : 0;
    points.columns.push_back(encode_points(elements.elements(), *own.values->native_base(),
                                           null_key, has_nulls ? null_key : own.values->span(),
                                           queue));
  }
  auto codec = std::make_shared<PointCodec>(std::move(codecs));
  codec->number_rows(RowNumbers(0, column.size()));

  std::deque<OnGpuValues> values;
  for (const ColumnView& one : include)
    rows.included.push_back({values.emplace_back(one, queue).values(), {}, {}});
  rows.row_count = column.size();
  NewSegment result;
  result.segment.searcher =
      std::make_shared<BoxSearcher>(gpu_, std::move(rows), points, codec->largest_keys(), meter);
  result.segment.codec = std::move(codec);
  return result;
}

namespace {

// The codec of a column of all segments. Its values are null: the column is not native, or its keys
// leave none for nulls.
[[nodiscard]] PointCodec::PointColumn merged_column(std::span<const Segment> segments,
                                                    std::size_t column) {
  KeyExtent extent;
  bool has_nulls = false;
  for (const Segment& segment : segments) {
    const PointCodec& codec = *point_codec(*segment.codec);
    const std::optional<NativeMap> map = codec.native_map(column);
    if (!map) return {};
    has_nulls = has_nulls || codec.column(column).has_nulls;
    if (!map->empty) extent = KeyExtent::union_of(extent, {map->base, map->base + map->span});
  }
  const Type type = point_codec(*segments.front().codec)->values(column).type();
  std::unique_ptr<KeyCodec> values = make_native_codec(type, extent);
  if (!PointCodec::leaves_null_key(*values, has_nulls)) return {};
  return {std::move(values), has_nulls};
}

[[nodiscard]] KeyShift shift_of(const PointCodec::PointColumn& from,
                                const PointCodec::PointColumn& to) {
  KeyShift shift;
  if (!from.values->empty()) shift.added = *from.values->native_base() - *to.values->native_base();
  shift.has_nulls = from.has_nulls;
  if (!from.has_nulls) return shift;
  shift.null_key = from.null();
  shift.new_null_key = to.null();
  return shift;
}

}  // namespace

std::optional<Segment> DeviceSegmentBuilder::merge_points(std::span<const Segment> segments,
                                                          std::size_t row_count) const {
  if (!segments.front().searcher->included().empty()) return std::nullopt;
  std::vector<PointCodec::PointColumn> columns;
  const std::size_t count = point_codec(*segments.front().codec)->columns();
  for (std::size_t c = 0; c < count; ++c)
    if (columns.emplace_back(merged_column(segments, c)).values == nullptr) return std::nullopt;
  const MemoryMeter meter;
  DeviceRows rows{PooledStream()};
  const Queue queue(gpu_.memory, rows.stream.get());
  const WaitOnExit wait(queue);
  std::vector<PointsPart> parts;
  for (const Segment& segment : segments) {
    const OrderedArrays& arrays = *device_searcher(segment).ordered_arrays();
    PointsPart& part = parts.emplace_back(
        PointsPart{&arrays.boxes, arrays.order.split_rows(), bits_of(segment.deleted), {}});
    const PointCodec& codec = *point_codec(*segment.codec);
    for (std::size_t c = 0; c < count; ++c)
      part.shifts.push_back(shift_of(codec.column(c), columns[c]));
  }
  auto codec = std::make_shared<PointCodec>(std::move(columns));
  codec->number_rows(RowNumbers(0, row_count));
  const MergedPoints merged = cuda::merge_points(parts, codec->largest_keys(), queue);
  rows.ids = {merged.rows.data(), 0};
  rows.row_count = row_count;
  auto searcher = std::make_shared<BoxSearcher>(gpu_, std::move(rows), merged.points,
                                                codec->largest_keys(), meter);
  return Segment{std::move(codec), std::move(searcher), nullptr};
}

}  // namespace rtindex::cuda
