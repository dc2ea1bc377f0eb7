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

}  // namespace rtindex::cuda
