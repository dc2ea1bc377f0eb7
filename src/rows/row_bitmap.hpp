#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <rtindex/bitmap.hpp>

#include "base/array.hpp"
#include "rows/row_bits.hpp"
#include "rows/shared_pages.hpp"

namespace rtindex {

// An immutable bitmap of rows that versions share, in the memory of the index that it belongs to:
// the erased rows of an index, or the rows of a segment that are deleted or superseded.
class RowBitmap {
 public:
  virtual ~RowBitmap() = default;
  RowBitmap(const RowBitmap&) = delete;
  RowBitmap& operator=(const RowBitmap&) = delete;

  // In the memory space of the index.
  [[nodiscard]] RowBits bits() const {
    RowBits bits = bits_;
    bits.id = id_;
    return bits;
  }
  // How many rows are set.
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] virtual std::size_t bytes() const {
    return RowBits::words_of(bits_.rows) * sizeof(std::uint32_t);
  }
  // The words in host memory, to be saved.
  [[nodiscard]] virtual Array<std::uint32_t> words() const = 0;
  // Rows of either bitmap, and rows of this one that the other does not have; in one memory space.
  [[nodiscard]] virtual std::shared_ptr<const RowBitmap> union_with(
      const RowBitmap& other) const = 0;
  [[nodiscard]] virtual std::shared_ptr<const RowBitmap> minus(const RowBitmap& other) const = 0;

 protected:
  RowBitmap() = default;
  // Without an id nothing is derived from the bitmap that outlives a call.
  explicit RowBitmap(const RowBits& bits) : bits_(bits), id_(0) {}
  RowBits bits_;
  std::size_t count_ = 0;

 private:
  [[nodiscard]] static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
  }

  std::uint64_t id_ = next_id();
};

// Null: no row is set.
using RowBitmapPtr = std::shared_ptr<const RowBitmap>;

[[nodiscard]] inline RowBits bits_of(const RowBitmapPtr& bitmap) {
  return bitmap == nullptr ? RowBits{} : bitmap->bits();
}
[[nodiscard]] inline std::size_t count_of(const RowBitmapPtr& bitmap) {
  return bitmap == nullptr ? 0 : bitmap->count();
}
[[nodiscard]] inline RowBitmapPtr union_of(const RowBitmapPtr& a, const RowBitmapPtr& b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return a->union_with(*b);
}
[[nodiscard]] inline RowBitmapPtr difference(const RowBitmapPtr& a, const RowBitmapPtr& b) {
  return a == nullptr || b == nullptr ? a : a->minus(*b);
}

// The words of a row bitmap in host memory.
using RowWords = SharedPages<std::uint32_t, RowBits::log2_page_words>;

// The rows of a bitmap in host memory. What is derived from them may outlive the bitmap.
struct HostRows {
  RowWords words;
  std::size_t count = 0;             // how many rows are set
  std::uint64_t id = 0;              // of the bitmap
  std::uint64_t base = 0;            // the id of the bitmap to which `added` were added; 0: none
  std::vector<std::uint32_t> added;  // few

  // The rows that are set here and not in `before`; none where `before` has a row that is not set
  // here. Costs as much as the pages in which they differ, and nothing if they were added to it.
  [[nodiscard]] std::optional<std::vector<std::uint32_t>> added_since(const HostRows& before) const;
};

// A row bitmap in host memory: versions share pages, so that a change of few rows copies few.
class HostRowBitmap final : public RowBitmap, public std::enable_shared_from_this<HostRowBitmap> {
 public:
  HostRowBitmap(Array<std::uint32_t> words, std::size_t rows);
  // All but the id is set.
  HostRowBitmap(HostRows contents, std::size_t rows);
  [[nodiscard]] std::size_t bytes() const override { return rows_->words.bytes(); }
  [[nodiscard]] Array<std::uint32_t> words() const override;
  [[nodiscard]] RowBitmapPtr union_with(const RowBitmap& other) const override;
  [[nodiscard]] RowBitmapPtr minus(const RowBitmap& other) const override;
  // Adds few rows, which are below `row_count`.
  [[nodiscard]] RowBitmapPtr with_rows(std::span<const std::uint32_t> added,
                                       std::size_t row_count) const;
  [[nodiscard]] const std::shared_ptr<const HostRows>& rows() const { return rows_; }

 private:
  // Replaces each word for which `other` has a word that is not 0 by combine(word, word of other).
  template <class Combine>
  [[nodiscard]] std::shared_ptr<const HostRowBitmap> combined(const HostRowBitmap& other,
                                                              std::size_t rows,
                                                              Combine combine) const;
  std::shared_ptr<const HostRows> rows_;
};

// Adds few rows, which are below `row_count`, to a bitmap in host memory.
[[nodiscard]] RowBitmapPtr with_rows(const RowBitmapPtr& bitmap,
                                     std::span<const std::uint32_t> added, std::size_t row_count);

// The deleted rows of a segment in host memory, and all rows that a filter of the caller lacks:
// only its bits are read, while a query runs. No version holds it, and all else throws
// std::logic_error.
class FilteredRows final : public RowBitmap {
 public:
  FilteredRows(RowBitmapPtr deleted, const BitmapView& filter)
      : RowBitmap(with_filter(bits_of(deleted), filter)), deleted_(std::move(deleted)) {}
  [[nodiscard]] Array<std::uint32_t> words() const override;
  [[nodiscard]] RowBitmapPtr union_with(const RowBitmap& other) const override;
  [[nodiscard]] RowBitmapPtr minus(const RowBitmap& other) const override;

 private:
  [[nodiscard]] static RowBits with_filter(RowBits bits, const BitmapView& filter) {
    bits.bitmap = nullptr;
    bits.filter = filter.bits;
    bits.filter_offset = filter.offset;
    return bits;
  }
  RowBitmapPtr deleted_;
};

// Builds a row bitmap of many rows; many threads may add rows at once.
class RowBitmapBuilder {
 public:
  explicit RowBitmapBuilder(std::size_t rows);
  // False if the row was set already.
  bool add(std::uint32_t row) {
    const std::uint32_t bit = std::uint32_t{1} << (row % RowBits::word_bits);
    const std::atomic_ref<std::uint32_t> word(words_[row / RowBits::word_bits]);
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  [[nodiscard]] RowBits bits() const { return {words_.data(), rows_}; }
  // How many rows are set.
  [[nodiscard]] std::size_t count() const;
  // Null if no row is set.
  [[nodiscard]] RowBitmapPtr finish() &&;

 private:
  Array<std::uint32_t> words_;
  std::size_t rows_;
};

// Builds a row bitmap of few rows, one thread at a time, in memory for the pages that they are in.
class SparseBitmapBuilder {
 public:
  explicit SparseBitmapBuilder(std::size_t rows)
      : words_(RowWords(), RowBits::words_of(rows)), rows_(rows) {}
  // False if the row was set already.
  bool add(std::uint32_t row) {
    const std::uint32_t bit = std::uint32_t{1} << (row % RowBits::word_bits);
    std::uint32_t& word = words_.edit_element(row / RowBits::word_bits);
    if ((word & bit) != 0) return false;
    word |= bit;
    ++count_;
    return true;
  }
  // Null if no row is set.
  [[nodiscard]] RowBitmapPtr finish() &&;

 private:
  RowWords::Editor words_;
  std::size_t rows_;
  std::size_t count_ = 0;
};

}  // namespace rtindex
