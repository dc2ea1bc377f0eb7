#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "answers/cuda/runs.hpp"
#include "engine/cuda/answerer.hpp"
#include "engine/cuda/deleted_rows.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// Answers from a column in key order, given a locator that finds positions in it.
class OrderedAnswerer final : public Answerer {
 public:
  // What it reads; all of it outlives the answerer.
  struct Sources {
    const DeviceOrder& order;
    const Locator& locator;
    const OrderedValues* included;  // null: none
    bool compares_full_keys;        // encoded keys do not tell all keys apart
    const std::shared_ptr<DeviceMemory>& memory;
    Gather gather;
    const DeviceFilter* filter = nullptr;  // of the keys; null: none
    cudaStream_t stream = nullptr;         // on which all of it is released
  };

  explicit OrderedAnswerer(const Sources& sources)
      : from_(sources), deleted_rows_(sources.order, sources.included, sources.memory) {}

  [[nodiscard]] FoundRows answer(const LookupBatch& batch, std::size_t first,
                                 const DeviceLookups& lookups, const DeviceRequest& request,
                                 RowsWanted wanted, cudaStream_t stream) const override;
  [[nodiscard]] bool answer_with(const Answerer& newer, const DeviceLookups& lookups,
                                 const DeviceLookups& newer_lookups, const DeviceRequest& request,
                                 cudaStream_t stream) const override;

  [[nodiscard]] bool has_unique_keys() const override { return from_.order.unique(); }
  void find_edges(const LookupBatch& batch, std::size_t first, const DeviceLookups& lookups,
                  Edge edge, std::uint32_t* rows, std::uint64_t* keys,
                  cudaStream_t stream) const override;
  [[nodiscard]] bool reads_edge_elements() const override {
    return !from_.compares_full_keys && from_.locator.reads_edge_elements();
  }

  // The rows in the order of keys, those of equal keys in their own order.
  [[nodiscard]] RowsView ordered_rows() const;

  // The memory of what lookups made of the deleted rows.
  [[nodiscard]] std::size_t deleted_bytes() const { return deleted_rows_.bytes(); }
  // The memory of rows that were brought into order.
  [[nodiscard]] std::size_t ordered_bytes() const {
    const std::scoped_lock lock(by_row_mutex_);
    return by_row_ ? by_row_->order.bytes() + by_row_->deleted.bytes() : 0;
  }

 private:
  // The runs of positions that lookups match.
  [[nodiscard]] DeviceArray<Run> find_runs(const DeviceLookups& lookups, QueryKind kind,
                                           cudaStream_t stream) const;
  [[nodiscard]] bool first_row_is_enough(const DeviceLookups& lookups, const DeviceRequest& request,
                                         RowsWanted wanted) const;
  [[nodiscard]] FoundRows answer_by_row(const DeviceLookups& lookups, const DeviceRequest& request,
                                        bool wants_rows, cudaStream_t stream) const;

  // The rows in key order, those of equal keys in their own order, where the column has another:
  // rows that were updated come after those of the same key.
  struct RowsByKey {
    explicit RowsByKey(const Sources& from)
        : order(from.order.column({from.memory, from.stream}), Sorting::needed, Layout::split,
                {from.memory, from.stream}),
          deleted(order, nullptr, from.memory) {
      order.release_keys();
      check(cudaStreamSynchronize(from.stream), "sorting rows");
    }
    DeviceOrder order;
    DeletedRowsCache deleted;
  };
  [[nodiscard]] bool is_ordered() const {
    return from_.order.unique() || from_.order.rows_ascend();
  }
  // Made by the first call that needs it, which waits for it.
  [[nodiscard]] RowsByKey& rows_by_key() const;
  void bring_into_order(FoundRows& found, const DeviceLookups& lookups, cudaStream_t stream) const;

  Sources from_;
  mutable DeletedRowsCache deleted_rows_;
  mutable std::mutex by_row_mutex_;
  mutable std::optional<RowsByKey> by_row_;
};

}  // namespace rtindex::cuda
