// Changes of few rows on a GPU: launches cost more than the work, so that one kernel does each
// step.

#include <memory>
#include <utility>

#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/segment_input.hpp"
#include "rows/cuda/mark_rows.hpp"

namespace rtindex::cuda {

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
