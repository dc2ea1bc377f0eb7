#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/spec.hpp>

#include "answers/chunk_buffers.hpp"
#include "answers/matches.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/spec_options.hpp"
#include "keys/lookup_batch.hpp"
#include "order/key_parts.hpp"

namespace rtindex {

enum class Order : std::uint8_t { automatic, on, off };

// An option of searchers over sorted keys on a CPU.
inline constexpr SpecOption order_option = {
    .name = "order",
    .topic = SpecOption::Topic::batches,
    .words = {"auto", "on", "off"},
    .fallback = "auto",
    .help = "on a CPU, answer large batches in key order: by a rule, always, never"};
[[nodiscard]] Order order_of(const Spec& spec);

// Whether batches are answered in the order of their keys.
class OrderRule {
 public:
  OrderRule() = default;
  // `pays`: whether a search reads so much memory that key order is faster once the searcher, its
  // pairs and its locator, exceeds a core's cache.
  OrderRule(Order order, bool pays, std::size_t searcher_bytes)
      : order_(order), pays_(pays), searcher_bytes_(searcher_bytes) {}

  [[nodiscard]] bool in_order(const LookupBatch& batch) const;
  // A line for describe().
  [[nodiscard]] std::string describe() const;

 private:
  [[nodiscard]] bool may_order() const;

  static constexpr std::size_t min_lookups = std::size_t{1} << 16;

  Order order_ = Order::automatic;
  bool pays_ = false;
  std::size_t searcher_bytes_ = 0;
};

// Answers of lookups that are scattered over a batch: written to local buffers, then copied to the
// outputs.
class ScatteredAnswers {
 public:
  explicit ScatteredAnswers(const Request& request) : request_(&request), local_(request) {
    local_.outputs = buffers_.outputs(request.outputs);
    buffers_.receive_counts(local_);
  }

  // Called before the answers of lookups 0..count-1 are written to local().
  void start() { buffers_.clear_matched(); }
  [[nodiscard]] const Request& local() const { return local_; }
  // Lookup i of the local answers is lookup lookups[i] of the batch.
  void scatter(const std::uint32_t* lookups, std::size_t count) const {
    const Outputs& out = request_->outputs;
    scatter_one(out.any, buffers_.any, lookups, count);
    scatter_one(out.first, buffers_.first, lookups, count);
    scatter_one(out.last, buffers_.last, lookups, count);
    scatter_one(out.count, buffers_.count, lookups, count);
    scatter_one(static_cast<std::uint64_t*>(out.sum), buffers_.sum, lookups, count);
    scatter_one(static_cast<std::uint64_t*>(out.min), buffers_.min, lookups, count);
    scatter_one(static_cast<std::uint64_t*>(out.max), buffers_.max, lookups, count);
    scatter_one(request_->value_counts, buffers_.value_counts, lookups, count);
    scatter_one(request_->mean_sums, buffers_.mean_sums, lookups, count);
    if (out.matched == nullptr) return;
    for (std::size_t i = 0; i < count; ++i)
      if (is_matched(buffers_.matched, i)) set_matched_shared(out.matched, lookups[i]);
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

// A batch, or a part of it, partitioned by key: lookups with near keys side by side.
class PartitionedBatch {
 public:
  struct Item {
    Interval interval;
    std::uint32_t lookup;  // its position in the batch
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
