#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "workload/key_rules.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

// Lookups by number: functions of column, seed and number, on host and device. Each returns the
// lookup with its expected sum, which follows from how the lookup was generated.

// The expected sum of a lookup without a match: the reserved miss value.
inline constexpr std::uint64_t miss_sum = ~std::uint64_t{0};

struct Drawn {
  std::uint64_t lower, upper, expected;  // a point has lower == upper
};

// A column, for code that runs in its space.
struct ColumnData {
  KeyData keys;
  std::uint64_t size;
  const std::uint32_t* values;
  const std::uint64_t* sums_of_equal;  // null if keys are distinct

  // The lookup of the key in `row`.
  [[nodiscard]] RTINDEX_HD Drawn at(std::uint64_t row) const {
    const std::uint64_t key = keys[row];
    return {key, key, sums_of_equal != nullptr ? sums_of_equal[row] : values[row]};
  }
};

// A column in key order with running sums of its values.
struct RankedData {
  KeyData keys;
  std::uint64_t size;
  const std::uint64_t* sums;

  // The first rank whose key is not below `key`.
  [[nodiscard]] RTINDEX_HD std::uint64_t rank_of(std::uint64_t key) const {
    std::uint64_t first = 0;
    for (std::uint64_t count = size; count > 0;) {
      const std::uint64_t half = count / 2;
      const bool is_below = keys[first + half] < key;
      first += is_below ? half + 1 : 0;
      count = is_below ? count - half - 1 : half;
    }
    return first;
  }
  // The sum over ranks first .. end-1; the miss value if there are none.
  [[nodiscard]] RTINDEX_HD std::uint64_t sum(std::uint64_t first, std::uint64_t end) const {
    return first < end ? sums[end] - sums[first] : miss_sum;
  }
  [[nodiscard]] RTINDEX_HD Drawn between(std::uint64_t lower, std::uint64_t upper) const {
    const std::uint64_t end = upper == ~std::uint64_t{0} ? size : rank_of(upper + 1);
    return {lower, upper, sum(rank_of(lower), end)};
  }
};

// The rows of a table that changes, in the order in which they are erased: the initial ones in
// random order, then the others as they were inserted.
struct TableOrder {
  Permutation order;  // of the first rows
  std::uint64_t first_rows;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t position) const {
    return position < first_rows ? order(position) : position;
  }
};

// Keys of such a table, drawn from `count` positions from `first` on; those of erased rows miss.
struct TableHits {
  ColumnData column;
  TableOrder order;
  std::uint64_t first, count;
  std::uint64_t erased;  // positions before this one
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    const std::uint64_t position = first + random_below(count, seed, number);
    Drawn drawn = column.at(order(position));
    if (position < erased) drawn.expected = miss_sum;
    return drawn;
  }
};

struct UniformHits {
  ColumnData column;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    return column.at(random_below(column.size, seed, number));
  }
};

// The key is the expected answer: the row that is found must hold it.
struct HitKeys {
  ColumnData column;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    const std::uint64_t key = column.keys[random_below(column.size, seed, number)];
    return {key, key, key};
  }
};

struct ZipfHits {
  ColumnData column;
  Zipf zipf;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    return column.at(zipf(seed, number));
  }
};

// Keys outside the range of the column, which is `least` to `most`.
struct OutsideKeys {
  std::uint64_t least, most;
  std::uint64_t above;  // how many keys are greater than `most`
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t seed,
                                                    std::uint64_t position) const {
    const std::uint64_t number = random_below(least + above, seed, position);
    return number < least ? number : most + 1 + (number - least);
  }
};

// Keys within the range of a uniform column that it does not contain: later draws than its own.
struct InsideKeys {
  std::uint64_t least, most;
  std::uint64_t first_free;  // the column's size
  std::uint64_t free;        // how many draws there are beyond its own
  int bits;
  std::uint64_t column_seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t seed,
                                                    std::uint64_t position) const {
    // The few outside the range are drawn again.
    for (std::uint64_t attempt = 0;; ++attempt) {
      const std::uint64_t number = first_free + random_below(free, seed + attempt, position);
      const std::uint64_t key = uniform_key(number, bits, column_seed);
      if (key > least && key < most) return key;
    }
  }
};

// `hits` of all lookups hit, in random order; the others miss.
template <class MissingKeys>
struct SomeHits {
  ColumnData column;
  MissingKeys missing;
  Permutation order;
  std::uint64_t hits;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    if (order(number) < hits) return column.at(random_below(column.size, seed + 2, number));
    const std::uint64_t key = missing(seed + 1, number);
    return {key, key, miss_sum};
  }
};

// Ranges over exactly `hits` neighbouring keys, all distinct.
struct RangesOfHits {
  RankedData column;
  std::uint64_t hits;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    const std::uint64_t first = random_below(column.size - hits + 1, seed, number);
    return {column.keys[first], column.keys[first + hits - 1], column.sum(first, first + hits)};
  }
};

// Ranges over `rows` neighbouring rows in key order, plus duplicates of the first and last of them.
struct RangesOverRows {
  RankedData column;
  std::uint64_t rows;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    const std::uint64_t first = random_below(column.size - rows + 1, seed, number);
    return column.between(column.keys[first], column.keys[first + rows - 1]);
  }
};

// Ranges [l, l + span - 1] that start at keys of the column.
struct RangesOfSpan {
  RankedData column;
  std::uint64_t span;
  std::uint64_t greatest;  // of the key type
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    const std::uint64_t lower = column.keys[random_below(column.size, seed, number)];
    const bool is_cut = greatest - lower < span - 1;
    return column.between(lower, is_cut ? greatest : lower + (span - 1));
  }
};

// A column in key order, rows of equal keys by row.
struct OrderedRowsData {
  KeyData keys;
  std::uint64_t size;
  const std::uint32_t* rows;

  // The first rank whose key is above `key` or, with `or_equal`, not below it.
  [[nodiscard]] RTINDEX_HD std::uint64_t rank_above(std::uint64_t key, bool or_equal) const {
    std::uint64_t first = 0;
    for (std::uint64_t count = size; count > 0;) {
      const std::uint64_t half = count / 2;
      const std::uint64_t middle = keys[first + half];
      const bool is_before = or_equal ? middle < key : middle <= key;
      first += is_before ? half + 1 : 0;
      count = is_before ? count - half - 1 : half;
    }
    return first;
  }
};

// The row of each lookup's neighbour. The expected number is the row, not a sum.
struct NeighbourRows {
  enum class Side : std::uint8_t { before, behind, closer };

  KeyData lookups;
  OrderedRowsData column;
  Side side;
  bool exact;
  bool grouped;  // neighbours have the upper 32 bits of the lookup
  std::uint32_t miss;

  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t number) const {
    const std::uint64_t key = lookups[number];
    // The ranks of the two neighbours, the first one counted from 1.
    const std::uint64_t before = column.rank_above(key, !exact);
    const std::uint64_t behind = column.rank_above(key, exact);
    const bool has_before = before > 0 && fits(column.keys[before - 1], key);
    const bool has_behind = behind < column.size && fits(column.keys[behind], key);
    bool takes_before = side == Side::before;
    if (side == Side::closer)
      takes_before =
          has_before && (!has_behind || key - column.keys[before - 1] <= column.keys[behind] - key);
    std::uint64_t row = miss;
    if (takes_before && has_before) row = column.rows[before - 1];
    if (!takes_before && has_behind) row = column.rows[behind];
    return {key, key, row};
  }
  [[nodiscard]] RTINDEX_HD bool fits(std::uint64_t neighbour, std::uint64_t key) const {
    return !grouped || neighbour >> 32 == key >> 32;
  }
};

// The expected sum of a lookup of each row's key, in a column with duplicates.
struct EqualKeys {
  KeyData keys;
  RankedData ranked;
  [[nodiscard]] RTINDEX_HD Drawn operator()(std::uint64_t row) const {
    return ranked.between(keys[row], keys[row]);
  }
};

}  // namespace rtindex::bench
