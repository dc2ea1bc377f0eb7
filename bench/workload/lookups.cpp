#include "workload/lookups.hpp"

#include <tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <rtindex/error.hpp>

#include "base/parallel.hpp"
#include "workload/random.hpp"
#include "workload/zipf.hpp"

namespace rtindex::bench {

namespace {

constexpr std::size_t grain = 1 << 14;

struct Point {
  std::uint64_t key, expected;
};

template <class Draw>
Lookups points(int bits, std::size_t size, nlohmann::json about, const Draw& draw) {
  Lookups lookups;
  lookups.lower = KeyArray(bits, size);
  lookups.expected.resize(size);
  about["lookup_count"] = size;
  lookups.about = std::move(about);
  parallel_for(size, grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      const Point point = draw(i);
      lookups.lower.set(i, point.key);
      lookups.expected[i] = point.expected;
    }
  });
  return lookups;
}

std::pair<std::uint64_t, std::uint64_t> ends_of(const KeyArray& keys) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  for (std::size_t row = 0; row < keys.size(); ++row) {
    least = std::min(least, keys[row]);
    most = std::max(most, keys[row]);
  }
  return {least, most};
}

// Keys that the column does not hold, by number.
class MissingKeys {
 public:
  MissingKeys(const Column& column, Misses misses, std::uint64_t column_seed)
      : first_free_(column.size()), bits_(column.keys.bits()), seed_(column_seed), misses_(misses) {
    std::tie(least_, most_) = ends_of(column.keys);
    const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits_);
    above_ = greatest - most_;
    if (misses == Misses::out_of_range && least_ + above_ == 0)
      throw Error("the column holds both ends of its key range: no lookup can miss beyond them");
  }

  [[nodiscard]] std::uint64_t operator()(std::uint64_t seed, std::uint64_t place) const {
    if (misses_ == Misses::out_of_range) {
      const std::uint64_t number = random_below(least_ + above_, seed, place);
      return number < least_ ? number : most_ + 1 + (number - least_);
    }
    // Draws after the column's own give other keys; the few beyond its ends are drawn again.
    const std::uint64_t free =
        bits_ == 64 ? ~std::uint64_t{0} - first_free_ : (std::uint64_t{1} << bits_) - first_free_;
    for (std::uint64_t attempt = 0;; ++attempt) {
      const std::uint64_t number = first_free_ + random_below(free, seed + attempt, place);
      const std::uint64_t key = uniform_key(number, bits_, seed_);
      if (key > least_ && key < most_) return key;
    }
  }

 private:
  std::uint64_t first_free_;
  int bits_;
  std::uint64_t seed_;
  Misses misses_;
  std::uint64_t least_ = 0, most_ = 0, above_ = 0;
};

Lookups ranges(const Ranked& column, std::size_t size, nlohmann::json about, const auto& draw) {
  Lookups lookups;
  lookups.lower = KeyArray(column.key_bits(), size);
  lookups.upper = KeyArray(column.key_bits(), size);
  lookups.expected.resize(size);
  about["lookup_count"] = size;
  lookups.about = std::move(about);
  parallel_for(size, grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      const auto [lower, upper, expected] = draw(i);
      lookups.lower.set(i, lower);
      lookups.upper.set(i, upper);
      lookups.expected[i] = expected;
    }
  });
  return lookups;
}

struct Range {
  std::uint64_t lower, upper, expected;
};

Range range_between(const Ranked& column, std::uint64_t lower, std::uint64_t upper) {
  const std::size_t end = upper == ~std::uint64_t{0} ? column.size() : column.rank_of(upper + 1);
  return {lower, upper, column.sum(column.rank_of(lower), end)};
}

}  // namespace

Lookups hits_in(const Column& column, std::size_t size, std::uint64_t seed) {
  return points(column.keys.bits(), size, {{"lookups", "uniform"}}, [&](std::size_t i) {
    const std::size_t row = random_below(column.size(), seed, i);
    return Point{column.keys[row], column.sum_at(row)};
  });
}

Lookups skewed_hits_in(const Column& column, std::size_t size, double exponent,
                       std::uint64_t seed) {
  const Zipf zipf(column.size(), exponent);
  return points(column.keys.bits(), size, {{"lookups", "zipf"}, {"exponent", exponent}},
                [&](std::size_t i) {
                  const std::size_t row = zipf(seed, i);
                  return Point{column.keys[row], column.sum_at(row)};
                });
}

Lookups with_hit_rate(const Column& column, std::size_t size, double hit_rate, Misses misses,
                      std::uint64_t column_seed, std::uint64_t seed) {
  const auto hits = static_cast<std::size_t>(std::llround(hit_rate * static_cast<double>(size)));
  const MissingKeys missing(column, misses, column_seed);
  const Permutation order(size, seed);
  const char* where = misses == Misses::in_range ? "inside the key range" : "outside the key range";
  return points(column.keys.bits(), size,
                {{"lookups", "uniform"}, {"hit_rate", hit_rate}, {"misses", where}},
                [&](std::size_t i) {
                  if (order(i) >= hits) return Point{missing(seed + 1, i), miss_sum};
                  const std::size_t row = random_below(column.size(), seed + 2, i);
                  return Point{column.keys[row], column.sum_at(row)};
                });
}

Ranked::Ranked(const Column& column)
    : bits_(column.keys.bits()), keys_(column.size()), sums_(column.size() + 1) {
  const Column sorted = in_key_order(column);
  for (std::size_t rank = 0; rank < keys_.size(); ++rank) {
    keys_[rank] = sorted.keys[rank];
    sums_[rank + 1] = sums_[rank] + sorted.values[rank];
  }
}

std::size_t Ranked::rank_of(std::uint64_t key) const {
  return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key) -
                                  keys_.begin());
}

Lookups ranges_of_hits(const Ranked& column, std::size_t size, std::size_t hits,
                       std::uint64_t seed) {
  if (hits == 0 || hits > column.size())
    throw Error("ranges hit between one key and all keys of the column");
  return ranges(column, size, {{"lookups", "ranges"}, {"hits", hits}}, [&](std::size_t i) {
    const std::size_t first = random_below(column.size() - hits + 1, seed, i);
    return Range{column.key(first), column.key(first + hits - 1), column.sum(first, first + hits)};
  });
}

Lookups ranges_over_rows(const Ranked& column, std::size_t size, std::size_t rows,
                         std::uint64_t seed) {
  rows = std::min(rows, column.size());
  return ranges(column, size, {{"lookups", "ranges"}, {"rows", rows}}, [&](std::size_t i) {
    const std::size_t first = random_below(column.size() - rows + 1, seed, i);
    return range_between(column, column.key(first), column.key(first + rows - 1));
  });
}

Lookups ranges_of_span(const Ranked& column, std::size_t size, std::uint64_t span,
                       std::uint64_t seed) {
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - column.key_bits());
  return ranges(column, size, {{"lookups", "ranges"}, {"span", span}}, [&](std::size_t i) {
    const std::uint64_t lower = column.key(random_below(column.size(), seed, i));
    const std::uint64_t upper = greatest - lower < span - 1 ? greatest : lower + (span - 1);
    return range_between(column, lower, upper);
  });
}

Lookups in_key_order(const Lookups& points, std::size_t batch) {
  std::vector<Point> pairs(points.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {points.lower[i], points.expected[i]};
  const std::size_t batches = (pairs.size() + batch - 1) / batch;
  parallel_for(batches, 1, [&](std::size_t number, std::size_t) {
    const auto first = pairs.begin() + static_cast<std::ptrdiff_t>(number * batch);
    const auto end =
        first + static_cast<std::ptrdiff_t>(std::min(batch, points.size() - number * batch));
    tbb::parallel_sort(first, end, [](const Point& a, const Point& b) { return a.key < b.key; });
  });
  Lookups sorted = points;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    sorted.lower.set(i, pairs[i].key);
    sorted.expected[i] = pairs[i].expected;
  }
  return sorted;
}

}  // namespace rtindex::bench
