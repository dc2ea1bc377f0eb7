#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>

#include <rtindex/index.hpp>

#include "workload/lookup_rules.hpp"
#include "workload/workload_array.hpp"

namespace rtindex::bench {

// The table of the paper's experiments: a column of keys to index, and a column of values that
// lookups add up at the matching rowIDs (section 3.1).
struct Column {
  KeyArray keys;
  WorkloadArray<std::uint32_t> values;
  // For every row the sum of the values of all rows with its key; empty if keys are distinct.
  WorkloadArray<std::uint64_t> sums_of_equal;
  // How it was generated, for the records.
  nlohmann::json about;

  [[nodiscard]] std::size_t size() const { return keys.size(); }
  [[nodiscard]] ExecutionSpace& space() const { return keys.space(); }
  [[nodiscard]] ColumnData data() const {
    return {keys.data(), size(), values.data(), sums_of_equal.data()};
  }
  [[nodiscard]] Column copy() const {
    return {keys.copy(), values.copy(), sums_of_equal.copy(), about};
  }
};

// 0, stride, 2*stride, ... in random order.
[[nodiscard]] Column dense_column(ExecutionSpace& space, std::size_t size, int bits,
                                  std::uint64_t seed, std::uint64_t stride = 1);

// Keys drawn from all 2^bits values without replacement.
[[nodiscard]] Column uniform_column(ExecutionSpace& space, std::size_t size, int bits,
                                    std::uint64_t seed);

// Keys drawn from the middle half of all 32-bit values without replacement.
[[nodiscard]] Column middle_column(ExecutionSpace& space, std::size_t size, std::uint64_t seed);

// A share of the keys drawn from everywhere, the others dense in the middle of all 32-bit values.
[[nodiscard]] Column clustered_column(ExecutionSpace& space, std::size_t size, double uniform_share,
                                      std::uint64_t seed);

// size / multiplicity distinct keys, each in that many rows, scattered.
[[nodiscard]] Column repeated_column(ExecutionSpace& space, std::size_t size,
                                     std::size_t multiplicity, std::uint64_t seed);

// Any keys, such as those of a file.
[[nodiscard]] Column column_of(KeyArray keys, std::uint64_t seed);

// The column with its rows in key order: "sorted inserts" (section 4.4).
[[nodiscard]] Column in_key_order(const Column& column);

// Some rows of a column of distinct keys.
[[nodiscard]] Column rows_of(const Column& column, const WorkloadArray<std::uint32_t>& rows);

// A column in key order with prefix sums of its values, for generating ranges.
class Ranked {
 public:
  explicit Ranked(const Column& column);
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] int key_bits() const { return keys_.bits(); }
  [[nodiscard]] ExecutionSpace& space() const { return keys_.space(); }
  [[nodiscard]] RankedData data() const { return {keys_.data(), size(), sums_.data()}; }

 private:
  KeyArray keys_;
  WorkloadArray<std::uint64_t> sums_;
};

// New keys for some rows, in the space of the column.
struct Swaps {
  WorkloadArray<std::uint32_t> rows;
  KeyArray new_keys;
};

// Swaps the keys of neighbouring rows, or the rows of neighbouring keys (section 3.6).
enum class Neighbours : std::uint8_t { positions, keys };

// Random swaps of `pairs` disjoint pairs of a column.
[[nodiscard]] Swaps random_swaps(const Column& column, std::size_t pairs, Neighbours neighbours,
                                 std::uint64_t seed);

// Applies the swaps to an index.
inline void apply(const Swaps& swaps, Index& index) {
  index.update(view_of(swaps.rows), swaps.new_keys.view());
}

// Applies the swaps to a column. Values stay in their rows.
void apply(const Swaps& swaps, Column& column);

}  // namespace rtindex::bench
