#include "engine/cuda/ordered_answerer.hpp"

#include "answers/cuda/runs.hpp"
#include "base/error.hpp"
#include "engine/cuda/full_matches.hpp"
#include "engine/cuda/run_edges.hpp"

namespace rtindex::cuda {

// Whether a lookup needs no more than the first of its rows in key order.
bool OrderedAnswerer::first_row_is_enough(const DeviceLookups& lookups,
                                          const DeviceRequest& request, RowsWanted wanted) const {
  if (from_.order.unique()) return true;
  return from_.locator.finds_first_rows() && !from_.compares_full_keys && lookups.deleted.empty() &&
         !wanted.any && !request.wants_values() && request.count == nullptr &&
         (request.first == nullptr || from_.order.rows_ascend());
}

// All answers follow from the rowID, which is written straight to the output of one of them.
FoundRows OrderedAnswerer::answer_by_row(const DeviceLookups& lookups, const DeviceRequest& request,
                                         bool wants_rows, cudaStream_t stream) const {
  FoundRows found;
  if (request.wants_sum_alone() && !wants_rows && lookups.full == nullptr &&
      from_.locator.find_sums(
          lookups, {request.values, request.value_type, request.miss, request.sum}, stream))
    return found;
  std::uint32_t* rows = request.any != nullptr ? request.any : request.first;
  if (rows == nullptr) rows = request.count;  // which takes the place of its row
  if (rows == nullptr || wants_rows) {
    found.own = DeviceArray<std::uint32_t>({from_.memory, stream}, lookups.count);
    rows = found.own.data();
  }
  DeviceLookups of_rows = lookups;
  of_rows.any_row = request.first == nullptr;
  from_.locator.find_rows(of_rows, rows, stream);
  if (lookups.full != nullptr)
    drop_other_rows(*lookups.full, lookups.first_full, lookups.count, rows, stream);
  if (lookups.counters != nullptr) count_hits(rows, lookups.count, &lookups.counters->hits, stream);
  if (wants_rows || request.wants_values() || request.count != nullptr ||
      request.matched != nullptr || (request.any != nullptr && request.first != nullptr))
    answer_rows(rows, lookups.count, request, stream);
  if (wants_rows) {
    found.runs = DeviceArray<Run>({from_.memory, stream}, lookups.count);
    runs_of_rows(rows, lookups.count, found.runs.data(), stream);
    found.rows = {rows, 1};
  }
  return found;
}

DeviceArray<Run> OrderedAnswerer::find_runs(const DeviceLookups& lookups, QueryKind kind,
                                            cudaStream_t stream) const {
  DeviceArray<Run> runs({from_.memory, stream}, lookups.count);
  const bool are_points = kind == QueryKind::equal;
  if (are_points)
    from_.locator.find_points(lookups, runs.data(), stream);
  else
    from_.locator.find_ranges(lookups, runs.data(), stream);
  if (lookups.full != nullptr)
    drop_other_rows(*lookups.full, lookups.first_full, lookups.count, are_points, from_.order,
                    runs.data(), stream);
  return runs;
}

FoundRows OrderedAnswerer::answer(const LookupBatch& batch, std::size_t,
                                  const DeviceLookups& lookups, const DeviceRequest& request,
                                  RowsWanted wanted, cudaStream_t stream) const {
  const std::size_t count = lookups.count;
  FoundRows found;
  if (count == 0) return found;
  const bool point = batch.kind() == QueryKind::equal;
  const OrderedValues* included =
      request.wants_values() && request.values == nullptr ? from_.included : nullptr;
  if (point && included == nullptr && !wanted.in_order &&
      first_row_is_enough(lookups, request, wanted))
    return answer_by_row(lookups, request, wanted.any, stream);
  if (!lookups.deleted.empty()) {
    found.deleted = deleted_rows_.get(lookups.deleted, included != nullptr, stream);
    if (included != nullptr) included = found.deleted.included();
  }
  const DeletedPositions deleted = found.deleted.positions();
  if (point && included != nullptr && included->sums_before() != nullptr &&
      request.wants_sum_alone() && !wanted.any && !from_.compares_full_keys &&
      from_.locator.find_included_sums(lookups,
                                       {included->sums_before(), deleted, included->deleted_sums(),
                                        request.value_type, request.miss, request.sum},
                                       stream))
    return found;
  found.runs = find_runs(lookups, batch.kind(), stream);
  found.rows = from_.order.rows();
  if (lookups.counters != nullptr)
    count_hits(found.source(), count, &lookups.counters->hits, stream);
  answer_runs(found.runs.data(), count,
              {found.rows, from_.order.positions(), point && from_.order.rows_ascend(), deleted},
              request, included, from_.gather, {from_.memory, stream});
  if (wanted.in_order) bring_into_order(found, lookups, stream);
  return found;
}

void OrderedAnswerer::bring_into_order(FoundRows& found, const DeviceLookups& lookups,
                                       cudaStream_t stream) const {
  found.keys = from_.order.keys();
  found.rows = ordered_rows();
  if (!lookups.deleted.empty() && !is_ordered())
    found.deleted = rows_by_key().deleted.get(lookups.deleted, false, stream);
}

RowsView OrderedAnswerer::ordered_rows() const {
  return is_ordered() ? from_.order.rows() : rows_by_key().order.rows();
}

OrderedAnswerer::RowsByKey& OrderedAnswerer::rows_by_key() const {
  const std::scoped_lock lock(by_row_mutex_);
  if (!by_row_) by_row_.emplace(from_);
  return *by_row_;
}

bool OrderedAnswerer::answer_with(const Answerer& newer, const DeviceLookups& lookups,
                                  const DeviceLookups& newer_lookups, const DeviceRequest& request,
                                  cudaStream_t stream) const {
  const auto* const other = dynamic_cast<const OrderedAnswerer*>(&newer);
  if (other == nullptr || !from_.order.unique() || !other->from_.order.unique()) return false;
  if (request.wants_values() && request.values == nullptr) return false;
  const KeyFilter filter =
      other->from_.filter == nullptr ? KeyFilter{} : other->from_.filter->view();
  return from_.locator.answer_with(other->from_.locator, lookups, newer_lookups, filter, request,
                                   stream);
}

void Answerer::find_edges(const LookupBatch&, std::size_t, const DeviceLookups&, Edge,
                          std::uint32_t*, std::uint64_t*, cudaStream_t) const {
  fail(ErrorKind::unsupported,
       "this index cannot find neighbours: use one that keeps its keys in order");
}

void OrderedAnswerer::find_edges(const LookupBatch& batch, std::size_t first,
                                 const DeviceLookups& lookups, Edge edge, std::uint32_t* rows,
                                 std::uint64_t* keys, cudaStream_t stream) const {
  if (!from_.locator.finds_ranges())
    return Answerer::find_edges(batch, first, lookups, edge, rows, keys, stream);
  if (lookups.count == 0) return;
  const DeletedRowsUse deleted = lookups.deleted.empty()
                                     ? DeletedRowsUse()
                                     : deleted_rows_.get(lookups.deleted, false, stream);
  const EdgeTarget target{edge, deleted.positions(), rows, keys};
  if (from_.compares_full_keys || !from_.locator.find_edges(lookups, target, stream)) {
    const DeviceArray<Run> runs = find_runs(lookups, QueryKind::range, stream);
    edges_of_runs(runs.data(), lookups.count, from_.order, target, stream);
  }
  if (lookups.counters != nullptr) count_hits(rows, lookups.count, &lookups.counters->hits, stream);
}

}  // namespace rtindex::cuda
