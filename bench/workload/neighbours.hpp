#pragma once

#include <rtindex/answer.hpp>

#include "workload/lookups.hpp"

namespace rtindex::bench {

// Keys in order with their rows: the oracle for neighbours.
class OrderedRows {
 public:
  explicit OrderedRows(const KeyArray& keys);
  [[nodiscard]] const KeyArray& keys() const { return keys_; }
  [[nodiscard]] const WorkloadArray<std::uint32_t>& rows() const { return rows_; }
  [[nodiscard]] OrderedRowsData data() const { return {keys_.data(), keys_.size(), rows_.data()}; }

 private:
  KeyArray keys_;
  WorkloadArray<std::uint32_t> rows_;
};

// A 64-bit key for each pair of 32-bit keys, in the order of the pairs.
[[nodiscard]] KeyArray paired(const KeyArray& high, const KeyArray& low);

// For each key the row of its neighbour in the column, without a tolerance. `grouped`: keys are
// paired, and neighbours have an equal first part.
[[nodiscard]] WorkloadArray<std::uint64_t> neighbour_rows(const OrderedRows& column,
                                                          const KeyArray& keys,
                                                          const NearestOptions& nearest,
                                                          bool grouped = false);

// These points, in the same memory, with the rows of their neighbours as expected numbers.
[[nodiscard]] Lookups with_neighbours(const Lookups& points, const OrderedRows& column,
                                      const NearestOptions& nearest);

}  // namespace rtindex::bench
