#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/wide.hpp"

namespace rtindex {

// A hash of all bytes of a string. Who does not know the seed cannot choose strings that collide.
class StringHash {
 public:
  explicit StringHash(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  [[nodiscard]] std::uint64_t operator()(const char* text, std::size_t length) const {
    std::uint64_t state = seed_ ^ folded(length ^ seed_, first_factor);
    std::size_t left = length;
    for (; left > 16; left -= 16, text += 16)
      state = folded(word(text) ^ first_factor ^ seed_, word(text + 8) ^ state);
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    if (left >= 8) {
      low = word(text);
      high = word(text + left - 8);
    } else {
      std::memcpy(&low, text, left);
    }
    state = folded(low ^ second_factor ^ seed_, high ^ state);
    return folded(state ^ first_factor, second_factor ^ seed_);
  }

 private:
  // Odd numbers without a pattern, of wyhash.
  static constexpr std::uint64_t first_factor = 0xA076'1D64'78BD'642F;
  static constexpr std::uint64_t second_factor = 0xE703'7ED1'A0B4'28DB;

  [[nodiscard]] static std::uint64_t word(const char* text) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, text, sizeof(bits));
    return bits;
  }
  [[nodiscard]] static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    return multiply_high(a, b) ^ a * b;
  }

  std::uint64_t seed_;
};

}  // namespace rtindex
