#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/macros.hpp"
#include "base/wide.hpp"
#include "keys/text_reader.hpp"

namespace rtindex {

// A hash of all bytes of a string. An attacker who lacks the seed cannot choose strings that
// collide.
class StringHash {
 public:
  StringHash() = default;
  RTINDEX_HD explicit StringHash(std::uint64_t seed) : seed_(seed) {}

  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  // `Text`: const char*, or a TextReader&.
  template <class Text>
  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(Text&& text, std::size_t length) const {
    std::uint64_t state = seed_ ^ folded(length ^ seed_, first_factor);
    std::size_t at = 0;
    for (; length - at > 16; at += 16)
      state = folded(word(text, at) ^ first_factor ^ seed_, word(text, at + 8) ^ state);
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    if (length - at >= 8) {
      low = word(text, at);
      high = word(text, length - 8);
    } else if (at != length) {
      low = last_word(text, at, length);
    }
    state = folded(low ^ second_factor ^ seed_, high ^ state);
    return folded(state ^ first_factor, second_factor ^ seed_);
  }

 private:
  // Odd numbers without a pattern, of wyhash.
  static constexpr std::uint64_t first_factor = 0xA076'1D64'78BD'642F;
  static constexpr std::uint64_t second_factor = 0xE703'7ED1'A0B4'28DB;

  [[nodiscard]] RTINDEX_HD static std::uint64_t word(const char* text, std::size_t at) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, text + at, sizeof(bits));
    return bits;
  }
  [[nodiscard]] RTINDEX_HD static std::uint64_t word(TextReader& text, std::size_t at) {
    return text.word(at);
  }
  // Less than 8 bytes at the end.
  [[nodiscard]] RTINDEX_HD static std::uint64_t last_word(const char* text, std::size_t at,
                                                          std::size_t length) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, text + at, length - at);
    return bits;
  }
  [[nodiscard]] RTINDEX_HD static std::uint64_t last_word(TextReader& text, std::size_t at,
                                                          std::size_t) {
    return text.word(at);
  }
  [[nodiscard]] RTINDEX_HD static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    return multiply_high(a, b) ^ a * b;
  }

  std::uint64_t seed_ = 0;
};

}  // namespace rtindex
