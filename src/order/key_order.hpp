#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "base/array.hpp"
#include "file/stored.hpp"
#include "keys/codec.hpp"
#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "order/pairs.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// What is stored of a column in key order.
enum class OrderLayout : std::uint8_t {
  pairs,     // keys and rowIDs
  keys,      // keys; rows follow each other in key order, as in a column that is sorted already
  sequence,  // neither: keys follow each other as well
};

// A column in key order, equal keys in the order of their rows. The last pair or key is followed by
// a few with the greatest key, so that blocks of them can be compared without a test for the end.
template <class Key>
struct OrderArrays {
  Array<Pair<Key>> pairs;       // empty: the row at a position is first_row + position
  Array<Key> keys;              // empty where pairs are too: the key is first_key + position
  Key first_key = 0;            // of a sequence
  std::uint32_t first_row = 0;  // where there are no pairs
  std::size_t size = 0;         // without the padding

  [[nodiscard]] OrderLayout layout() const {
    if (!pairs.empty()) return OrderLayout::pairs;
    return keys.empty() ? OrderLayout::sequence : OrderLayout::keys;
  }
  [[nodiscard]] std::size_t bytes() const { return pairs.bytes() + keys.bytes(); }
};

// The keys of pairs, by position.
template <class Key>
struct PairKeys {
  const Pair<Key>* pairs;
  [[nodiscard]] Key operator[](std::size_t position) const { return pairs[position].key; }
};

// The keys of a sequence, by position.
template <class Key>
struct SequenceKeys {
  Key first;
  [[nodiscard]] Key operator[](std::size_t position) const {
    return static_cast<Key>(first + position);
  }
};

// The rowIDs in key order, by position. None is greater than `last`, the column's last row, even
// where pairs come from a damaged file.
template <class Key>
class OrderRows {
 public:
  OrderRows(const Pair<Key>* pairs, std::uint32_t last) : pairs_(pairs), bound_(last) {}
  // Rows `first` and those that follow.
  explicit OrderRows(std::uint32_t first) : bound_(first) {}

  [[nodiscard]] std::uint32_t operator[](std::size_t position) const {
    if (pairs_ == nullptr) return bound_ + static_cast<std::uint32_t>(position);
    const std::uint32_t row = pairs_[position].row;
    return row < bound_ ? row : bound_;
  }
  // Its address, to be prefetched; null where no memory is read.
  [[nodiscard]] const void* address(std::size_t position) const {
    return pairs_ == nullptr ? nullptr : pairs_ + position;
  }

 private:
  const Pair<Key>* pairs_ = nullptr;
  std::uint32_t bound_;  // the last row, or without pairs the first
};

// A column in key order that is merged with others, with keys of 4 or 8 bytes (OrderArrays).
struct OrderInput {
  const void* pairs = nullptr;  // null: rows from first_row on
  const void* keys = nullptr;   // null without pairs: keys from first_key on
  std::uint64_t first_key = 0;
  std::uint32_t first_row = 0;
  bool is_wide = false;
  std::size_t size = 0;
  std::uint64_t shift = 0;  // what is added to its keys
  RowBits deleted;          // rows to omit
};

template <class Key>
struct MergedOrders;  // order/merge_orders.hpp

// A column in key order: sorted (key, rowID) pairs, equal keys in order of their full keys and then
// of their rows. A column that is sorted already is kept without rowIDs, a sequence of keys
// without both (OrderLayout).
template <class Key>
class KeyOrder {
 public:
  static constexpr std::size_t padding = 16;
  static constexpr std::uint64_t short_run = 8;

  KeyOrder(const EncodedColumn& column, const KeyCodec& codec);
  // Merged from others, of an index of `row_count` rows whose keys are at most `span`.
  KeyOrder(MergedOrders<Key> merged, std::size_t rows, std::uint64_t span);
  // From a file, of a column of `row_count` rows whose keys are at most `span`.
  KeyOrder(const FileReader& file, std::size_t rows, std::uint64_t span);
  void save(FileWriter file) const;

  [[nodiscard]] std::size_t size() const { return arrays_.size; }
  [[nodiscard]] OrderLayout layout() const { return arrays_.layout(); }
  [[nodiscard]] OrderRows<Key> rows() const {
    return rows_up_to(static_cast<std::uint32_t>(std::max<std::size_t>(row_count_, 1) - 1));
  }
  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  // For loops, use with_keys().
  [[nodiscard]] Key key(std::size_t position) const {
    return with_keys([&](const auto& keys) -> Key { return keys[position]; });
  }
  // The address of the key at a position, to be prefetched; null where no memory is read.
  [[nodiscard]] const void* address(std::size_t position) const {
    if (layout() == OrderLayout::pairs) return pairs() + position;
    return layout() == OrderLayout::keys ? arrays_.keys.data() + position : nullptr;
  }
  // The lower bounds of keys in a sequence.
  void subtract(const Key* keys, std::size_t count, std::uint32_t* at) const;

  // visit(keys): keys[position], for the layout at hand.
  template <class Visit>
  decltype(auto) with_keys(Visit&& visit) const {
    if (layout() == OrderLayout::pairs) return visit(PairKeys<Key>{pairs()});
    if (layout() == OrderLayout::keys) return visit(arrays_.keys.data());
    return visit(SequenceKeys<Key>{arrays_.first_key});
  }
  // visit(elements): an array of pairs or keys; not of a sequence, which has neither.
  template <class Visit>
  decltype(auto) with_elements(Visit&& visit) const {
    assert(layout() != OrderLayout::sequence);
    return layout() == OrderLayout::pairs ? visit(pairs()) : visit(arrays_.keys.data());
  }
  // The upper bound of lookups.
  [[nodiscard]] std::uint64_t span() const { return span_; }
  [[nodiscard]] std::uint64_t last_key() const { return last_key_; }
  [[nodiscard]] std::size_t bytes() const { return arrays_.bytes(); }
  [[nodiscard]] std::size_t build_peak() const { return build_peak_; }

  // An input of merge_orders(). Throws if a damaged file is not in order, which merging relies on.
  [[nodiscard]] OrderInput input() const {
    if (arrays_.pairs.is_view() || arrays_.keys.is_view()) require_order();
    return {.pairs = pairs(),
            .keys = arrays_.keys.data(),
            .first_key = arrays_.first_key,
            .first_row = arrays_.first_row,
            .is_wide = sizeof(Key) == sizeof(std::uint64_t),
            .size = size()};
  }
  // The column in row order.
  [[nodiscard]] EncodedColumn column() const;

  // The end of the run of `key` that starts at `position`; `position` itself if none starts there.
  [[nodiscard]] std::uint64_t end_of_equal(std::uint64_t position, Key key) const;
  // end_of_equal() for runs of up to `short_run` keys, with the keys of with_keys().
  template <class Keys>
  [[nodiscard]] std::uint64_t end_of_short_run(const Keys& keys, std::uint64_t position,
                                               Key key) const {
    const std::uint64_t stop = std::min<std::uint64_t>(size(), position + short_run);
    while (position < stop && keys[position] == key) ++position;
    return position;
  }

  // Removes rows whose full keys do not lie in the lookup from the matches of lookups
  // [first, first + count), which were found by encoded key.
  void filter_residuals(const LookupBatch& batch, std::size_t first, std::size_t count,
                        const Interval* intervals, const std::uint8_t* checks, Match* found) const;

 private:
  [[nodiscard]] Match filter_range(Match match, const LookupBatch& batch, std::size_t lookup,
                                   Interval interval, std::uint8_t checks) const;
  [[nodiscard]] const Pair<Key>* pairs() const { return arrays_.pairs.data(); }
  [[nodiscard]] OrderRows<Key> rows_up_to(std::uint32_t last) const {
    if (layout() == OrderLayout::pairs) return {pairs(), last};
    return OrderRows<Key>(arrays_.first_row);
  }
  // As they are in a file, to be checked.
  [[nodiscard]] OrderRows<Key> unlimited_rows() const { return rows_up_to(miss_row); }
  void load_without_rows(const FileReader& file);
  void copy_keys(const EncodedColumn& column);
  void sort_pairs_of(const EncodedColumn& column, const KeyCodec& codec);
  void pad();
  void require_order() const;
  void find_last_key() {
    last_key_ = size() == 0 ? 0 : std::min<std::uint64_t>(key(size() - 1), span_);
  }

  OrderArrays<Key> arrays_;
  std::size_t row_count_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t last_key_ = 0;
  std::size_t build_peak_ = 0;
};

extern template class KeyOrder<std::uint32_t>;
extern template class KeyOrder<std::uint64_t>;

}  // namespace rtindex
