#include "order/key_order.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "base/parallel.hpp"
#include "base/search.hpp"
#include "order/columns.hpp"
#include "order/pairs.hpp"
#include "order/residual_filter.hpp"

namespace rtindex {

namespace {

constexpr std::size_t copy_grain = std::size_t{1} << 15;

}  // namespace

template <class Key>
KeyOrder<Key>::KeyOrder(const EncodedColumn& column, const KeyCodec& codec)
    : pairs_(column.size() + padding),
      size_(column.size()),
      row_count_(column.row_count),
      span_(column.span) {
  parallel_for(size_, copy_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      pairs_[i] = {static_cast<Key>(column.keys[i]), column.row(i)};
  });
  build_peak_ = column.bytes() + 2 * pairs_.bytes();
  pad();
  sort_pairs(pairs_.span().first(size_));
  if (codec.has_residual()) order_by_full_key(pairs_.data(), size_, codec);
  find_last_key();
}

template <class Key>
KeyOrder<Key>::KeyOrder(MergedOrders<Key> merged, std::size_t rows, std::uint64_t span)
    : pairs_(std::move(merged.pairs)), size_(merged.size), row_count_(rows), span_(span) {
  pad();
  build_peak_ = 2 * pairs_.bytes();
  find_last_key();
}

template <class Key>
KeyOrder<Key>::KeyOrder(const FileReader& file, std::size_t rows, std::uint64_t span)
    : size_(file.number("keys", rows)),
      row_count_(rows),
      span_(span),
      build_peak_(file.number("build_peak")) {
  pairs_ = file.array<Pair<Key>>("pairs", size_ + padding);
  // Searches rely on the padding to end them, and on nothing else in the file.
  for (std::size_t i = size_; i < size_ + padding; ++i)
    if (key(i) != std::numeric_limits<Key>::max()) file.reject("the padding of its keys is wrong");
  find_last_key();
}

template <class Key>
void KeyOrder<Key>::save(FileWriter file) const {
  file.number("keys", size_);
  file.number("build_peak", build_peak_);
  file.array("pairs", pairs_.span());
}

template <class Key>
void KeyOrder<Key>::require_order() const {
  std::atomic<bool> is_right = size_ == 0 || key(size_ - 1) <= span_;
  parallel_for(size_, copy_grain, [&](std::size_t first, std::size_t count) {
    const Pair<Key>* const pairs = pairs_.data();
    bool here = true;
    for (std::size_t i = first; i < first + count; ++i) {
      here &= pairs[i].row < row_count_;
      here &= i == 0 || pairs[i - 1].key < pairs[i].key ||
              (pairs[i - 1].key == pairs[i].key && pairs[i - 1].row < pairs[i].row);
    }
    if (!here) is_right = false;
  });
  if (!is_right) fail_damaged_in_use("its keys are not in order");
}

template <class Key>
EncodedColumn KeyOrder<Key>::column() const {
  return in_row_order(size_, row_count_, span_, [&](auto&& take) {
    parallel_for(size_, copy_grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) take(pairs_[i].row, pairs_[i].key);
    });
  });
}

template <class Key>
std::uint64_t KeyOrder<Key>::end_of_equal(std::uint64_t position, Key key) const {
  const Pair<Key>* pairs = pairs_.data();
  std::uint64_t end = end_of_short_run(position, key);
  if (end != position + short_run) return end;
  // A long run: double the step beyond its end, then halve.
  std::uint64_t step = short_run;
  while (end + step < size_ && pairs[end + step].key == key) {
    end += step;
    step *= 2;
  }
  return partition_point(end, std::min<std::uint64_t>(size_, end + step),
                         [&](std::uint64_t at) { return pairs[at].key == key; });
}

template <class Key>
void KeyOrder<Key>::filter_residuals(const LookupBatch& batch, std::size_t first, std::size_t count,
                                     const Interval* intervals, const std::uint8_t* checks,
                                     Match* found) const {
  if (batch.kind() == QueryKind::equal) {
    const PairRows<Key> rows = this->rows();
    return ResidualFilter(batch, rows).filter(first, count, checks, found);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (checks[i] != check_none && found[i].size() != 0)
      found[i] = filter_range(found[i], batch, first + i, intervals[i], checks[i]);
}

template <class Key>
Match KeyOrder<Key>::filter_range(Match match, const LookupBatch& batch, std::size_t lookup,
                                  Interval interval, std::uint8_t checks) const {
  const PairRows<Key> rows = this->rows();
  if ((checks & check_lower) != 0) {
    const std::uint64_t run_end =
        std::min(match.end, end_of_equal(match.begin, static_cast<Key>(interval.lower)));
    match.begin = partition_point(
        match.begin, run_end, [&](std::uint64_t at) { return batch.is_before(lookup, rows[at]); });
  }
  if ((checks & check_upper) != 0) {
    const std::uint64_t run_begin = partition_point(
        match.begin, match.end, [&](std::uint64_t at) { return pairs_[at].key < interval.upper; });
    match.end = partition_point(
        run_begin, match.end, [&](std::uint64_t at) { return !batch.is_behind(lookup, rows[at]); });
  }
  return match;
}

template class KeyOrder<std::uint32_t>;
template class KeyOrder<std::uint64_t>;

}  // namespace rtindex
