#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "answers/cuda/runs.hpp"
#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/cuda/key_blocks.hpp"

namespace rtindex::cuda {

// The layout of sorted keys and their rowIDs. A kind has pairs or two arrays. Of a column that is
// sorted already no rowIDs are stored, of a sequence no keys either: DeviceOrder::drop_rows().
enum class Layout : std::uint8_t {
  pairs,      // one access reads both: key << 32 | rowID, or KeyBlocks for keys of 8 bytes
  split,      // two arrays: a search reads fewer cache lines
  keys,       // keys; rows follow each other in key order
  sequence,   // neither: keys, of 4 bytes, follow each other as well
  extracted,  // unsorted, for a hash table: extract_column(), then set_table_rows()
};

// Statistics of sorted keys.
struct OrderStats {
  std::uint64_t last_key;
  std::uint32_t duplicates;  // 1 if there are equal keys
  std::uint32_t unordered;   // 1 if rows of equal keys descend somewhere
};

// Whether a column has to be sorted.
enum class Sorting : std::uint8_t {
  needed,
  done,          // keys ascend
  rows_follow,   // keys ascend, one for each row, with room for the padding: Layout::keys
  by_full_keys,  // sorted by full keys, of which the encoded ones are a part; with rows
};

// Keys and rowIDs in key order in device memory; equal keys in the order of their rows where
// rows_ascend(). A few greatest keys with the rowID miss_row pad the end, so that blocks of keys
// can be compared without a bounds check.
class DeviceOrder {
 public:
  static constexpr std::size_t padding = 16;

  DeviceOrder() = default;
  // Pairs are for a position searcher that reads all keys when it is built: it collects the
  // statistics for set_stats(). For the split layout find_stats() does. Extracted keys are not
  // sorted; keys in the order of full keys stay here, with their rows.
  DeviceOrder(DeviceColumn column, Sorting sorting, Layout layout, const Queue& queue);

  // Sorted keys with their rows in the memory that Layout::pairs has, with the padding.
  DeviceOrder(DeviceArray<std::uint64_t> pairs, std::size_t size, std::size_t row_count,
              std::uint64_t span)
      : layout_(Layout::pairs),
        pairs_(std::move(pairs)),
        size_(size),
        row_count_(row_count),
        span_(span) {}

  [[nodiscard]] bool is_wide() const { return rtindex::is_wide(span_); }
  [[nodiscard]] Layout layout() const { return layout_; }
  // key << 32 | rowID, or the words of KeyBlocks.
  [[nodiscard]] const std::uint64_t* pairs() const { return pairs_.data(); }
  [[nodiscard]] const std::uint32_t* narrow_keys() const { return narrow_.data(); }
  [[nodiscard]] const std::uint64_t* wide_keys() const { return wide_.data(); }
  [[nodiscard]] const std::uint32_t* split_rows() const { return rows_.data(); }
  // Where no rowIDs are stored, the row at a position is first_row() + position; the key of a
  // sequence is first_key() + position.
  [[nodiscard]] bool has_rows() const {
    return layout_ != Layout::keys && layout_ != Layout::sequence;
  }
  [[nodiscard]] std::uint32_t first_row() const { return first_row_; }
  [[nodiscard]] std::uint32_t first_key() const { return first_key_; }
  [[nodiscard]] RowsView rows() const;
  // Its keys, each with a number added to it.
  [[nodiscard]] KeysView keys(std::uint64_t shift = 0) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  // How many positions rows() has.
  [[nodiscard]] std::size_t positions() const {
    return layout_ == Layout::extracted && !by_full_keys_ ? first_listed_ + rows_.size() : size_;
  }
  [[nodiscard]] bool by_full_keys() const { return by_full_keys_; }
  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  [[nodiscard]] std::uint64_t span() const { return span_; }
  [[nodiscard]] std::uint64_t last_key() const { return last_key_; }
  // Whether no two encoded keys are equal, so that a key has one row.
  [[nodiscard]] bool unique() const { return unique_; }
  // Whether equal keys are in the order of their rows (those of one full key, by_full_keys()).
  [[nodiscard]] bool rows_ascend() const { return rows_ascend_; }
  [[nodiscard]] std::size_t bytes() const {
    return pairs_.bytes() + narrow_.bytes() + wide_.bytes() + rows_.bytes();
  }
  void set_stats(const OrderStats& stats);
  // Blocks until the statistics are computed.
  void find_stats(const Queue& queue);
  // Frees the rowIDs if rows follow each other in key order, and with `keys_too` the keys if they
  // do so as well. Blocks until that is known; there are statistics then if rowIDs are freed.
  void drop_rows(bool keys_too, const Queue& queue);
  // Makes element i of the rows row ids[i] of an index with `row_count` rows.
  void renumber(RowIds ids, std::size_t row_count, cudaStream_t stream);
  // Frees the keys, for a position searcher with a copy of them.
  void release_keys();
  // Extracts the keys with their rows, in the order of the input.
  [[nodiscard]] DeviceColumn extract_column();
  // The rows of extracted keys: a position below `first` is a rowID, those from `first` on are
  // positions in `rows`.
  void set_table_rows(DeviceArray<std::uint32_t> rows, std::uint32_t first);
  // The keys with their rows, in row order.
  [[nodiscard]] DeviceColumn column(const Queue& queue) const;

 private:
  void sort_pairs(DeviceColumn column, bool sorted, const Queue& queue);
  void sort_blocks(DeviceColumn column, bool sorted, const Queue& queue);
  template <class Key>
  void sort_split(DeviceArray<Key> keys, DeviceArray<std::uint32_t> rows, bool sorted,
                  DeviceArray<Key>& into, const Queue& queue);
  // Sets first_row_ and returns true if rows follow each other.
  bool find_first_row(const Queue& queue);
  void drop_keys(const Queue& queue);

  Layout layout_ = Layout::split;
  DeviceArray<std::uint64_t> pairs_;
  DeviceArray<std::uint32_t> narrow_;
  DeviceArray<std::uint64_t> wide_;
  DeviceArray<std::uint32_t> rows_;
  std::size_t size_ = 0;
  std::size_t row_count_ = 0;
  std::uint32_t first_listed_ = 0;  // RowsView::first of extracted keys
  std::uint32_t first_row_ = 0;
  std::uint32_t first_key_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t last_key_ = 0;
  bool by_full_keys_ = false;
  bool unique_ = true;
  bool rows_ascend_ = true;
};

// Keys with rows in any order, put into row order.
[[nodiscard]] DeviceColumn in_row_order(DeviceColumn column, const Queue& queue);

}  // namespace rtindex::cuda
