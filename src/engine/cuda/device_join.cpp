#include <vector>

#include "answers/cuda/joins.hpp"
#include "base/error.hpp"
#include "engine/cuda/device_batch.hpp"

// Joins into device memory.
namespace rtindex::cuda {

bool DeviceBatch::joins_one_row(const JoinRequest& request) const {
  if (targets_.size() != 1) return false;
  if (traits_[0].intervals || traits_[0].points) return !request.wants_rows();
  return batch().kind() == QueryKind::equal && traits_[0].unique_keys;
}

// Not where several calls may write the pairs of one lookup, which then have an order.
bool DeviceBatch::joins_intervals(const JoinRequest& request) const {
  return targets_.size() == 1 && traits_[0].intervals && request.wants_rows() &&
         request.order == JoinOrder::any && request.skipped_pairs == 0 &&
         (request.total == nullptr || batch().size() > 1);
}

// Where a lookup has one row at most, the rows are found once and compacted.
void DeviceBatch::join(const Piece& piece, const JoinRequest& request, const Queue& queue) const {
  const CountedJoin join(request, queue);
  if (joins_one_row(request)) {
    const DeviceArray<std::uint32_t> rows(queue, piece.count);
    DeviceRequest wanted;
    wanted.any = rows.data();
    static_cast<void>(targets_[0].searcher.answer_on_device(
        Method::rows, {batch(), piece.first, piece.lookups[0]}, wanted, {}, queue));
    join_rows(rows.data(), piece.count, join.get(), queue);
    return join.finish(queue);
  }
  if (joins_intervals(request) && piece.count != 0) {
    targets_[0].searcher.join_on_device({batch(), piece.first, piece.lookups[0]}, join.get(),
                                        queue);
    return join.finish(queue);
  }
  std::vector<FoundRows> found;
  for (std::size_t i = 0; i < targets_.size(); ++i)
    found.push_back(find_rows(i, piece.first, piece.lookups[i], rows_wanted(no_limit), queue));
  if (any_has_too_many(found) && request.total != nullptr && piece.count > 1) {
    *request.total = JoinRequest::too_many;
    return;
  }
  if (any_has_too_many(found))
    fail(ErrorKind::unsupported,
         "the join has too many pairs for one array: join fewer keys at once");
  join_sources(sources_of(found), piece.count, join.get(), queue);
  join.finish(queue);
}

}  // namespace rtindex::cuda
