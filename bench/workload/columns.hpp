#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace rtindex::bench {

// The keys 0..size-1 in random order.
template <class Key>
[[nodiscard]] std::vector<Key> dense_shuffled(std::size_t size, std::uint64_t seed) {
  std::vector<Key> keys(size);
  std::iota(keys.begin(), keys.end(), Key{0});
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(seed));
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

}  // namespace rtindex::bench
