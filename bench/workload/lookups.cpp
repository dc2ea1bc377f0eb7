#include "workload/lookups.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::bench {

namespace {

enum class Kind : std::uint8_t { points, ranges };

template <class LookupRule>
Lookups drawn(ExecutionSpace& space, Kind kind, int bits, std::size_t size, nlohmann::json about,
              const LookupRule& rule) {
  Lookups lookups;
  lookups.lower = KeyArray(space, bits, size);
  if (kind == Kind::ranges) lookups.upper = KeyArray(space, bits, size);
  lookups.expected = WorkloadArray<std::uint64_t>(space, size);
  about["lookup_count"] = size;
  lookups.about = std::move(about);
  const KeyData upper = kind == Kind::ranges ? lookups.upper.data() : KeyData{};
  space.run(FillLookups<LookupRule>{rule, lookups.lower.data(), upper, lookups.expected.data()},
            size);
  return lookups;
}

template <class LookupRule>
Lookups points(const Column& column, std::size_t size, nlohmann::json about,
               const LookupRule& rule) {
  return drawn(column.space(), Kind::points, column.keys.bits(), size, std::move(about), rule);
}

template <class LookupRule>
Lookups ranges(const Ranked& column, std::size_t size, nlohmann::json about,
               const LookupRule& rule) {
  return drawn(column.space(), Kind::ranges, column.key_bits(), size, std::move(about), rule);
}

std::uint64_t greatest_key(int bits) { return ~std::uint64_t{0} >> (64 - bits); }

}  // namespace

Lookups hits_in(const Column& column, std::size_t size, std::uint64_t seed) {
  return points(column, size, {{"lookups", "uniform"}}, UniformHits{column.data(), seed});
}

Lookups rows_in(const Column& column, std::size_t size, std::uint64_t seed) {
  return points(column, size, {{"lookups", "uniform"}, {"answer", "any"}},
                HitKeys{column.data(), seed});
}

Lookups skewed_hits_in(const Column& column, std::size_t size, double exponent,
                       std::uint64_t seed) {
  return points(column, size, {{"lookups", "zipf"}, {"exponent", exponent}},
                ZipfHits{column.data(), Zipf(column.size(), exponent), seed});
}

Lookups with_hit_rate(const Column& column, std::size_t size, double hit_rate, Misses misses,
                      std::uint64_t column_seed, std::uint64_t seed) {
  const auto hits = static_cast<std::uint64_t>(std::llround(hit_rate * static_cast<double>(size)));
  const int bits = column.keys.bits();
  const auto [least, most] = column.space().min_max(column.keys.data(), column.size());
  const Permutation order(size, seed);
  nlohmann::json about = {{"lookups", "uniform"}, {"hit_rate", hit_rate}};
  if (misses == Misses::in_range) {
    about["misses"] = "inside the key range";
    const std::uint64_t free = greatest_key(bits) - column.size() + (bits < 64 ? 1 : 0);
    const InsideKeys missing{least, most, column.size(), free, bits, column_seed};
    return points(column, size, std::move(about),
                  SomeHits<InsideKeys>{column.data(), missing, order, hits, seed});
  }
  const std::uint64_t above = greatest_key(bits) - most;
  if (least + above == 0)
    throw Error("no key is outside the range of the column: it contains both ends of its type");
  about["misses"] = "outside the key range";
  return points(column, size, std::move(about),
                SomeHits<OutsideKeys>{column.data(), {least, most, above}, order, hits, seed});
}

Lookups ranges_of_hits(const Ranked& column, std::size_t size, std::size_t hits,
                       std::uint64_t seed) {
  if (hits == 0 || hits > column.size())
    throw Error("invalid number of hits per range: expected 1 to the number of keys");
  return ranges(column, size, {{"lookups", "ranges"}, {"hits", hits}},
                RangesOfHits{column.data(), hits, seed});
}

Lookups ranges_over_rows(const Ranked& column, std::size_t size, std::size_t rows,
                         std::uint64_t seed) {
  rows = std::min(rows, column.size());
  return ranges(column, size, {{"lookups", "ranges"}, {"rows", rows}},
                RangesOverRows{column.data(), rows, seed});
}

Lookups ranges_of_span(const Ranked& column, std::size_t size, std::uint64_t span,
                       std::uint64_t seed) {
  return ranges(column, size, {{"lookups", "ranges"}, {"span", span}},
                RangesOfSpan{column.data(), span, greatest_key(column.key_bits()), seed});
}

Lookups table_hits_in(const Column& column, const TableHits& rule, std::size_t size) {
  return points(column, size, {{"lookups", "uniform"}}, rule);
}

WorkloadArray<std::uint64_t> expected_in_key_order(const Lookups& points, std::size_t batch) {
  ExecutionSpace& space = points.lower.space();
  const WorkloadArray<std::uint32_t> order(space, points.size());
  space.order_by_key(points.lower.data(), points.size(), batch, order.data());
  WorkloadArray<std::uint64_t> expected(space, points.size());
  space.run(Gather<std::uint64_t>{points.expected.data(), order.data(), expected.data()},
            points.size());
  return expected;
}

}  // namespace rtindex::bench
