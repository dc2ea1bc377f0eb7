#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "workload/key_array.hpp"

namespace rtindex::bench {

// The table of the paper's experiments: a column of keys to index, and a column of values of which
// lookups fetch and add up those at the matching rowIDs (section 3.1).
struct Column {
  KeyArray keys;
  std::vector<std::uint32_t> values;
  // For every row the sum of the values of all rows with its key; empty where keys are distinct.
  std::vector<std::uint64_t> sums_of_equal;
  // What it was made from, for the records.
  nlohmann::json about;

  [[nodiscard]] std::size_t size() const { return keys.size(); }
  // What a lookup of the key in `row` must answer.
  [[nodiscard]] std::uint64_t sum_at(std::size_t row) const {
    return sums_of_equal.empty() ? values[row] : sums_of_equal[row];
  }
};

// 0, stride, 2*stride, ... in random order.
[[nodiscard]] Column dense_column(std::size_t size, int bits, std::uint64_t seed,
                                  std::uint64_t stride = 1);

// Keys drawn from all 2^bits values without replacement.
[[nodiscard]] Column uniform_column(std::size_t size, int bits, std::uint64_t seed);

// Keys drawn from the middle half of all 32-bit values without replacement.
[[nodiscard]] Column middle_column(std::size_t size, std::uint64_t seed);

// A share of the keys drawn from everywhere, the others dense in the middle of all 32-bit values.
[[nodiscard]] Column clustered_column(std::size_t size, double uniform_share, std::uint64_t seed);

// size / multiplicity distinct keys, each in that many rows, scattered.
[[nodiscard]] Column repeated_column(std::size_t size, std::size_t multiplicity,
                                     std::uint64_t seed);

// Any keys, such as those of a file; equal ones are found by sorting.
[[nodiscard]] Column column_of(KeyArray keys, std::uint64_t seed);

// The same keys in rows of ascending keys: "sorted inserts" (section 4.4).
[[nodiscard]] Column in_key_order(Column column);

// The key that draw `number` of a uniform column gives: draws are distinct, and those below the
// column's size are its keys, so that later ones are keys that it does not hold.
[[nodiscard]] std::uint64_t uniform_key(std::uint64_t number, int bits, std::uint64_t seed);

}  // namespace rtindex::bench
