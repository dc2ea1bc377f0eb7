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

// All answers follow from the rowID, which is written straight to the output of one of them.
FoundRows OrderedAnswerer::answer_unique(const DeviceLookups& lookups, const DeviceRequest& request,
                                         bool wants_rows, cudaStream_t stream) const {
  FoundRows found;
  if (wants_sums_alone(request) && !wants_rows &&
      from_.locator.find_sums(
          lookups, {request.values, request.value_type, request.miss, request.sum}, stream))
    return found;
  std::uint32_t* rows = request.any != nullptr ? request.any : request.first;
  if (rows == nullptr || wants_rows) {
    found.own = DeviceArray<std::uint32_t>(from_.memory, lookups.count, stream);
    rows = found.own.data();
  }
  from_.locator.find_rows(lookups, rows, stream);
  if (lookups.counters != nullptr) count_hits(rows, lookups.count, &lookups.counters->hits, stream);
  if (wants_rows || request.wants_values() || request.count != nullptr ||
      request.matched != nullptr || (request.any != nullptr && request.first != nullptr))
    answer_rows(rows, lookups.count, request, stream);
  if (wants_rows) {
    found.runs = DeviceArray<Run>(from_.memory, lookups.count, stream);
    runs_of_rows(rows, lookups.count, found.runs.data(), stream);
    found.rows = {rows, 1};
  }
  return found;
}

FoundRows OrderedAnswerer::answer(const LookupBatch& batch, std::size_t first,
                                  const DeviceLookups& lookups, const DeviceRequest& request,
                                  RowsWanted wanted, cudaStream_t stream) const {
  const std::size_t count = lookups.count;
  FoundRows found;
  if (count == 0) return found;
  const bool point = batch.kind() == LookupKind::point;
  const OrderedValues* const included =
      request.wants_values() && request.values == nullptr ? from_.included : nullptr;
  if (point && from_.order.unique() && included == nullptr)
    return answer_unique(lookups, request, wanted.any, stream);
  if (point && included != nullptr && included->sums_before() != nullptr &&
      wants_sums_alone(request) && !wanted.any && from_.residual == nullptr &&
      from_.locator.find_included_sums(
          lookups, {included->sums_before(), request.value_type, request.miss, request.sum},
          stream))
    return found;
  DeviceArray<Run>& runs = found.runs;
  runs = DeviceArray<Run>(from_.memory, count, stream);
  found.rows = from_.order.rows();
  if (point)
    from_.locator.find_points(lookups, runs.data(), stream);
  else
    from_.locator.find_ranges(lookups, runs.data(), stream);
  if (from_.residual != nullptr) {
    std::vector<Run> on_host(count);
    copy_to_host(on_host.data(), runs.data(), runs.bytes(), stream);
    from_.residual->filter_residuals(batch, first, on_host);
    copy_to_device(runs.data(), on_host.data(), runs.bytes(), stream);
  }
  if (lookups.counters != nullptr) count_hits(runs.data(), count, &lookups.counters->hits, stream);
  // Equal keys are in the order of their rows; so are those of one full key.
  answer_runs(runs.data(), count, found.rows, from_.order.size(), point, request, included,
              from_.gather, from_.memory, stream);
  return found;
}

}  // namespace rtindex::cuda
