#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>

#include "workload/key_array.hpp"
#include "workload/lookup_rules.hpp"

namespace rtindex::bench {

// The table of the paper's experiments: a column of keys to index, and a column of values of which
// lookups fetch and add up those at the matching rowIDs (section 3.1).
struct Column {
  KeyArray keys;
  PlacedArray<std::uint32_t> values;
  // For every row the sum of the values of all rows with its key; empty where keys are distinct.
  PlacedArray<std::uint64_t> sums_of_equal;
  // What it was made from, for the records.
  nlohmann::json about;

  [[nodiscard]] std::size_t size() const { return keys.size(); }
  [[nodiscard]] Place& place() const { return keys.place(); }
  [[nodiscard]] ColumnData data() const {
    return {keys.data(), size(), values.data(), sums_of_equal.data()};
  }
  [[nodiscard]] Column copy() const {
    return {keys.copy(), values.copy(), sums_of_equal.copy(), about};
  }
};

// 0, stride, 2*stride, ... in random order.
[[nodiscard]] Column dense_column(Place& place, std::size_t size, int bits, std::uint64_t seed,
                                  std::uint64_t stride = 1);

// Keys drawn from all 2^bits values without replacement.
[[nodiscard]] Column uniform_column(Place& place, std::size_t size, int bits, std::uint64_t seed);

// Keys drawn from the middle half of all 32-bit values without replacement.
[[nodiscard]] Column middle_column(Place& place, std::size_t size, std::uint64_t seed);

// A share of the keys drawn from everywhere, the others dense in the middle of all 32-bit values.
[[nodiscard]] Column clustered_column(Place& place, std::size_t size, double uniform_share,
                                      std::uint64_t seed);

// size / multiplicity distinct keys, each in that many rows, scattered.
[[nodiscard]] Column repeated_column(Place& place, std::size_t size, std::size_t multiplicity,
                                     std::uint64_t seed);

// Any keys, such as those of a file.
[[nodiscard]] Column column_of(KeyArray keys, std::uint64_t seed);

// The same keys in rows of ascending keys: "sorted inserts" (section 4.4).
[[nodiscard]] Column in_key_order(const Column& column);

// A column in key order with running sums of its values: what ranges are made from.
class Ranked {
 public:
  explicit Ranked(const Column& column);
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] int key_bits() const { return keys_.bits(); }
  [[nodiscard]] Place& place() const { return keys_.place(); }
  [[nodiscard]] RankedData data() const { return {keys_.data(), size(), sums_.data()}; }

 private:
  KeyArray keys_;
  PlacedArray<std::uint64_t> sums_;
};

}  // namespace rtindex::bench
