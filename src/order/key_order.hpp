#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "answers/matches.hpp"
#include "file/stored.hpp"
#include "keys/codec.hpp"
#include "keys/encoded_column.hpp"
#include "keys/lookup_batch.hpp"
#include "order/merge_orders.hpp"
#include "order/pairs.hpp"

namespace rtindex {

// A column in key order: sorted (key, rowID) pairs, equal keys in order of their full keys and then
// of their rows. The last pair is followed by a few with the greatest key, so that blocks of pairs
// can be compared without a test for the end.
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

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Pair<Key>* pairs() const { return pairs_.data(); }
  [[nodiscard]] PairRows<Key> rows() const {
    return {pairs(), static_cast<std::uint32_t>(std::max<std::size_t>(row_count_, 1) - 1)};
  }
  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  [[nodiscard]] Key key(std::size_t position) const { return pairs_.data()[position].key; }
  // The upper bound of lookups.
  [[nodiscard]] std::uint64_t span() const { return span_; }
  [[nodiscard]] std::uint64_t last_key() const { return last_key_; }
  [[nodiscard]] std::size_t bytes() const { return pairs_.bytes(); }
  [[nodiscard]] std::size_t build_peak() const { return build_peak_; }

  // An input of merge_orders(). Throws if a damaged file is not in order, which merging relies on.
  [[nodiscard]] OrderInput input() const {
    if (pairs_.is_view()) require_order();
    return {.pairs = pairs(), .is_wide = sizeof(Key) == sizeof(std::uint64_t), .size = size_};
  }
  // The column in row order.
  [[nodiscard]] EncodedColumn column() const;

  // The end of the run of pairs with `key` that starts at `position`; `position` itself if none
  // starts there.
  [[nodiscard]] std::uint64_t end_of_equal(std::uint64_t position, Key key) const;
  // end_of_equal() for runs of up to `short_run` pairs.
  [[nodiscard]] std::uint64_t end_of_short_run(std::uint64_t position, Key key) const {
    const Pair<Key>* pairs = pairs_.data();
    const std::uint64_t stop = std::min<std::uint64_t>(size_, position + short_run);
    while (position < stop && pairs[position].key == key) ++position;
    return position;
  }

  // Removes rows whose full keys do not lie in the lookup from the matches of lookups
  // [first, first + count), which were found by encoded key.
  void filter_residuals(const LookupBatch& batch, std::size_t first, std::size_t count,
                        const Interval* intervals, const std::uint8_t* checks, Match* found) const;

 private:
  [[nodiscard]] Match filter_range(Match match, const LookupBatch& batch, std::size_t lookup,
                                   Interval interval, std::uint8_t checks) const;
  void pad() {
    for (std::size_t i = size_; i < pairs_.size(); ++i)
      pairs_[i] = {std::numeric_limits<Key>::max(), miss_row};
  }
  void require_order() const;
  void find_last_key() {
    last_key_ = size_ == 0 ? 0 : std::min<std::uint64_t>(key(size_ - 1), span_);
  }

  Array<Pair<Key>> pairs_;
  std::size_t size_ = 0;
  std::size_t row_count_ = 0;
  std::uint64_t span_ = 0;
  std::uint64_t last_key_ = 0;
  std::size_t build_peak_ = 0;
};

extern template class KeyOrder<std::uint32_t>;
extern template class KeyOrder<std::uint64_t>;

}  // namespace rtindex
