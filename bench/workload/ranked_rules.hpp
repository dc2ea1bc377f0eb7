#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "workload/key_rules.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

// Columns whose answers have closed forms, so that a check needs neither a sorted copy nor a
// search: the distinct keys ascend along a curve, each is in `repeats` rows, a permutation scatters
// the rows, and the value of a row is its rank in key order.
struct RankedColumn {
  std::uint64_t rows;
  std::uint64_t repeats;
  Permutation rank_of;    // of a row
  std::uint64_t start;    // the first key
  std::uint64_t stride;   // between neighbours, at least 2: the key after each one is a miss
  std::uint64_t cluster;  // this many keys lie close together ...
  std::uint64_t gap;      // ... and this far from the next ones
  std::uint64_t bend;     // what strides grow by; 0 for a straight line

  [[nodiscard]] RTINDEX_HD std::uint64_t distinct() const { return (rows - 1) / repeats + 1; }
  [[nodiscard]] RTINDEX_HD std::uint64_t distinct_key(std::uint64_t number) const {
    return start + number * stride + number / cluster * gap + number * number * bend;
  }
  // Ranks of the rows with a key begin here.
  [[nodiscard]] RTINDEX_HD std::uint64_t first_rank(std::uint64_t number) const {
    const std::uint64_t rank = number * repeats;
    return rank < rows ? rank : rows;
  }
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return distinct_key(rank_of(row) / repeats);
  }
};

// A lookup of a ranked column: the distinct keys `from` .. `to`-1 match.
struct RankedLookup {
  std::uint64_t from, to;
  std::uint64_t lower, upper;
};

// Draws points, half of which miss, or ranges of up to `most` distinct keys, some of them empty.
struct RankedDraw {
  RankedColumn column;
  std::uint64_t seed;
  std::uint64_t most;  // 0: points

  [[nodiscard]] RTINDEX_HD RankedLookup operator()(std::uint64_t number) const {
    const std::uint64_t from = random_below(column.distinct(), seed, number);
    const std::uint64_t noise = random_at(seed + 1, number);
    const std::uint64_t key = column.distinct_key(from);
    const std::uint64_t off = noise & 1;  // beside the key
    if (most == 0) return {from, from + 1 - off, key + off, key + off};
    std::uint64_t to = from + (noise >> 1) % (most + 1);
    if (to > column.distinct()) to = column.distinct();
    // The upper end is the last key that matches or the one after it.
    const std::uint64_t upper = to == from ? key : column.distinct_key(to - 1) + (noise >> 63);
    if (to == from) return {from, from + 1 - off, key + off, upper + off};
    return {from + off < to ? from + off : to, to, key + off, upper};
  }
};

struct DrawRanked {
  RankedDraw draw;
  KeyData lower, upper;
  RTINDEX_HD void operator()(std::size_t number) const {
    const RankedLookup drawn = draw(number);
    lower.set(number, drawn.lower);
    if (upper.data != nullptr) upper.set(number, drawn.upper);
  }
};

struct FillRanks {
  RankedColumn column;
  std::uint32_t* values;
  RTINDEX_HD void operator()(std::size_t row) const {
    values[row] = static_cast<std::uint32_t>(column.rank_of(row));
  }
};

// Answers of drawn lookups; a null array was not requested.
struct CheckRanked {
  static constexpr std::uint32_t miss = ~std::uint32_t{0};

  RankedDraw draw;
  bool is_neighbour;  // of the lower end, backward: always the drawn key
  const std::uint32_t *any, *first, *count;
  const std::uint64_t *sum, *min, *max;
  unsigned long long* wrong;  // set to one lookup whose answer is wrong
  // Only rows with these ranks can match: others are erased, or not in the filter.
  std::uint64_t first_rank = 0;
  std::uint64_t end_rank = ~std::uint64_t{0};

  RTINDEX_HD void operator()(std::size_t number) const {
    RankedLookup drawn = draw(number);
    if (is_neighbour) {
      // The last key that can match, where the drawn one is after it.
      const std::uint64_t repeats = draw.column.repeats;
      if (drawn.from * repeats >= end_rank && end_rank != 0) drawn.from = (end_rank - 1) / repeats;
      drawn.to = drawn.from + 1;
    }
    if (!is_right(number, drawn)) report(number);
  }

 private:
  [[nodiscard]] RTINDEX_HD bool is_right(std::size_t number, const RankedLookup& drawn) const {
    const RankedColumn& column = draw.column;
    std::uint64_t begin = column.first_rank(drawn.from);
    std::uint64_t end = column.first_rank(drawn.to);
    if (begin < first_rank) begin = first_rank;
    if (end > end_rank) end = end_rank;
    if (end < begin) end = begin;
    const bool hits = begin < end;
    if (any != nullptr && !is_one_of(any[number], begin, end)) return false;
    if (first != nullptr && first[number] != smallest_row(begin, end)) return false;
    if (count != nullptr && count[number] != end - begin) return false;
    // Ranks are values: their sum is that of consecutive numbers.
    const std::uint64_t total = (begin + end - 1) * (end - begin) / 2;
    if (sum != nullptr && sum[number] != (hits ? total : ~std::uint64_t{0})) return false;
    if (min != nullptr && min[number] != (hits ? begin : ~std::uint64_t{0})) return false;
    return max == nullptr || max[number] == (hits ? end - 1 : ~std::uint64_t{0});
  }
  [[nodiscard]] RTINDEX_HD bool is_one_of(std::uint32_t row, std::uint64_t begin,
                                          std::uint64_t end) const {
    if (begin >= end) return row == miss;
    if (row >= draw.column.rows) return false;
    const std::uint64_t rank = draw.column.rank_of(row);
    return rank >= begin && rank < end;
  }
  [[nodiscard]] RTINDEX_HD std::uint32_t smallest_row(std::uint64_t begin,
                                                      std::uint64_t end) const {
    std::uint64_t smallest = miss;
    for (std::uint64_t rank = begin; rank < end; ++rank) {
      const std::uint64_t row = draw.column.rank_of.inverse(rank);
      smallest = row < smallest ? row : smallest;
    }
    return static_cast<std::uint32_t>(smallest);
  }
  RTINDEX_HD void report(std::size_t number) const {
#if defined(__CUDA_ARCH__)
    atomicExch(wrong, static_cast<unsigned long long>(number));
#else
    __atomic_store_n(wrong, static_cast<unsigned long long>(number), __ATOMIC_RELAXED);
#endif
  }
};

}  // namespace rtindex::bench
