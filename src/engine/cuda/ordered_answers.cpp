#include "answers/cuda/runs.hpp"
#include "base/error.hpp"
#include "engine/cuda/full_matches.hpp"
#include "engine/cuda/ordered_searcher.hpp"
#include "engine/cuda/run_edges.hpp"

namespace rtindex::cuda {

void fail_not_offered() {
  fail(ErrorKind::unsupported,
       "a plan of rtindex chose a kernel that the index does not have: please report the plan "
       "(Diagnostics::plan)");
}

// All answers follow from the rowID, which is written straight to the output of one of them.
FoundRows OrderedSearcher::answer_by_row(const DeviceLookups& lookups, const DeviceRequest& request,
                                         bool wants_rows, cudaStream_t stream) const {
  FoundRows found;
  std::uint32_t* rows = request.any != nullptr ? request.any : request.first;
  if (rows == nullptr) rows = request.last;
  if (rows == nullptr) rows = request.count;  // whose kernel replaces the row
  if (rows == nullptr || wants_rows) {
    found.own = DeviceArray<std::uint32_t>({memory(), stream}, lookups.count);
    rows = found.own.data();
  }
  DeviceLookups of_rows = lookups;
  of_rows.any_row = request.first == nullptr;
  arrays_->positions->find_rows(of_rows, rows, stream);
  if (lookups.full != nullptr)
    drop_other_rows(*lookups.full, lookups.first_full, lookups.count, rows, stream);
  if (lookups.counters != nullptr) count_hits(rows, lookups.count, &lookups.counters->hits, stream);
  const int row_outputs = (request.any != nullptr ? 1 : 0) + (request.first != nullptr ? 1 : 0) +
                          (request.last != nullptr ? 1 : 0);
  if (wants_rows || request.wants_values() || request.count != nullptr ||
      request.matched != nullptr || row_outputs > 1)
    answer_rows(rows, lookups.count, request, stream);
  if (wants_rows) {
    found.runs = DeviceArray<Run>({memory(), stream}, lookups.count);
    runs_of_rows(rows, lookups.count, found.runs.data(), stream);
    found.rows = {rows, 1};
  }
  return found;
}

DeviceArray<Run> OrderedSearcher::find_runs(const DeviceLookups& lookups, QueryKind kind,
                                            cudaStream_t stream) const {
  DeviceArray<Run> runs({memory(), stream}, lookups.count);
  const bool are_points = kind == QueryKind::equal;
  if (are_points)
    arrays_->positions->find_points(lookups, runs.data(), stream);
  else
    arrays_->positions->find_ranges(lookups, runs.data(), stream);
  if (lookups.full != nullptr)
    drop_other_rows(*lookups.full, lookups.first_full, lookups.count, are_points, arrays_->order,
                    runs.data(), stream);
  return runs;
}

FoundRows OrderedSearcher::answer_on_device(Method method, const SearchedLookups& searched,
                                            const DeviceRequest& request, RowsWanted wanted,
                                            cudaStream_t stream) const {
  const DeviceLookups& lookups = searched.lookups;
  FoundRows found;
  if (lookups.count == 0) return found;
  OrderedArrays& arrays = *arrays_;
  if (method == Method::rows) return answer_by_row(lookups, request, wanted.any, stream);
  if (method == Method::sums) {
    arrays.positions->find_sums(
        lookups, {request.values, request.value_type, request.miss, request.sum}, stream);
    return found;
  }
  const OrderedValues* included =
      request.wants_values() && request.values == nullptr && !arrays.included.empty()
          ? arrays.included[request.included_column].values.get()
          : nullptr;
  if (!lookups.deleted.empty()) {
    found.deleted = arrays.deleted_rows->get(lookups.deleted, included, stream);
    if (included != nullptr) included = found.deleted.included();
  }
  const DeletedPositions deleted = found.deleted.positions();
  if (method == Method::included_sums) {
    arrays.positions->find_included_sums(
        lookups,
        {included->sums_before(), deleted, included->deleted_sums(), request.value_type,
         request.miss, request.sum},
        stream);
    return found;
  }
  const QueryKind kind = searched.batch.kind();
  found.runs = find_runs(lookups, kind, stream);
  found.rows = arrays.order.rows();
  if (lookups.counters != nullptr)
    count_hits(found.source(), lookups.count, &lookups.counters->hits, stream);
  answer_runs(found.runs.data(), lookups.count,
              {found.rows, arrays.order.positions(),
               kind == QueryKind::equal && arrays.order.rows_ascend(), deleted},
              request, included, kind_->gather, {memory(), stream});
  if (wanted.in_order) bring_into_order(found, lookups, stream);
  return found;
}

void OrderedSearcher::bring_into_order(FoundRows& found, const DeviceLookups& lookups,
                                       cudaStream_t stream) const {
  found.keys = arrays_->order.keys();
  found.rows = ordered_rows();
  if (!lookups.deleted.empty() && !is_ordered())
    found.deleted = rows_by_key().deleted.get(lookups.deleted, nullptr, stream);
}

RowsView OrderedSearcher::ordered_rows() const {
  return is_ordered() ? arrays_->order.rows() : rows_by_key().order.rows();
}

RowsByKey& OrderedSearcher::rows_by_key() const {
  const std::scoped_lock lock(by_row_mutex_);
  OrderedArrays& arrays = *arrays_;
  if (!arrays.by_row) arrays.by_row.emplace(arrays.order, Queue(memory(), arrays.stream.get()));
  return *arrays.by_row;
}

void answer_pair(const OrderedArrays& main, const OrderedArrays& newer,
                 const DeviceLookups& lookups, const DeviceLookups& newer_lookups,
                 const DeviceRequest& request, cudaStream_t stream) {
  main.positions->answer_pair(*newer.positions, lookups, newer_lookups, newer.filter.view(),
                              request, stream);
}

void OrderedSearcher::find_edges_on_device(const SearchedLookups& searched, Edge edge,
                                           std::uint32_t* rows, std::uint64_t* keys,
                                           cudaStream_t stream) const {
  const DeviceLookups& lookups = searched.lookups;
  if (lookups.count == 0) return;
  OrderedArrays& arrays = *arrays_;
  const DeletedRowsUse deleted = lookups.deleted.empty()
                                     ? DeletedRowsUse()
                                     : arrays.deleted_rows->get(lookups.deleted, nullptr, stream);
  const EdgeTarget target{edge, deleted.positions(), rows, keys};
  if (arrays.positions->fused().edges && !arrays.compares_full_keys()) {
    arrays.positions->find_edges(lookups, target, stream);
  } else {
    const DeviceArray<Run> runs = find_runs(lookups, QueryKind::range, stream);
    edges_of_runs(runs.data(), lookups.count, arrays.order, target, stream);
  }
  if (lookups.counters != nullptr) count_hits(rows, lookups.count, &lookups.counters->hits, stream);
}

}  // namespace rtindex::cuda
