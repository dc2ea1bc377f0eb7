#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "answers/matches.hpp"
#include "base/array.hpp"
#include "base/parallel.hpp"
#include "keys/lookup_batch.hpp"
#include "keys/spread.hpp"

namespace rtindex {

// Answers of lookups that do not stand side by side in the batch: computed next to each other, then
// brought to their places.
class ScatteredAnswers {
 public:
  explicit ScatteredAnswers(const Request& request) : request_(&request), local_(request) {
    const Outputs& out = request.outputs;
    local_.outputs = {.any = out.any == nullptr ? nullptr : any_,
                      .first = out.first == nullptr ? nullptr : first_,
                      .count = out.count == nullptr ? nullptr : count_,
                      .sum = out.sum == nullptr ? nullptr : sum_,
                      .min = out.min == nullptr ? nullptr : min_,
                      .max = out.max == nullptr ? nullptr : max_,
                      .matched = out.matched == nullptr ? nullptr : matched_};
  }

  // Before the answers of lookups 0..count-1 are written to local().
  void start() { std::fill_n(matched_, sizeof(matched_), std::uint8_t{0}); }
  [[nodiscard]] const Request& local() const { return local_; }
  // Lookup i of the local answers is lookup places[i] of the batch.
  void scatter(const std::uint32_t* places, std::size_t count) const {
    const Outputs& out = request_->outputs;
    scatter_one(out.any, any_, places, count);
    scatter_one(out.first, first_, places, count);
    scatter_one(out.count, count_, places, count);
    scatter_one(static_cast<std::uint64_t*>(out.sum), sum_, places, count);
    scatter_one(static_cast<std::uint64_t*>(out.min), min_, places, count);
    scatter_one(static_cast<std::uint64_t*>(out.max), max_, places, count);
    if (out.matched == nullptr) return;
    for (std::size_t i = 0; i < count; ++i)
      if ((matched_[i / 8] >> (i % 8) & 1) != 0)
        std::atomic_ref<std::uint8_t>(out.matched[places[i] / 8])
            .fetch_or(static_cast<std::uint8_t>(1U << (places[i] % 8)), std::memory_order_relaxed);
  }

 private:
  template <class T>
  static void scatter_one(T* out, const T* local, const std::uint32_t* places, std::size_t count) {
    if (out == nullptr) return;
    for (std::size_t i = 0; i < count; ++i) out[places[i]] = local[i];
  }

  const Request* request_;
  Request local_;
  std::uint32_t any_[chunk_lookups], first_[chunk_lookups], count_[chunk_lookups];
  std::uint64_t sum_[chunk_lookups], min_[chunk_lookups], max_[chunk_lookups];
  std::uint8_t matched_[chunk_lookups / 8];
};

// Whether a large batch comes in key order already, as far as a few samples tell.
[[nodiscard]] bool is_sorted(const LookupBatch& batch);

// A batch, or a part of it, partitioned by key: lookups with near keys side by side.
class PartitionedBatch {
 public:
  struct Item {
    Interval interval;
    std::uint32_t place;  // in the batch
  };

  // Lookups [first, first + count) in `buckets` buckets of equal width over 0..span. Empty lookups
  // go to the first bucket.
  PartitionedBatch(const LookupBatch& batch, std::size_t first, std::size_t count,
                   std::uint64_t span, std::size_t buckets);

  [[nodiscard]] std::size_t buckets() const { return starts_.size() - 1; }
  [[nodiscard]] std::span<const Item> bucket(std::size_t i) const {
    return items_.span().subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  Array<Item> items_;
  std::vector<std::size_t> starts_;
};

}  // namespace rtindex
