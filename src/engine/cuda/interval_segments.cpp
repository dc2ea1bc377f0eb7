#include <deque>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/interval_kernels.hpp"
#include "engine/cuda/interval_searcher.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "keys/cuda/device_strings.hpp"
#include "keys/interval_codec.hpp"
#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"

// Segments of intervals: two searchers of points, and a tree of ends.
namespace rtindex::cuda {

namespace {

// The ordered_bits() of the greatest number of a type; only NaN is greater.
[[nodiscard]] std::uint64_t greatest_number(Type type) {
  if (type == Type::f64) return ordered_bits(std::numeric_limits<double>::infinity());
  if (type == Type::f32 || type == Type::f16)
    return ordered_bits(std::numeric_limits<float>::infinity());
  return ~std::uint64_t{0};
}

// One end of the intervals of a column that the host has encoded.
[[nodiscard]] EncodedColumn points_in(const EncodedColumn& column, const PackedKeys& keys) {
  EncodedColumn points;
  points.row_count = column.row_count;
  points.span = column.span;
  points.keys = PackedKeys(keys.size(), column.span);
  points.rows = Array<std::uint32_t>(column.rows.size());
  for (std::size_t i = 0; i < keys.size(); ++i) points.keys.set(i, keys[i]);
  std::copy(column.rows.begin(), column.rows.end(), points.rows.begin());
  return points;
}

}  // namespace

// Native intervals on the GPU: those that are kept are valid.
struct DeviceSegmentBuilder::NativeIntervals {
  Type type;
  DeviceElements starts, ends;
  DeviceExtent of_starts, of_ends;

  [[nodiscard]] std::unique_ptr<KeyCodec> make_codec() const {
    return make_native_codec(type, {of_starts.smallest, of_ends.largest});
  }
  // One end of the intervals that are kept, in row order.
  [[nodiscard]] DeviceColumn encode(const DeviceElements& points, const KeyCodec& codec,
                                    const Queue& queue) const {
    return encode_column(points, *codec.native_map(), of_starts.valid, {}, points.size, {}, queue);
  }
};

void DeviceSegmentBuilder::require_interval_kind() const {
  if (kind_->intervals || (kind_->positions && kind_->keeps_order)) return;
  fail(ErrorKind::unsupported,
       "intervals need an index that keeps its keys in order: use rx:native, sorted or btree");
}

std::optional<NewSegment> DeviceSegmentBuilder::build_intervals(const ColumnView& column,
                                                                std::span<const ColumnView> include,
                                                                Stream caller) const {
  const Type type = column.parts().front().type();
  if (column.parts().size() != 2 || !is_native(type)) return std::nullopt;
  const MemoryMeter meter;
  std::vector<NamedColumn> named = {{column, "intervals"}};
  for (const ColumnView& values : include) named.push_back({values, "included values"});
  PooledStream own = build_stream(caller, named);
  const Queue queue(gpu_.memory, own.get());
  const WaitOnExit wait(queue);
  const OnGpuTuples columns(column, queue);
  const DeviceTuples& tuples = columns.tuples();
  const DeviceArray<std::uint32_t> kept(queue, RowBits::words_of(tuples.size));
  const IntervalFacts facts = check_intervals(tuples, *column.interval_ends() == Ends::closed,
                                              greatest_number(type), kept.data(), queue);
  if (facts.is_wrong != 0) return std::nullopt;

  const bool all_kept = facts.kept == tuples.size;
  const auto elements_of_part = [&](std::size_t part) {
    return DeviceElements{tuples.end.fields[part], tuples.end.types[part],
                          all_kept ? nullptr : reinterpret_cast<const std::uint8_t*>(kept.data()),
                          0, tuples.size};
  };
  NativeIntervals intervals{type, elements_of_part(0), elements_of_part(1), {}, {}};
  intervals.of_starts = extent_of(intervals.starts, queue);
  intervals.of_ends = extent_of(intervals.ends, queue);
  std::unique_ptr<KeyCodec> codec = intervals.make_codec();
  // The host finds the interval that the kind cannot hold.
  if (kind_->intervals && !kind_->intervals->holds(codec->span())) return std::nullopt;

  NewSegment result;
  if (kind_->intervals) {
    DeviceIntervalRows rows(std::move(own));
    rows.starts = intervals.encode(intervals.starts, *codec, queue);
    rows.ends = intervals.encode(intervals.ends, *codec, queue);
    result.segment.searcher = kind_->intervals->make(std::move(rows), gpu_, meter);
  } else {
    result.segment.searcher = make_ordered_intervals(intervals, include, meter, queue);
  }
  result.segment.codec = std::make_shared<IntervalCodec>(std::move(codec), *column.interval_ends());
  const std::size_t nulls = tuples.size - facts.valid;
  if (nulls == 0) return result;
  DeviceElements valid = intervals.starts;
  const DeviceArray<std::uint8_t> validity = tuple_validity(tuples, queue);
  valid.validity = validity.data();
  valid.validity_offset = 0;
  result.nulls = null_rows(valid, nulls, {}, tuples.size, queue);
  return result;
}

std::shared_ptr<Searcher> DeviceSegmentBuilder::make_ordered_intervals(
    const NativeIntervals& intervals, std::span<const ColumnView> include, const MemoryMeter& meter,
    const Queue& queue) const {
  std::deque<OnGpuValues> values;
  std::vector<ElementValues> included;
  for (const ColumnView& one : include)
    included.push_back(values.emplace_back(one, queue).values());
  // Builds the searcher of one end. It is complete when this returns.
  const auto build_points = [&](const DeviceElements& points, const DeviceExtent& extent) {
    NativeRows rows{intervals.type, points, extent, {}, points.size};
    rows.included = included;
    rows.codec = intervals.make_codec();
    PooledStream stream;
    wait_for(stream.get(), queue);
    const WaitOnExit wait_for_build(stream.get());
    return build_native(std::move(stream), rows, SegmentUse::main, meter).segment.searcher;
  };
  std::shared_ptr<Searcher> starts = build_points(intervals.starts, intervals.of_starts);
  std::shared_ptr<Searcher> ends = build_points(intervals.ends, intervals.of_ends);
  const DeviceColumn ends_by_row = intervals.encode(intervals.ends, *intervals.make_codec(), queue);
  check(cudaStreamSynchronize(queue), "building intervals");
  return std::make_shared<IntervalSearcher>(gpu_, std::move(starts), std::move(ends), &ends_by_row,
                                            meter);
}

std::unique_ptr<Searcher> DeviceSegmentBuilder::make_intervals(
    const EncodedColumn& column, const KeyCodec& codec, const KeyText& key_text,
    const RowNumbers& numbers, std::span<const ColumnView> include) const {
  require_interval_kind();
  const OnDevice current(gpu_.device);
  const MemoryMeter meter;
  const EncodedColumn ends = points_in(column, column.ends);
  if (kind_->intervals) {
    kind_->intervals->reject(column, key_text);
    DeviceIntervalRows rows{PooledStream()};
    const Queue queue(gpu_.memory, rows.stream.get());
    const WaitOnExit wait(queue);
    rows.starts = uploaded(column, queue);
    rows.ends = uploaded(ends, queue);
    return kind_->intervals->make(std::move(rows), gpu_, meter);
  }
  std::shared_ptr<Searcher> start_searcher =
      make_encoded(points_in(column, column.keys), codec, key_text, numbers, include);
  std::shared_ptr<Searcher> end_searcher =
      make_encoded(points_in(column, column.ends), codec, key_text, numbers, include);
  const PooledStream stream;
  const Queue queue(gpu_.memory, stream.get());
  const WaitOnExit wait(queue);
  const DeviceColumn ends_by_row = uploaded(ends, queue);
  check(cudaStreamSynchronize(queue), "building intervals");
  return std::make_unique<IntervalSearcher>(gpu_, std::move(start_searcher),
                                            std::move(end_searcher), &ends_by_row, meter);
}

}  // namespace rtindex::cuda
