#include <algorithm>
#include <vector>

#include "answers/cuda/fold_rows.hpp"
#include "base/cuda/transfer.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/ordered_searcher.hpp"

// The values of a batch, and the answers that are folded from all rows of a lookup: means,
// aggregates of values of which some are null, and the last rows that rays find.
namespace rtindex::cuda {

DeviceBatch::Values DeviceBatch::values_on_device(const Queue& queue) const {
  Values values;
  RowValues& column = values.column;
  column.data = request_.values;
  column.type = request_.value_type;
  column.validity = request_.validity;
  column.validity_offset = request_.validity_offset;
  column.is_included = request_.included;
  for (std::size_t i = 0; request_.included && i < targets_.size(); ++i) {
    const DeviceIncluded& included =
        targets_[i].searcher.ordered_arrays()->included[request_.included_column];
    column.included[i] = {included.values.get(), included.valid.get()};
  }
  if (!plan_.copies_values) return values;
  std::size_t rows = 0;
  for (const SegmentTarget& target : targets_)
    rows = std::max(rows, target.searcher.encoding().row_count);
  const std::size_t bytes = rows * width_of(request_.value_type);
  values.copy = DeviceBytes(queue, bytes);
  copy_to_device(values.copy.data(), request_.values, bytes, queue);
  column.data = values.copy.data();
  if (column.validity == nullptr) return values;
  const std::uint8_t* const first = column.validity + column.validity_offset / 8;
  column.validity_offset %= 8;
  const std::size_t validity_bytes = (column.validity_offset + rows + 7) / 8;
  values.validity_copy = DeviceBytes(queue, validity_bytes);
  copy_to_device(values.validity_copy.data(), first, validity_bytes, queue);
  column.validity = static_cast<const std::uint8_t*>(values.validity_copy.data());
  return values;
}

DeviceRequest DeviceBatch::unfolded_request(const DeviceRequest& wanted) const {
  DeviceRequest others = wanted;
  if (traits_.front().folds_hits) others.last = nullptr;
  if (!request_.counts_values) return others;
  others.sum = nullptr;
  others.min = nullptr;
  others.max = nullptr;
  others.mean = nullptr;
  others.validity = nullptr;
  return others;
}

void DeviceBatch::fold(const Piece& piece, const DeviceRequest& wanted, const RowValues& values,
                       bool counts_work, const Queue& queue) const {
  RowFolds out;
  out.miss = request_.miss;
  if (traits_.front().folds_hits) out.last = wanted.last;
  DeviceArray<std::uint32_t> value_counts;
  if (request_.counts_values) {
    out.sum = wanted.sum;
    out.min = wanted.min;
    out.max = wanted.max;
    out.mean = wanted.mean;
    if (wanted.validity != nullptr) value_counts = DeviceArray<std::uint32_t>(queue, piece.count);
    out.value_counts = value_counts.data();
  }
  const RowsWanted all_rows{.any = true, .limit = no_limit, .by_position = request_.included};
  std::vector<FoundRows> found;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    DeviceLookups lookups = piece.lookups[i];
    if (!counts_work) lookups.counters = nullptr;
    found.push_back(find_rows(i, piece.first, lookups, all_rows, queue));
  }
  const RowSources rows = sources_of(found);
  if (!any_has_too_many(found)) {
    fold_rows(rows, piece.count, values, out, queue);
  } else {
    const DeviceArray<std::uint64_t> offsets(queue, piece.count + 1);
    offsets_of(rows, piece.count, no_limit, offsets.data(), queue);
    find_in_parts(piece, offsets.data(), all_rows, queue,
                  [&](const Part& part, const RowSources& some) {
                    fold_rows(some, part.count, values, out.from(part.first), queue);
                  });
  }
  if (wanted.validity != nullptr && request_.counts_values)
    write_validity(value_counts.data(), piece.count, wanted.validity, queue);
}

}  // namespace rtindex::cuda
