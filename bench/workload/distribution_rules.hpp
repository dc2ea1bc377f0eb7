#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "workload/key_rules.hpp"
#include "workload/portable_math.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

// Keys distributed as in real columns: functions of seed and row, as those of key_rules.hpp.

// exp(sigma * z) times the median, for normal z: prices, sizes, durations.
struct LognormalKeys {
  double sigma, median, most;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    const double key = median * portable_exp(sigma * random_normal(seed, row));
    return static_cast<std::uint64_t>(key < most ? key : most);
  }
};

// Random bits, shifted right by up to shifts - 1: every magnitude is equally frequent.
struct LongTailKeys {
  int bits;
  std::uint64_t shifts;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return random_at(seed, row) >> (64 - bits) >> random_below(shifts, seed + 1, row);
  }
};

// Random bases, and keys within |z| * width above one of them, for normal z.
struct ClusterKeys {
  std::uint64_t clusters;
  std::uint64_t bases;  // below this
  double width;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    const std::uint64_t cluster = random_below(clusters, seed + 1, row);
    const double offset = std::fabs(random_normal(seed + 2, row)) * width;
    return random_below(bases, seed, cluster) + static_cast<std::uint64_t>(offset);
  }
};

// Distinct ids of `bits` bits from `least` on, and one key far away.
struct OutlierKeys {
  int bits;
  std::uint64_t least, outlier;
  std::uint64_t outlier_row;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return row == outlier_row ? outlier : least + uniform_key(row, bits, seed);
  }
};

// Uniform keys, of which the r-th is repeated with weight 1 / (r + 1)^exponent.
struct ZipfKeys {
  Zipf zipf;
  int bits;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return uniform_key(zipf(seed + 1, row), bits, seed);
  }
};

// A column in pieces, each with a number of rows and a number of ticks from its first key to that
// of the next piece. Kinds of pieces alternate.
struct PieceKind {
  std::uint32_t min_rows, max_rows;
  std::uint32_t ticks_per_row;
  std::uint32_t min_ticks, max_ticks;  // beside those of its rows
};

struct FillPieces {
  PieceKind even, odd;
  std::uint64_t seed;
  std::uint32_t* rows;
  std::uint32_t* ticks;
  RTINDEX_HD void operator()(std::size_t piece) const {
    const PieceKind kind = piece % 2 == 0 ? even : odd;
    rows[piece] = drawn(kind.min_rows, kind.max_rows, seed, piece);
    ticks[piece] =
        rows[piece] * kind.ticks_per_row + drawn(kind.min_ticks, kind.max_ticks, seed + 1, piece);
  }
  [[nodiscard]] RTINDEX_HD static std::uint32_t drawn(std::uint32_t least, std::uint32_t most,
                                                      std::uint64_t seed, std::size_t piece) {
    return least +
           static_cast<std::uint32_t>(random_below(std::uint64_t{most} - least + 1, seed, piece));
  }
};

// The keys of such a column, in random order.
struct PieceKeys {
  Permutation order;
  const std::uint64_t* first_rows;   // of each piece, and the end of the last one
  const std::uint64_t* first_ticks;  // likewise
  std::uint64_t pieces;
  std::uint64_t start;  // the first key
  std::uint64_t tick;   // of so many keys
  bool is_contiguous;   // keys follow each other, or lie anywhere in their piece
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    const std::uint64_t rank = order(row);
    const std::uint64_t piece = piece_of(rank);
    const std::uint64_t first = start + first_ticks[piece] * tick;
    if (is_contiguous) return first + (rank - first_rows[piece]);
    const std::uint64_t ticks = first_ticks[piece + 1] - first_ticks[piece];
    return first + random_below(ticks * tick, seed, rank);
  }
  // The last piece that does not begin after the rank.
  [[nodiscard]] RTINDEX_HD std::uint64_t piece_of(std::uint64_t rank) const {
    std::uint64_t first = 0;
    for (std::uint64_t end = pieces; end - first > 1;) {
      const std::uint64_t middle = first + (end - first) / 2;
      (first_rows[middle] <= rank ? first : end) = middle;
    }
    return first;
  }
};

}  // namespace rtindex::bench
