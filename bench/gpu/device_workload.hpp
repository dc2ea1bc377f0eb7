#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "base/macros.hpp"
#include "gpu/device_buffer.hpp"

namespace rtindex::bench {

// A pseudorandom bijection of the integers below 2^bits, with its inverse: every lookup on a column
// of any size can be checked without a second index.
class BitMix {
 public:
  RTINDEX_HD explicit constexpr BitMix(int bits)
      : shift_((bits + 1) / 2), mask_(~std::uint64_t{0} >> (64 - bits)) {}

  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t operator()(std::uint64_t x) const {
    x = x * first & mask_;
    x ^= x >> shift_;
    x = x * second & mask_;
    x ^= x >> shift_;
    return x;
  }

  [[nodiscard]] RTINDEX_HD constexpr std::uint64_t inverse(std::uint64_t x) const {
    // A shift by at least half of the bits is its own inverse.
    x ^= x >> shift_;
    x = x * inverse_of(second) & mask_;
    x ^= x >> shift_;
    return x * inverse_of(first) & mask_;
  }

 private:
  static constexpr std::uint64_t first = 0x9e3779b97f4a7c15ULL;
  static constexpr std::uint64_t second = 0xd6e8feb86659fd93ULL;

  // Of an odd number, modulo 2^64: Newton's iteration doubles the bits that are right.
  [[nodiscard]] RTINDEX_HD static constexpr std::uint64_t inverse_of(std::uint64_t odd) {
    std::uint64_t x = odd;
    for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
    return x;
  }

  int shift_;
  std::uint64_t mask_;
};

// How the keys of a column are spread.
enum class KeySpread : std::uint8_t {
  uniform,    // over the whole domain, each once
  dense,      // 0..rows-1, shuffled
  clustered,  // nine tenths in less than a hundredth of the domain (64-bit keys)
  repeated,   // each key `multiplicity` times
  few_twice,  // uniform, but one in a thousand keys is in two rows
};

// The keys of a column. Key and row follow from each other by arithmetic.
struct KeyRule {
  KeySpread spread = KeySpread::uniform;
  int key_bytes = 4;
  std::uint64_t rows = 0;
  std::uint64_t multiplicity = 1;
  int row_bits = 0;  // rows == 2^row_bits

  [[nodiscard]] Type type() const { return key_bytes == 4 ? Type::u32 : Type::u64; }
};

enum class LookupPattern : std::uint8_t { hits, misses, zipf };

[[nodiscard]] KeyRule key_rule(KeySpread spread, int key_bytes, int row_bits,
                               std::uint64_t multiplicity = 1);

void make_column(const KeyRule& rule, void* keys);
// The value of each row.
void make_values(std::size_t rows, std::uint32_t* values);
void make_lookups(const KeyRule& rule, LookupPattern pattern, std::uint64_t seed, std::size_t count,
                  void* keys);
void sort_lookups(const KeyRule& rule, std::size_t count, void* keys);
// Ranges of exactly `hits` keys over a dense column.
void make_ranges(const KeyRule& rule, std::uint64_t hits, std::size_t count, void* lower,
                 void* upper);

// The number of wrong answers; all are checked.
[[nodiscard]] std::uint64_t wrong_sums(const KeyRule& rule, const void* keys, std::size_t count,
                                       const std::uint64_t* sums);
[[nodiscard]] std::uint64_t wrong_rows(const KeyRule& rule, const void* keys, std::size_t count,
                                       const std::uint32_t* rows);
[[nodiscard]] std::uint64_t wrong_range_sums(const KeyRule& rule, const void* lower,
                                             std::uint64_t hits, std::size_t count,
                                             const std::uint64_t* sums);

// Milliseconds of CUB's SortPairs over the column's keys and rowIDs, without the copy before each
// run.
[[nodiscard]] std::vector<double> time_cub_sort(const KeyRule& rule, const void* keys, int runs);

// A column on the device, and its values.
struct GpuColumn {
  explicit GpuColumn(const KeyRule& key_rule)
      : rule(key_rule),
        keys(rule.rows * static_cast<std::size_t>(rule.key_bytes)),
        values(rule.rows * sizeof(std::uint32_t)) {
    make_column(rule, keys.data());
    make_values(rule.rows, values.as<std::uint32_t>());
  }
  [[nodiscard]] ColumnView key_view() const {
    return ColumnView::of(rule.type(), keys.data(), rule.rows).on_device();
  }
  [[nodiscard]] ColumnView value_view() const {
    return ColumnView::of(Type::u32, values.data(), rule.rows).on_device();
  }

  KeyRule rule;
  DeviceBuffer keys, values;
};

// Lookups on the device, and a buffer for their sums.
struct GpuLookups {
  GpuLookups(std::size_t lookups, int key_bytes)
      : count(lookups),
        keys(lookups * static_cast<std::size_t>(key_bytes)),
        sums(lookups * sizeof(std::uint64_t)) {}

  std::size_t count;
  DeviceBuffer keys, sums;
};

struct GpuRanges {
  explicit GpuRanges(std::size_t ranges)
      : count(ranges), lower(ranges * 4), upper(ranges * 4), sums(ranges * sizeof(std::uint64_t)) {}

  std::size_t count;
  DeviceBuffer lower, upper, sums;
};

}  // namespace rtindex::bench
