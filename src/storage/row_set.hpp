#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rtindex {

// Rows of a column, a bit each; many threads may add to it at once.
class RowSet {
 public:
  explicit RowSet(std::size_t row_count) : words_((row_count + word_bits - 1) / word_bits, 0) {}

  // False where the row is there already.
  [[nodiscard]] bool add(std::uint32_t row) {
    const std::uint64_t bit = bit_of(row);
    const std::atomic_ref<std::uint64_t> word(words_[row / word_bits]);
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  [[nodiscard]] bool has(std::uint32_t row) const {
    return (words_[row / word_bits] & bit_of(row)) != 0;
  }
  [[nodiscard]] std::size_t size() const {
    std::size_t rows = 0;
    for (const std::uint64_t word : words_) rows += static_cast<std::size_t>(std::popcount(word));
    return rows;
  }

 private:
  static constexpr std::size_t word_bits = 64;
  [[nodiscard]] static std::uint64_t bit_of(std::uint32_t row) {
    return std::uint64_t{1} << (row % word_bits);
  }

  std::vector<std::uint64_t> words_;
};

}  // namespace rtindex
