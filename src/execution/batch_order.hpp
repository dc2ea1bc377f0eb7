#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/spec.hpp>

#include "answers/chunk_buffers.hpp"
#include "answers/matches.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "keys/lookup_batch.hpp"
#include "storage/key_parts.hpp"

namespace rtindex {

enum class Order : std::uint8_t { automatic, on, off };

// The option `order` of a spec.
[[nodiscard]] Order order_of(const Spec& spec);

// Decides from measured times whether large batches are answered in the order of their keys. The
// first large batch of a size is answered in its own order, the second in key order, later ones in
// the order that took less time; now and then the other order is measured again.
class OrderChoice {
 public:
  explicit OrderChoice(Order order) : order_(order) {}

  // Fewer lookups than this are answered in their own order.
  static constexpr std::size_t least_lookups = std::size_t{1} << 16;

  [[nodiscard]] Order order() const { return order_; }
  // Whether batches of this size are ever ordered.
  [[nodiscard]] bool may_order(std::size_t lookups) const {
    return order_ == Order::automatic ? lookups >= least_lookups
                                      : order_ == Order::on && lookups > chunk_lookups;
  }
  [[nodiscard]] bool in_order(std::size_t lookups, LookupKind kind) const;
  // What a batch took.
  void measured(std::size_t lookups, LookupKind kind, bool in_order, double nanoseconds) const;
  // A line for describe().
  [[nodiscard]] std::string describe() const;

 private:
  struct Cost {
    double own_order = 0;  // nanoseconds a lookup; 0: not measured yet
    double key_order = 0;
    std::uint32_t batches = 0;
  };

  [[nodiscard]] Cost& cost_of(std::size_t lookups, LookupKind kind) const;

  Order order_;
  mutable std::mutex mutex_;
  mutable std::array<std::array<Cost, 2>, 64> costs_;  // by the logarithm of the batch's size
};

// Answers of lookups from all over a batch: computed side by side, then scattered to the outputs.
class ScatteredAnswers {
 public:
  explicit ScatteredAnswers(const Request& request) : request_(&request), local_(request) {
    local_.outputs = buffers_.outputs(request.outputs);
  }

  // Before the answers of lookups 0..count-1 are written to local().
  void start() { buffers_.clear_matched(); }
  [[nodiscard]] const Request& local() const { return local_; }
  // Lookup i of the local answers is lookup lookups[i] of the batch.
  void scatter(const std::uint32_t* lookups, std::size_t count) const {
    const Outputs& out = request_->outputs;
    scatter_one(out.any, buffers_.any, lookups, count);
    scatter_one(out.first, buffers_.first, lookups, count);
    scatter_one(out.count, buffers_.count, lookups, count);
    scatter_one(static_cast<std::uint64_t*>(out.sum), buffers_.sum, lookups, count);
    scatter_one(static_cast<std::uint64_t*>(out.min), buffers_.min, lookups, count);
    scatter_one(static_cast<std::uint64_t*>(out.max), buffers_.max, lookups, count);
    if (out.matched == nullptr) return;
    for (std::size_t i = 0; i < count; ++i)
      if (is_matched(buffers_.matched, i))
        std::atomic_ref<std::uint8_t>(out.matched[lookups[i] / 8])
            .fetch_or(static_cast<std::uint8_t>(1U << (lookups[i] % 8)), std::memory_order_relaxed);
  }

 private:
  template <class T>
  static void scatter_one(T* out, const T* local, const std::uint32_t* lookups, std::size_t count) {
    if (out == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) out[lookups[i]] = local[i];
  }

  const Request* request_;
  Request local_;
  ChunkBuffers buffers_;
};

// Whether a large batch is in key order already, judged by a few samples.
[[nodiscard]] bool is_sorted(const LookupBatch& batch);

// A batch, or a part of it, partitioned by key: lookups with near keys side by side.
class PartitionedBatch {
 public:
  struct Item {
    Interval interval;
    std::uint32_t lookup;  // its number in the batch
  };

  // Lookups [first, first + count) by the part of the column that their lower end belongs to.
  // Empty lookups go to the first part.
  PartitionedBatch(const LookupBatch& batch, std::size_t first, std::size_t count,
                   const KeyParts& parts);

  [[nodiscard]] std::span<const Item> items(std::size_t part) const {
    return items_.span().subspan(starts_[part], starts_[part + 1] - starts_[part]);
  }

 private:
  Array<Item> items_;
  std::vector<std::size_t> starts_;
};

}  // namespace rtindex
