// Changes of few rows on a GPU: launches cost more than the work, so that one kernel does each
// step.

#include <memory>
#include <utility>

#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/segment_input.hpp"
#include "keys/codecs.hpp"
#include "order/cuda/few_keys.hpp"
#include "rows/cuda/mark_rows.hpp"

namespace rtindex::cuda {

bool DeviceSegmentBuilder::is_small(const NewRows& input, const Segment& main) const {
  return input.keys.has_value() && input.count <= max_few_keys &&
         main.searcher->included().empty() && kind_->positions && kind_->layout == Layout::pairs &&
         !kind_->holds;
}

NewSegment DeviceSegmentBuilder::build_few(const NewRows& input, Type type,
                                           std::size_t row_count) const {
  const MemoryMeter meter;
  auto arrays = std::make_unique<OrderedArrays>(
      build_stream(input.stream, {{input.rows, "rows"}, {input.keys, "keys"}}));
  const Queue queue(gpu_.memory, arrays->stream.get());
  Staging staging;
  const WaitOnExit wait(queue);  // before the staging memory is used again
  const OnGpuElements listed =
      input.rows.has_value() ? OnGpuElements(input.rows, staging, queue) : OnGpuElements();
  const OnGpuElements keys(input.keys, staging, queue);
  const RowIds ids{static_cast<const std::uint32_t*>(listed.elements().data), input.first};
  FewKeys sorted = sort_few_keys(keys.elements(), element_type(type), input.keys.type() != type,
                                 ids, row_count, queue);
  if (sorted.unfit) fail_unfit(input.keys, *sorted.unfit, type, queue);
  arrays->order = std::move(sorted.order);
  NewSegment result;
  result.nulls =
      null_rows(keys.elements(), input.count - sorted.extent.valid, ids, row_count, queue);
  result.segment.codec = make_native_codec(type, {sorted.extent.smallest, sorted.extent.largest});
  result.segment.searcher = std::make_shared<OrderedSearcher>(
      gpu_, kind_, std::move(arrays), input.merged_at_once ? SegmentUse::merged : SegmentUse::delta,
      meter);
  return result;
}

MarkedRows DeviceSegmentBuilder::mark_rows(const ColumnView& rows, const RowStates& states,
                                           std::span<const RowBitmapPtr> bitmaps,
                                           Stream caller) const {
  const OnDevice current(gpu_.device);
  if (rows.size() <= max_few_rows && bitmaps.size() <= max_marked_bitmaps) {
    const auto stream =
        std::make_shared<const PooledStream>(build_stream(caller, {{rows, "rows"}}));
    const Queue queue(gpu_.memory, stream->get());
    Staging staging;
    const WaitOnExit wait(queue);
    const OnGpuElements listed(rows, staging, queue);
    std::optional<MarkedRows> marked = mark_few_rows(
        {static_cast<const std::uint32_t*>(listed.elements().data), rows.size()},
        {states.rows, bits_of(states.erased), bits_of(states.nulls)}, bitmaps, stream, gpu_.memory);
    if (marked) return std::move(*marked);
  }
  // Many rows, or a row that check_rows() rejects.
  return SegmentBuilder::mark_rows(rows, states, bitmaps, caller);
}

}  // namespace rtindex::cuda
