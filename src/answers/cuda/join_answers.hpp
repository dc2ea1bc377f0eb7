#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/aggregate.hpp"
#include "answers/cuda/device_answers.hpp"
#include "base/cuda/device_array.hpp"
#include "base/macros.hpp"

namespace rtindex::cuda {

// Joins the answers of a lookup from one more segment into those so far. Values are joined by the
// sides that matched, because a value may equal the miss value; the bitmaps are joined afterwards.
template <class Class>
RTINDEX_HD void join_lookup(const DeviceRequest& into, const DeviceRequest& next,
                            std::size_t lookup) {
  if (into.any != nullptr && into.any[lookup] == miss_row) into.any[lookup] = next.any[lookup];
  if (into.first != nullptr) into.first[lookup] = Min{}(into.first[lookup], next.first[lookup]);
  if (into.last != nullptr) into.last[lookup] = Last{}(into.last[lookup], next.last[lookup]);
  if (into.count != nullptr) into.count[lookup] += next.count[lookup];
  if (into.sum == nullptr && into.min == nullptr && into.max == nullptr) return;
  if (!is_matched(next.matched, lookup)) return;
  const bool both = is_matched(into.matched, lookup);
  const auto join = [&](void* to, const void* from, auto operation) {
    if (to == nullptr) return;
    Class& joined = static_cast<Class*>(to)[lookup];
    const Class added = static_cast<const Class*>(from)[lookup];
    joined = both ? operation(joined, added) : added;
  };
  join(into.sum, next.sum, Sum{});
  join(into.min, next.min, Min{});
  join(into.max, next.max, Max{});
}

// The answers of several segments become one: the first segment writes to first(), every other one
// to next(), after which add() joins it. `rows` are joined by RowSources.
class AnswerJoin {
 public:
  // `wanted` gets the joined answers of `count` lookups.
  AnswerJoin(const DeviceRequest& wanted, std::size_t count, const Queue& queue);

  [[nodiscard]] const DeviceRequest& first() const { return first_; }
  [[nodiscard]] const DeviceRequest& next() const { return next_; }
  void add(cudaStream_t stream) const;

 private:
  std::size_t count_;
  DeviceRequest first_, next_;
  DeviceBytes bytes_;  // of all buffers that are not the caller's
};

}  // namespace rtindex::cuda
