#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/column.hpp>

#include "gpu/bit_mix.hpp"
#include "gpu/device_buffer.hpp"

namespace rtindex::bench {

// How the keys of a column are spread.
enum class KeySpread : std::uint8_t {
  uniform,    // over the whole domain, each once
  dense,      // 0..rows-1, shuffled
  clustered,  // nine tenths in less than a hundredth of the domain (64-bit keys)
  repeated,   // each key `multiplicity` times
};

// What a column and its lookups are made of. Key and row follow from each other by arithmetic.
struct KeyRule {
  KeySpread spread = KeySpread::uniform;
  int key_bytes = 4;
  std::uint64_t rows = 0;
  std::uint64_t multiplicity = 1;
  int row_bits = 0;  // rows == 2^row_bits

  [[nodiscard]] Type type() const { return key_bytes == 4 ? Type::u32 : Type::u64; }
};

enum class Lookups : std::uint8_t { hits, misses, zipf };

[[nodiscard]] KeyRule key_rule(KeySpread spread, int key_bytes, int row_bits,
                               std::uint64_t multiplicity = 1);

void make_column(const KeyRule& rule, void* keys);
// The value of each row.
void make_values(std::size_t rows, std::uint32_t* values);
void make_lookups(const KeyRule& rule, Lookups kind, std::uint64_t seed, std::size_t count,
                  void* keys);
void sort_lookups(const KeyRule& rule, std::size_t count, void* keys);
// Ranges of exactly `hits` keys over a dense column.
void make_ranges(const KeyRule& rule, std::uint64_t hits, std::size_t count, void* lower,
                 void* upper);

// How many answers are wrong; every one is looked at.
[[nodiscard]] std::uint64_t wrong_sums(const KeyRule& rule, const void* keys, std::size_t count,
                                       const std::uint64_t* sums);
[[nodiscard]] std::uint64_t wrong_rows(const KeyRule& rule, const void* keys, std::size_t count,
                                       const std::uint32_t* rows);
[[nodiscard]] std::uint64_t wrong_range_sums(const KeyRule& rule, const void* lower,
                                             std::uint64_t hits, std::size_t count,
                                             const std::uint64_t* sums);

// Milliseconds of CUB's SortPairs over the column's keys and rowIDs; a copy in front of each run is
// not counted.
[[nodiscard]] std::vector<double> time_cub_sort(const KeyRule& rule, const void* keys, int runs);

}  // namespace rtindex::bench
