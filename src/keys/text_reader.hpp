#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/macros.hpp"

namespace rtindex {

// The bytes of a string, read in aligned words of 8: a GPU reads a word as fast as a byte. A word
// that is not whole before `limit`, the end of the memory around the string, is read byte by byte.
class TextReader {
 public:
  RTINDEX_HD TextReader(const char* text, std::size_t size, const char* limit)
      : start_(reinterpret_cast<std::uintptr_t>(text)),
        limit_(reinterpret_cast<std::uintptr_t>(limit)),
        size_(size) {}

  [[nodiscard]] RTINDEX_HD std::size_t size() const { return size_; }

  [[nodiscard]] RTINDEX_HD unsigned char operator[](std::size_t i) {
    const std::uintptr_t at = start_ + i;
    return static_cast<unsigned char>(aligned(at & ~std::uintptr_t{7}) >> (at & 7) * 8);
  }

  // 8 bytes that the string has, or those up to its end and zeros.
  [[nodiscard]] RTINDEX_HD std::uint64_t word(std::size_t i) {
    const std::uintptr_t at = start_ + i;
    const std::uintptr_t first = at & ~std::uintptr_t{7};
    const auto shift = static_cast<unsigned>(at & 7) * 8;
    const std::size_t left = size_ - i;
    std::uint64_t bits = aligned(first) >> shift;
    if (shift != 0 && left > 8 - (at & 7)) bits |= aligned(first + 8) << (64 - shift);
    return left >= 8 ? bits : bits & ((std::uint64_t{1} << left * 8) - 1);
  }

 private:
  [[nodiscard]] RTINDEX_HD std::uint64_t aligned(std::uintptr_t at) {
    if (at == at_) return word_;
    at_ = at;
    if (at + 8 <= limit_) return word_ = *reinterpret_cast<const std::uint64_t*>(at);
    word_ = 0;
    for (unsigned i = 0; at + i < limit_; ++i)
      word_ |= std::uint64_t{*reinterpret_cast<const unsigned char*>(at + i)} << i * 8;
    return word_;
  }

  std::uintptr_t start_, limit_;
  std::size_t size_;
  std::uintptr_t at_ = 0;  // the word that was read last
  std::uint64_t word_ = 0;
};

// How many bytes of a text from `at` on are those of another, of `size` bytes.
[[nodiscard]] RTINDEX_HD inline std::size_t equal_bytes(TextReader& text, std::size_t at,
                                                        const char* other, std::size_t size) {
  std::size_t same = 0;
  while (same < size && text[at + same] == static_cast<unsigned char>(other[same])) ++same;
  return same;
}

// How two texts compare from a byte of each on: <0, 0, >0.
[[nodiscard]] RTINDEX_HD inline int compare_texts(TextReader& a, std::size_t first_a, TextReader& b,
                                                  std::size_t first_b) {
  const std::size_t left_a = a.size() - first_a;
  const std::size_t left_b = b.size() - first_b;
  const std::size_t both = left_a < left_b ? left_a : left_b;
  for (std::size_t i = 0; i < both; i += 8) {
    std::uint64_t x = a.word(first_a + i);
    std::uint64_t y = b.word(first_b + i);
    if (i + 8 > both) {
      const std::uint64_t mask = (std::uint64_t{1} << (both - i) * 8) - 1;
      x &= mask;
      y &= mask;
    }
    if (x == y) continue;
    const std::uint64_t differs = x ^ y;
    const std::uint64_t lowest = differs & (~differs + 1);
    std::uint64_t byte = 0xff;
    while ((lowest & byte) == 0) byte <<= 8;
    return (x & byte) < (y & byte) ? -1 : 1;
  }
  return left_a == left_b ? 0 : left_a < left_b ? -1 : 1;
}

}  // namespace rtindex
