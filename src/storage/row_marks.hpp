#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "answers/row_bits.hpp"
#include "base/array.hpp"

namespace rtindex {

// A set of rows that versions share and nobody changes, in the memory of the index that it belongs
// to: the erased rows of an index, or the rows that a segment holds in vain.
class RowMarks {
 public:
  virtual ~RowMarks() = default;
  RowMarks(const RowMarks&) = delete;
  RowMarks& operator=(const RowMarks&) = delete;

  // In host memory, or in that of the index's GPU.
  [[nodiscard]] RowBits bits() const { return {bits_.words, bits_.rows, id_}; }
  // How many rows are in the set.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const {
    return RowBits::words_of(bits_.rows) * sizeof(std::uint32_t);
  }
  // The words in host memory, to be saved.
  [[nodiscard]] virtual Array<std::uint32_t> words() const = 0;

 protected:
  RowMarks() = default;
  RowBits bits_;
  std::size_t count_ = 0;

 private:
  [[nodiscard]] static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  std::uint64_t id_ = next_id();
};

// Null: the empty set.
using Marks = std::shared_ptr<const RowMarks>;

[[nodiscard]] inline RowBits bits_of(const Marks& marks) {
  return marks == nullptr ? RowBits{} : marks->bits();
}
[[nodiscard]] inline std::size_t count_of(const Marks& marks) {
  return marks == nullptr ? 0 : marks->count();
}

// A set of rows in host memory.
class HostMarks final : public RowMarks {
 public:
  HostMarks(Array<std::uint32_t> words, std::size_t rows);
  [[nodiscard]] Array<std::uint32_t> words() const override;

 private:
  Array<std::uint32_t> words_;
};

// Collects such a set; many threads may add to it at once.
class MarkedRows {
 public:
  explicit MarkedRows(std::size_t rows);
  // False where the row is there already.
  bool add(std::uint32_t row) {
    const std::uint32_t bit = std::uint32_t{1} << (row % RowBits::word_bits);
    const std::atomic_ref<std::uint32_t> word(words_[row / RowBits::word_bits]);
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  [[nodiscard]] RowBits bits() const { return {words_.data(), rows_}; }
  // How many rows are in the set.
  [[nodiscard]] std::size_t count() const;
  // The set; null where it is empty.
  [[nodiscard]] Marks finish() &&;

 private:
  Array<std::uint32_t> words_;
  std::size_t rows_;
};

}  // namespace rtindex
