#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>

#include "workload/column.hpp"

namespace rtindex::bench {

// A batch of lookups with the expected sum of each, which follows from how the lookups were
// generated, never from an index. They are in the space of the column.
struct Lookups {
  KeyArray lower;
  KeyArray upper;                         // empty: points
  KeyArray group;                         // the part before `lower` in composite keys; empty: none
  WorkloadArray<std::uint64_t> expected;  // for neighbours, their rows; for any row, its key
  nlohmann::json about;

  [[nodiscard]] std::size_t size() const { return lower.size(); }
  [[nodiscard]] bool are_ranges() const { return !upper.empty(); }
  // The points, or lower ends, as a column of lookups.
  [[nodiscard]] ColumnView slice(std::size_t first, std::size_t count) const {
    if (group.empty()) return lower.slice(first, count);
    return ColumnView::composite({group.slice(first, count), lower.slice(first, count)});
  }
};

// Points drawn uniformly from the column's rows: every one hits.
[[nodiscard]] Lookups hits_in(const Column& column, std::size_t size, std::uint64_t seed);

// Points for lookups of any row, which must hold the key.
[[nodiscard]] Lookups rows_in(const Column& column, std::size_t size, std::uint64_t seed);

// Points drawn from the column's rows with Zipf's law.
[[nodiscard]] Lookups skewed_hits_in(const Column& column, std::size_t size, double exponent,
                                     std::uint64_t seed);

// Misses between the smallest and the largest key, or outside of that range.
enum class Misses : std::uint8_t { in_range, out_of_range };

// Points of which exactly round(hit_rate * size) hit, in random order. For misses in range, the
// column must be a uniform column of `column_seed`; for misses out of range its keys must not span
// their whole type.
[[nodiscard]] Lookups with_hit_rate(const Column& column, std::size_t size, double hit_rate,
                                    Misses misses, std::uint64_t column_seed, std::uint64_t seed);

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

// Points drawn by the rule of a table that changes, over its column.
[[nodiscard]] Lookups table_hits_in(const Column& column, const TableHits& rule, std::size_t size);

// The expected sums after sorting the points, batch by batch of `batch` lookups.
[[nodiscard]] WorkloadArray<std::uint64_t> expected_in_key_order(const Lookups& points,
                                                                 std::size_t batch);

}  // namespace rtindex::bench
