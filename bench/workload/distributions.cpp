#include "workload/distributions.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <rtindex/error.hpp>

namespace rtindex::bench {

namespace {

constexpr std::uint64_t one = 1;

template <class KeyRule>
KeyArray keys_by(ExecutionSpace& space, std::size_t size, int bits, const KeyRule& rule) {
  KeyArray keys(space, bits, size);
  space.run(FillKeys<KeyRule>{rule, keys.data()}, size);
  return keys;
}

KeyArray ids_with_outlier(ExecutionSpace& space, std::size_t size, int bits, bool is_above,
                          std::uint64_t seed) {
  const int id_bits = std::max(bits == 64 ? 32 : 28, static_cast<int>(std::bit_width(size)));
  if (id_bits >= bits) throw Error("too many ids for 32-bit keys with an outlier");
  const std::uint64_t far = bits == 64 ? one << 63 : (one << 32) - (one << id_bits);
  const std::uint64_t row = random_below(size, seed, 0);
  return keys_by(
      space, size, bits,
      is_above ? OutlierKeys{id_bits, 0, far, row, seed} : OutlierKeys{id_bits, far, 5, row, seed});
}

// The pieces of a column, and how to place keys in them.
struct Plan {
  PieceKind even, odd;
  std::uint64_t start;
  std::uint64_t tick;
  bool is_contiguous;
};

// More pieces than the rows fill, by far.
std::size_t piece_count(const PieceKind& even, const PieceKind& odd, std::size_t size) {
  const std::size_t rows_of_four =
      std::size_t{even.min_rows} + even.max_rows + odd.min_rows + odd.max_rows;
  return 5 * size / rows_of_four + 64;
}

KeyArray in_pieces(ExecutionSpace& space, const Plan& plan, std::size_t size, int bits,
                   std::uint64_t seed) {
  const std::size_t pieces = piece_count(plan.even, plan.odd, size);
  const WorkloadArray<std::uint32_t> rows(space, pieces);
  const WorkloadArray<std::uint32_t> ticks(space, pieces);
  const WorkloadArray<std::uint64_t> first_rows(space, pieces + 1);
  const WorkloadArray<std::uint64_t> first_ticks(space, pieces + 1);
  space.run(FillPieces{plan.even, plan.odd, seed + 1, rows.data(), ticks.data()}, pieces);
  space.prefix_sums(rows.data(), pieces, first_rows.data());
  space.prefix_sums(ticks.data(), pieces, first_ticks.data());
  return keys_by(space, size, bits,
                 PieceKeys{Permutation(size, seed), first_rows.data(), first_ticks.data(), pieces,
                           plan.start, plan.tick, plan.is_contiguous, seed});
}

KeyArray ids_with_gaps(ExecutionSpace& space, std::size_t size, int bits, std::uint64_t seed) {
  constexpr PieceKind run{1, 1000, 1, 1, 5000};
  // About 500 of 3,000 ids remain.
  if (bits == 32 && size > (one << 32) / 8) throw Error("too many rows for 32-bit ids with gaps");
  return in_pieces(space, {run, run, 1, 1, true}, size, bits, seed);
}

KeyArray timestamps_with_bursts(ExecutionSpace& space, std::size_t size, int bits,
                                std::uint64_t seed) {
  if (bits == 64) {
    // In November 2023; pieces in microseconds.
    constexpr PieceKind quiet{1, 2000, 0, 100'000, 4'000'000};
    constexpr PieceKind burst{100, 10'000, 0, 1'000, 10'000};
    return in_pieces(space, {quiet, burst, 1'700'000'000'000'000'000, 1000, false}, size, bits,
                     seed);
  }
  // Events of a burst are 8 ticks apart; the background has all other 32-bit values.
  PieceKind quiet{1, 2000, 0, 1000, 0};
  constexpr PieceKind burst{100, 10'000, 8, 0, 0};
  const std::uint64_t pairs = piece_count(quiet, burst, size) / 2 + 1;
  const std::uint64_t burst_ticks = std::uint64_t{burst.max_rows} * burst.ticks_per_row;
  const std::uint64_t left = (one << 32) / pairs;
  if (left < burst_ticks + std::uint64_t{2} * quiet.min_ticks)
    throw Error("too many rows for 32-bit timestamps with bursts");
  quiet.max_ticks = static_cast<std::uint32_t>(left - burst_ticks);
  return in_pieces(space, {quiet, burst, 0, 1, false}, size, bits, seed);
}

}  // namespace

const std::vector<Distribution>& distributions() {
  static const std::vector<Distribution> all = {
      Distribution::uniform,       Distribution::lognormal,     Distribution::long_tail,
      Distribution::clusters,      Distribution::gaps,          Distribution::bursts,
      Distribution::outlier_above, Distribution::outlier_below, Distribution::zipf};
  return all;
}

std::string name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform: return "uniform";
    case Distribution::lognormal: return "lognormal";
    case Distribution::long_tail: return "long tail";
    case Distribution::clusters: return "clusters";
    case Distribution::gaps: return "ids with gaps";
    case Distribution::bursts: return "timestamps with bursts";
    case Distribution::outlier_above: return "outlier above";
    case Distribution::outlier_below: return "outlier below";
    case Distribution::zipf: return "Zipf-repeated";
  }
  return {};
}

KeyArray distributed_keys(ExecutionSpace& space, Distribution distribution, std::size_t size,
                          int bits, std::uint64_t seed) {
  const bool is_wide = bits == 64;
  switch (distribution) {
    case Distribution::lognormal:
      return keys_by(
          space, size, bits,
          is_wide ? LognormalKeys{2, 1e15, 9e18, seed} : LognormalKeys{1, 4e7, 4.2e9, seed});
    case Distribution::long_tail:
      return keys_by(space, size, bits,
                     is_wide ? LongTailKeys{63, 48, seed} : LongTailKeys{32, 12, seed});
    case Distribution::clusters:
      return keys_by(space, size, bits,
                     is_wide ? ClusterKeys{4096, one << 63, 5e6, seed}
                             : ClusterKeys{256, (one << 32) - (one << 24), 1e6, seed});
    case Distribution::gaps: return ids_with_gaps(space, size, bits, seed);
    case Distribution::bursts: return timestamps_with_bursts(space, size, bits, seed);
    case Distribution::outlier_above:
    case Distribution::outlier_below:
      return ids_with_outlier(space, size, bits, distribution == Distribution::outlier_above, seed);
    case Distribution::zipf:
      return keys_by(space, size, bits,
                     ZipfKeys{Zipf(std::max<std::size_t>(1, size / 8), 1), bits, seed});
    case Distribution::uniform: break;
  }
  return keys_by(space, size, bits, UniformKeys{bits, seed, 0});
}

Column distributed_column(ExecutionSpace& space, Distribution distribution, std::size_t size,
                          int bits, std::uint64_t seed) {
  Column column = column_of(distributed_keys(space, distribution, size, bits, seed), seed);
  column.about["keys"] = name_of(distribution);
  return column;
}

}  // namespace rtindex::bench
