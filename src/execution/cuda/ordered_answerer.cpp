#include "execution/cuda/ordered_answerer.hpp"

#include <vector>

#include "answers/cuda/runs.hpp"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

namespace {

[[nodiscard]] bool wants_sums_alone(const DeviceRequest& request) {
  return request.sum != nullptr && request.any == nullptr && request.first == nullptr &&
         request.count == nullptr && request.min == nullptr && request.max == nullptr &&
         request.matched == nullptr;
}

}  // namespace

// The rowID is all that the answers need; it goes straight to where one of them wants it.
FoundRows OrderedAnswerer::answer_unique(const DeviceLookups& lookups, const DeviceRequest& request,
                                         bool wants_rows, cudaStream_t stream) const {
  FoundRows found;
  if (wants_sums_alone(request) && !wants_rows &&
      parts_.locator.find_sums(
          lookups, {request.values, request.value_type, request.miss, request.sum}, stream))
    return found;
  std::uint32_t* rows = request.any != nullptr ? request.any : request.first;
  if (rows == nullptr || wants_rows) {
    found.own = DeviceArray<std::uint32_t>(parts_.memory, lookups.count, stream);
    rows = found.own.data();
  }
  parts_.locator.find_rows(lookups, rows, stream);
  if (parts_.counters != nullptr) count_hits(rows, lookups.count, &parts_.counters->hits, stream);
  if (wants_rows || request.wants_values() || request.count != nullptr ||
      request.matched != nullptr || (request.any != nullptr && request.first != nullptr))
    answer_rows(rows, lookups.count, request, stream);
  if (wants_rows) {
    found.runs = DeviceArray<Run>(parts_.memory, lookups.count, stream);
    runs_of_rows(rows, lookups.count, found.runs.data(), stream);
    found.rows = {rows, 1};
  }
  return found;
}

FoundRows OrderedAnswerer::answer(const LookupBatch& batch, std::size_t first,
                                  const DeviceLookups& uncounted, const DeviceRequest& request,
                                  RowsWanted wanted, cudaStream_t stream) const {
  DeviceLookups lookups = uncounted;
  lookups.counters = parts_.counters;
  lookups.times = &parts_.times;
  const std::size_t count = lookups.count;
  FoundRows found;
  if (count == 0) return found;
  const bool point = batch.kind() == LookupKind::point;
  const OrderedValues* const included =
      request.wants_values() && request.values == nullptr ? parts_.included : nullptr;
  if (point && parts_.order.unique() && included == nullptr)
    return answer_unique(lookups, request, wanted.any, stream);
  if (point && included != nullptr && included->sums_before() != nullptr &&
      wants_sums_alone(request) && !wanted.any && parts_.narrower == nullptr &&
      parts_.locator.find_included_sums(
          lookups, {included->sums_before(), request.value_type, request.miss, request.sum},
          stream))
    return found;
  DeviceArray<Run>& runs = found.runs;
  runs = DeviceArray<Run>(parts_.memory, count, stream);
  found.rows = parts_.order.rows();
  if (point)
    parts_.locator.find_points(lookups, runs.data(), stream);
  else
    parts_.locator.find_ranges(lookups, runs.data(), stream);
  if (parts_.narrower != nullptr) {
    std::vector<Run> on_host(count);
    copy_to_host(on_host.data(), runs.data(), runs.bytes(), stream);
    parts_.narrower->narrow(batch, first, on_host);
    copy_to_device(runs.data(), on_host.data(), runs.bytes(), stream);
  }
  if (parts_.counters != nullptr) count_hits(runs.data(), count, &parts_.counters->hits, stream);
  // Equal keys stand in the order of their rows; so do those of one full key.
  answer_runs(runs.data(), count, found.rows, parts_.order.size(), point, request, included,
              parts_.gather, parts_.memory, stream);
  return found;
}

}  // namespace rtindex::cuda
