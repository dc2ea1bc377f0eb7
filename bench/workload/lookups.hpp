#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <vector>

#include "workload/column.hpp"

namespace rtindex::bench {

// The sum that a lookup without a match must give: the reserved miss value.
inline constexpr std::uint64_t miss_sum = ~std::uint64_t{0};

// A batch of lookups, and for each of them the sum that it must give. The sums come from how the
// lookups were made, never from an index.
struct Lookups {
  KeyArray lower;
  KeyArray upper;  // empty: points
  std::vector<std::uint64_t> expected;
  nlohmann::json about;

  [[nodiscard]] std::size_t size() const { return lower.size(); }
  [[nodiscard]] bool are_ranges() const { return !upper.empty(); }
};

// Points drawn uniformly from the column's rows: every one hits.
[[nodiscard]] Lookups hits_in(const Column& column, std::size_t size, std::uint64_t seed);

// Points drawn from the column's rows with Zipf's law.
[[nodiscard]] Lookups skewed_hits_in(const Column& column, std::size_t size, double exponent,
                                     std::uint64_t seed);

// Where lookups that miss lie: between the smallest and the greatest key, or beyond them.
enum class Misses : std::uint8_t { in_range, out_of_range };

// Points of which exactly round(hit_rate * size) hit, in random order. For misses in range, the
// column is a uniform column of `column_seed`; for misses out of range its keys leave room at both
// ends of their type.
[[nodiscard]] Lookups with_hit_rate(const Column& column, std::size_t size, double hit_rate,
                                    Misses misses, std::uint64_t column_seed, std::uint64_t seed);

// A column in key order with running sums of its values: what ranges are made from.
class Ranked {
 public:
  explicit Ranked(const Column& column);
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] std::uint64_t key(std::size_t rank) const { return keys_[rank]; }
  // The sum over ranks first .. end-1; the miss value where there are none.
  [[nodiscard]] std::uint64_t sum(std::size_t first, std::size_t end) const {
    return first < end ? sums_[end] - sums_[first] : miss_sum;
  }
  // The first rank whose key is not below `key`.
  [[nodiscard]] std::size_t rank_of(std::uint64_t key) const;
  [[nodiscard]] int key_bits() const { return bits_; }

 private:
  int bits_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint64_t> sums_;
};

// Ranges over exactly `hits` neighbouring keys of a column of distinct keys.
[[nodiscard]] Lookups ranges_of_hits(const Ranked& column, std::size_t size, std::size_t hits,
                                     std::uint64_t seed);

// Ranges over `rows` neighbouring rows of a column in key order, and over all rows that are equal
// to the first or the last of them.
[[nodiscard]] Lookups ranges_over_rows(const Ranked& column, std::size_t size, std::size_t rows,
                                       std::uint64_t seed);

// Ranges [l, l + span - 1] that start at keys of the column.
[[nodiscard]] Lookups ranges_of_span(const Ranked& column, std::size_t size, std::uint64_t span,
                                     std::uint64_t seed);

// The same points in ascending order, batch by batch of `batch` lookups.
[[nodiscard]] Lookups in_key_order(const Lookups& points, std::size_t batch);

}  // namespace rtindex::bench
