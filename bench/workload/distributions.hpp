#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "workload/column.hpp"

namespace rtindex::bench {

// How the keys of real columns are distributed. 32-bit keys are scaled: the gaps between them are
// smaller, and more of them repeat.
enum class Distribution : std::uint8_t {
  uniform,        // over all values, each once
  lognormal,      // exp(2z) * 1e15 for normal z, at most 9e18
  long_tail,      // 63 random bits shifted right by 0 to 47
  clusters,       // 4096 random bases, |z| * 5e6 above one of them
  gaps,           // ids in runs of 1 to 1000, 1 to 5000 ids missing between two runs
  bursts,         // nanoseconds: a quiet background, and up to 10,000 events in milliseconds
  outlier_above,  // distinct 32-bit ids, and one key at 2^63
  outlier_below,  // distinct ids from 2^63 on, and one key near 0
  zipf,           // one key for 8 rows, repeated by Zipf's law with exponent 1
};

// All of them, uniform first.
[[nodiscard]] const std::vector<Distribution>& distributions();
// For people and records: "long tail".
[[nodiscard]] std::string name_of(Distribution distribution);

// Such keys, in random order. Host and device generate equal ones; of Zipf nearly (random.hpp).
// Throws Error if so many rows do not fit into 32-bit keys.
[[nodiscard]] KeyArray distributed_keys(ExecutionSpace& space, Distribution distribution,
                                        std::size_t size, int bits, std::uint64_t seed);
[[nodiscard]] Column distributed_column(ExecutionSpace& space, Distribution distribution,
                                        std::size_t size, int bits, std::uint64_t seed);

}  // namespace rtindex::bench
