#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/ordered_values.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/stream_uses.hpp"
#include "order/cuda/device_order.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

// Deleted rows as searches in key order read them: a bitmap by position, and the included values
// without theirs.
class DeletedRows {
 public:
  // `included`: null if there are none or none are needed. Complete on return.
  DeletedRows(const DeviceOrder& order, const OrderedValues* included, const RowBits& deleted,
              const std::shared_ptr<DeviceMemory>& memory)
      : id_(deleted.id),
        all_included_(included),
        list_(order.rows(), order.positions(), deleted, {memory, stream_.get()}) {
    if (list_.count() == 0)
      included_ = included;
    else if (included != nullptr)
      included_ = &valid_included_.emplace(*included, list_, Queue(memory, stream_.get()));
    stream_.wait();
  }
  // The memory is released when the streams that read it are done with it.
  ~DeletedRows() { uses_.wait_on(stream_.get()); }
  DeletedRows(const DeletedRows&) = delete;
  DeletedRows& operator=(const DeletedRows&) = delete;

  [[nodiscard]] std::uint64_t id() const { return id_; }
  // The included values that it was made for, deleted ones among them; null: none.
  [[nodiscard]] const OrderedValues* all_included() const { return all_included_; }
  [[nodiscard]] DeletedPositions positions() const { return list_.view(); }
  [[nodiscard]] const OrderedValues* included() const { return included_; }
  [[nodiscard]] std::size_t bytes() const {
    return list_.bytes() + (valid_included_ ? valid_included_->bytes() : 0);
  }
  void record(cudaStream_t stream) const { uses_.record(stream); }

 private:
  // Not the caller's stream, which may be under capture.
  PooledStream stream_;
  std::uint64_t id_;
  const OrderedValues* all_included_;
  DeletedPositionList list_;
  std::optional<OrderedValues> valid_included_;
  const OrderedValues* included_ = nullptr;
  mutable StreamUses uses_;
};

// The deleted rows of a call, until its work is queued on the stream; none where it is empty.
class DeletedRowsUse {
 public:
  DeletedRowsUse() = default;
  DeletedRowsUse(std::shared_ptr<const DeletedRows> rows, cudaStream_t stream)
      : rows_(std::move(rows)), stream_(stream) {}
  ~DeletedRowsUse() {
    if (rows_ != nullptr) rows_->record(stream_);
  }
  DeletedRowsUse(DeletedRowsUse&& other) noexcept { swap(other); }
  DeletedRowsUse& operator=(DeletedRowsUse&& other) noexcept {
    swap(other);
    return *this;
  }

  [[nodiscard]] DeletedPositions positions() const {
    return rows_ == nullptr ? DeletedPositions{} : rows_->positions();
  }
  [[nodiscard]] const OrderedValues* included() const { return rows_->included(); }

 private:
  void swap(DeletedRowsUse& other) noexcept {
    std::swap(rows_, other.rows_);
    std::swap(stream_, other.stream_);
  }

  std::shared_ptr<const DeletedRows> rows_;
  cudaStream_t stream_ = nullptr;
};

// The most recently used deleted rows of a segment. The first call that needs an entry makes it,
// and waits for it.
class DeletedRowsCache {
 public:
  // `included_columns`: how many it has.
  DeletedRowsCache(const DeviceOrder& order, std::size_t included_columns,
                   const std::shared_ptr<DeviceMemory>& memory)
      : order_(order),
        kept_sets_(kept_versions * std::max<std::size_t>(included_columns, 1)),
        memory_(memory) {}

  // For work on `stream`. `included`: the included values that it aggregates; null: none.
  [[nodiscard]] DeletedRowsUse get(const RowBits& deleted, const OrderedValues* included,
                                   cudaStream_t stream);
  [[nodiscard]] std::size_t bytes() const;

 private:
  // Enough for queries that alternate between a version and one snapshot of it.
  static constexpr std::size_t kept_versions = 2;

  [[nodiscard]] std::shared_ptr<const DeletedRows> find(std::uint64_t id,
                                                        const OrderedValues* included) const;

  const DeviceOrder& order_;
  std::size_t kept_sets_;
  const std::shared_ptr<DeviceMemory>& memory_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const DeletedRows>> sets_;  // the newest last
};

}  // namespace rtindex::cuda
