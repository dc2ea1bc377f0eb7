#pragma once

#include <cstddef>
#include <cstdint>

#include "base/macros.hpp"
#include "workload/random.hpp"

namespace rtindex::bench {

// 32-bit or 64-bit keys in host or device memory, for code that runs there.
struct KeyData {
  void* data = nullptr;
  int bits = 64;

  [[nodiscard]] RTINDEX_HD std::uint64_t operator[](std::size_t position) const {
    return bits == 32 ? static_cast<const std::uint32_t*>(data)[position]
                      : static_cast<const std::uint64_t*>(data)[position];
  }
  RTINDEX_HD void set(std::size_t position, std::uint64_t key) const {
    if (bits == 32)
      static_cast<std::uint32_t*>(data)[position] = static_cast<std::uint32_t>(key);
    else
      static_cast<std::uint64_t*>(data)[position] = key;
  }
  [[nodiscard]] RTINDEX_HD std::size_t width() const { return static_cast<std::size_t>(bits) / 8; }
  // The keys from `first` on.
  [[nodiscard]] RTINDEX_HD KeyData from(std::size_t first) const {
    return {static_cast<char*>(data) + first * width(), bits};
  }
};

// The key and the value of each row: functions of seed and row that run on host and device, so that
// both generate the same columns.

// Draw `number` of a uniform column. Draws are distinct; those below the column's size are its
// keys, later ones are keys that it does not contain.
[[nodiscard]] RTINDEX_HD constexpr std::uint64_t uniform_key(std::uint64_t number, int bits,
                                                             std::uint64_t seed) {
  if (bits == 64) return mixed(number + mixed(seed));
  return Permutation(std::uint64_t{1} << bits, seed)(number);
}

// 0, stride, 2*stride, ... in random order.
struct DenseKeys {
  Permutation order;
  std::uint64_t stride;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return order(row) * stride;
  }
};

// Drawn from all values of `bits` bits without replacement, offset by `least`.
struct UniformKeys {
  int bits;
  std::uint64_t seed;
  std::uint64_t least;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return least + uniform_key(row, bits, seed);
  }
};

// `dense` neighbouring keys from `centre` on, the others drawn from all other 32-bit values.
struct ClusteredKeys {
  Permutation order;
  std::uint64_t dense;
  std::uint64_t centre;
  Permutation others;  // of all 32-bit values outside the centre
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    const std::uint64_t number = order(row);
    if (number < dense) return centre + number;
    const std::uint64_t other = others(number - dense);
    return other < centre ? other : other + dense;
  }
};

// Uniform keys, each in `multiplicity` rows, scattered.
struct RepeatedKeys {
  Permutation order;
  std::uint64_t multiplicity;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return uniform_key(order(row) / multiplicity, 32, seed);
  }
};

// Keys of a table that changes, by draw. All draws differ: the first `old` are even keys from
// everywhere, for the initial rows; later ones are odd keys, from everywhere or from the middle
// 2^-narrowing of all keys.
struct TableKeys {
  int bits;
  std::uint64_t seed;
  std::uint64_t old;
  int narrowing;
  std::uint64_t first;  // draw of row 0
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    const std::uint64_t draw = first + row;
    if (draw < old) return 2 * uniform_key(draw, bits - 1, seed);
    const std::uint64_t start = narrowing == 0 ? 0 : std::uint64_t{1} << (bits - 1);
    return start + 2 * uniform_key(draw - old, bits - 1 - narrowing, seed + 1) + 1;
  }
  // How many new keys there are.
  [[nodiscard]] RTINDEX_HD std::uint64_t new_keys() const {
    return std::uint64_t{1} << (bits - 1 - narrowing);
  }
};

// A group of each row, drawn from `groups` of them.
struct GroupKeys {
  std::uint64_t groups;
  std::uint64_t seed;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return random_below(groups, seed, row);
  }
};

// Two 32-bit keys as one that has the order of the pair.
struct PairedKeys {
  KeyData high, low;
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint64_t row) const {
    return high[row] << 32 | low[row];
  }
};

// Random values, so that a wrong row gives a wrong sum.
[[nodiscard]] RTINDEX_HD constexpr std::uint32_t value_at(std::uint64_t seed, std::uint64_t row) {
  constexpr std::uint64_t value_seed = 0x76616c7565;
  return static_cast<std::uint32_t>(random_at(seed ^ value_seed, row));
}

}  // namespace rtindex::bench
