#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

// Keys and lookups in host vectors, for programs that compare with other libraries.

namespace rtindex::bench {

// The keys 0..size-1 in random order.
template <class Key>
[[nodiscard]] std::vector<Key> dense_shuffled(std::size_t size, std::uint64_t seed) {
  std::vector<Key> keys(size);
  std::iota(keys.begin(), keys.end(), Key{0});
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
  return keys;
}

// Distinct keys, uniform over all values of Key: a bijection of the row numbers.
template <class Key>
[[nodiscard]] std::vector<Key> uniform_distinct(std::size_t size, std::uint64_t seed) {
  std::vector<Key> keys(size);
  constexpr int half = sizeof(Key) * 4;
  const Key odd = static_cast<Key>(0x9e3779b97f4a7c15U | 1U);
  for (std::size_t i = 0; i < size; ++i) {
    Key key = static_cast<Key>(i + seed * 0x100000001b3U);
    for (int round = 0; round < 3; ++round) {
      key = static_cast<Key>(key * odd);
      key = static_cast<Key>(key ^ (key >> half));
    }
    keys[i] = key;
  }
  return keys;
}

// `share` of the keys in the middle `width` of the domain, the rest anywhere.
[[nodiscard]] inline std::vector<std::uint64_t> clustered(std::size_t size, double share,
                                                          double width, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> fraction(0, 1);
  const auto narrow = static_cast<std::uint64_t>(std::ldexp(width, 64));
  const std::uint64_t start = (std::uint64_t{1} << 63) - narrow / 2;
  std::vector<std::uint64_t> keys(size);
  for (std::uint64_t& key : keys)
    key = fraction(random) < share ? start + random() % narrow : random();
  return keys;
}

// `size` lookups drawn uniformly from the column: every one hits.
template <class Key>
[[nodiscard]] std::vector<Key> drawn_from(std::span<const Key> column, std::size_t size,
                                          std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> lookups(size);
  for (Key& lookup : lookups) lookup = column[random() % column.size()];
  return lookups;
}

// Lookups drawn from the column with Zipf's law: row r has weight 1 / (r + 1)^exponent.
template <class Key>
[[nodiscard]] std::vector<Key> zipf_from(std::span<const Key> column, std::size_t size,
                                         double exponent, std::uint64_t seed) {
  std::vector<double> cumulated(column.size());
  double total = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    total += std::pow(static_cast<double>(row + 1), -exponent);
    cumulated[row] = total;
  }
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> fraction(0, total);
  std::vector<Key> lookups(size);
  for (Key& lookup : lookups) {
    const auto row = std::lower_bound(cumulated.begin(), cumulated.end(), fraction(random));
    lookup = column[std::min<std::size_t>(static_cast<std::size_t>(row - cumulated.begin()),
                                          column.size() - 1)];
  }
  return lookups;
}

}  // namespace rtindex::bench
