#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/key.hpp"

namespace rtindex::test {

// A seeded source of choices: the same on every machine, unlike the standard's distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  [[nodiscard]] std::uint64_t bits() { return engine_(); }
  [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() % n); }
  [[nodiscard]] bool one_in(std::size_t n) { return below(n) == 0; }
  // Both ends included.
  [[nodiscard]] Whole between(Whole low, Whole high) {
    return low + static_cast<Whole>(bits()) % (high - low + 1);
  }
  [[nodiscard]] double real(double low, double high) {
    return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
  }
  template <class T>
  [[nodiscard]] const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

// The rows that are not erased, in random order.
[[nodiscard]] inline std::vector<std::uint32_t> valid_rows(const std::vector<bool>& erased,
                                                           Random& random) {
  std::vector<std::uint32_t> valid;
  for (std::uint32_t row = 0; row < erased.size(); ++row)
    if (!erased[row]) valid.push_back(row);
  random.shuffle(valid);
  return valid;
}

}  // namespace rtindex::test
