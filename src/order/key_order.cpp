#include "order/key_order.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <limits>
#include <utility>

#include "base/call_control.hpp"
#include "base/parallel.hpp"
#include "base/search.hpp"
#include "order/columns.hpp"
#include "order/merge_orders.hpp"
#include "order/pairs.hpp"
#include "order/residual_filter.hpp"

namespace rtindex {

namespace {

constexpr std::size_t copy_grain = std::size_t{1} << 15;
constexpr std::size_t scan_block = 1024;

template <class Key>
[[nodiscard]] const Key* keys_of(const EncodedColumn& column) {
  assert(column.keys.wide() == (sizeof(Key) == sizeof(std::uint64_t)));
  return static_cast<const Key*>(column.keys.data());
}

// How keys can be stored whose rows follow each other: found in one pass, which ends early where
// they do not ascend. ascends(i): whether key i is not less than the one before.
template <class Key, class Ascends>
[[nodiscard]] OrderLayout layout_of(const Key* keys, std::size_t size, const Ascends& ascends) {
  std::atomic<bool> is_sorted = true;
  std::atomic<bool> is_sequence = true;
  parallel_for(size - 1, copy_grain, [&](std::size_t first, std::size_t count) {
    bool follows = true;
    for (std::size_t begin = first; begin < first + count; begin += scan_block) {
      if (!is_sorted.load(std::memory_order_relaxed)) return;
      const std::size_t end = std::min(begin + scan_block, first + count);
      bool here = true;
      for (std::size_t i = begin + 1; i <= end; ++i) {
        here &= ascends(i);
        follows &= keys[i] - keys[i - 1] == 1;
      }
      if (!here) is_sorted = false;
    }
    if (!follows) is_sequence = false;
  });
  if (!is_sorted) return OrderLayout::pairs;
  return is_sequence ? OrderLayout::sequence : OrderLayout::keys;
}

template <class Key>
[[nodiscard]] OrderLayout layout_of(const EncodedColumn& column, const KeyCodec& codec) {
  const std::size_t size = column.size();
  if (size <= 1) return OrderLayout::sequence;
  if (column.row(size - 1) - column.row(0) != size - 1) return OrderLayout::pairs;
  const Key* const keys = keys_of<Key>(column);
  if (!codec.has_residual())
    return layout_of(keys, size, [&](std::size_t i) { return keys[i - 1] <= keys[i]; });
  return layout_of(keys, size, [&](std::size_t i) {
    if (keys[i - 1] != keys[i]) return keys[i - 1] < keys[i];
    return codec.comparer()->compare_rows(column.row(i - 1), column.row(i)) <= 0;
  });
}

}  // namespace

template <class Key>
KeyOrder<Key>::KeyOrder(const EncodedColumn& column, const KeyCodec& codec)
    : row_count_(column.row_count), span_(column.span) {
  arrays_.size = column.size();
  build_peak_ = column.bytes();
  const OrderLayout layout = layout_of<Key>(column, codec);
  if (layout == OrderLayout::pairs) {
    sort_pairs_of(column, codec);
  } else if (size() != 0) {
    arrays_.first_row = column.row(0);
    arrays_.first_key = static_cast<Key>(column.keys[0]);
    if (layout == OrderLayout::keys) copy_keys(column);
  }
  pad();
  find_last_key();
}

template <class Key>
void KeyOrder<Key>::copy_keys(const EncodedColumn& column) {
  arrays_.keys = Array<Key>(size() + padding);
  build_peak_ += arrays_.bytes();
  const Key* const keys = keys_of<Key>(column);
  parallel_for(size(), copy_grain, [&](std::size_t first, std::size_t count) {
    std::copy_n(keys + first, count, arrays_.keys.data() + first);
  });
}

template <class Key>
void KeyOrder<Key>::sort_pairs_of(const EncodedColumn& column, const KeyCodec& codec) {
  Array<Pair<Key>>& pairs = arrays_.pairs;
  pairs = Array<Pair<Key>>(size() + padding);
  build_peak_ += 2 * pairs.bytes();
  parallel_for(size(), copy_grain, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i)
      pairs[i] = {static_cast<Key>(column.keys[i]), column.row(i)};
  });
  const ProgressStage sorting(0.8);
  sort_pairs(pairs.span().first(size()));
  if (codec.has_residual()) order_by_full_key(pairs.data(), size(), codec);
}

template <class Key>
void KeyOrder<Key>::pad() {
  constexpr Key greatest = std::numeric_limits<Key>::max();
  for (std::size_t i = size(); i < arrays_.pairs.size(); ++i)
    arrays_.pairs[i] = {greatest, miss_row};
  for (std::size_t i = size(); i < arrays_.keys.size(); ++i) arrays_.keys[i] = greatest;
}

template <class Key>
KeyOrder<Key>::KeyOrder(MergedOrders<Key> merged, std::size_t rows, std::uint64_t span)
    : arrays_(std::move(merged.arrays)), row_count_(rows), span_(span) {
  pad();
  build_peak_ = 2 * arrays_.bytes();
  find_last_key();
}

template <class Key>
KeyOrder<Key>::KeyOrder(const FileReader& file, std::size_t rows, std::uint64_t span)
    : row_count_(rows), span_(span), build_peak_(file.number("build_peak")) {
  arrays_.size = file.number("keys", rows);
  if (file.has("pairs"))
    arrays_.pairs = file.array<Pair<Key>>("pairs", size() + padding);
  else
    load_without_rows(file);
  // Searches rely on the padding to end them, and on nothing else in the file.
  const std::size_t padded = layout() == OrderLayout::sequence ? 0 : padding;
  for (std::size_t i = size(); i < size() + padded; ++i)
    if (key(i) != std::numeric_limits<Key>::max()) file.reject("the padding of its keys is wrong");
  find_last_key();
}

template <class Key>
void KeyOrder<Key>::load_without_rows(const FileReader& file) {
  arrays_.first_row = static_cast<std::uint32_t>(file.number("first_row", row_count_ - size()));
  if (file.has("sorted_keys")) {
    arrays_.keys = file.array<Key>("sorted_keys", size() + padding);
    return;
  }
  const std::size_t last = std::max<std::size_t>(size(), 1) - 1;
  if (last > span_) file.reject("its sequence of {} keys spans {}", size(), span_);
  arrays_.first_key = static_cast<Key>(file.number("first_key", span_ - last));
}

template <class Key>
void KeyOrder<Key>::save(FileWriter file) const {
  file.number("keys", size());
  file.number("build_peak", build_peak_);
  if (layout() == OrderLayout::pairs) return file.array("pairs", arrays_.pairs.span());
  file.number("first_row", arrays_.first_row);
  if (layout() == OrderLayout::keys) return file.array("sorted_keys", arrays_.keys.span());
  file.number("first_key", arrays_.first_key);
}

template <class Key>
void KeyOrder<Key>::require_order() const {
  std::atomic<bool> is_right = size() == 0 || key(size() - 1) <= span_;
  const OrderRows<Key> rows = unlimited_rows();
  with_keys([&](const auto& keys) {
    parallel_for(size(), copy_grain, [&](std::size_t first, std::size_t count) {
      bool here = true;
      for (std::size_t i = first; i < first + count; ++i) {
        here &= rows[i] < row_count_;
        here &=
            i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && rows[i - 1] < rows[i]);
      }
      if (!here) is_right = false;
    });
  });
  if (!is_right) fail_damaged_in_use("its keys are not in order");
}

template <class Key>
EncodedColumn KeyOrder<Key>::column() const {
  const OrderRows<Key> rows = unlimited_rows();
  return in_row_order(size(), row_count_, span_, [&](auto&& take) {
    with_keys([&](const auto& keys) {
      parallel_for(size(), copy_grain, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) take(rows[i], keys[i]);
      });
    });
  });
}

template <class Key>
void KeyOrder<Key>::subtract(const Key* keys, std::size_t count, std::uint32_t* at) const {
  const Key first = arrays_.first_key;
  const auto end = static_cast<Key>(size());
  for (std::size_t i = 0; i < count; ++i)
    at[i] = static_cast<std::uint32_t>(keys[i] < first ? 0 : std::min<Key>(keys[i] - first, end));
}

template <class Key>
std::uint64_t KeyOrder<Key>::end_of_equal(std::uint64_t position, Key key) const {
  return with_keys([&](const auto& keys) {
    std::uint64_t end = end_of_short_run(keys, position, key);
    if (end != position + short_run) return end;
    // A long run: double the step beyond its end, then halve.
    std::uint64_t step = short_run;
    while (end + step < size() && keys[end + step] == key) {
      end += step;
      step *= 2;
    }
    return partition_point(end, std::min<std::uint64_t>(size(), end + step),
                           [&](std::uint64_t at) { return keys[at] == key; });
  });
}

template <class Key>
void KeyOrder<Key>::filter_residuals(const LookupBatch& batch, std::size_t first, std::size_t count,
                                     const Interval* intervals, const std::uint8_t* checks,
                                     Match* found) const {
  if (batch.kind() == QueryKind::equal) {
    const OrderRows<Key> rows = this->rows();
    return ResidualFilter(batch, rows).filter(first, count, checks, found);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (checks[i] != check_none && found[i].size() != 0)
      found[i] = filter_range(found[i], batch, first + i, intervals[i], checks[i]);
}

template <class Key>
Match KeyOrder<Key>::filter_range(Match match, const LookupBatch& batch, std::size_t lookup,
                                  Interval interval, std::uint8_t checks) const {
  const OrderRows<Key> rows = this->rows();
  if ((checks & check_lower) != 0) {
    const std::uint64_t run_end =
        std::min(match.end, end_of_equal(match.begin, static_cast<Key>(interval.lower)));
    match.begin = partition_point(
        match.begin, run_end, [&](std::uint64_t at) { return batch.is_before(lookup, rows[at]); });
  }
  if ((checks & check_upper) != 0) {
    const std::uint64_t run_begin = partition_point(
        match.begin, match.end, [&](std::uint64_t at) { return key(at) < interval.upper; });
    match.end = partition_point(
        run_begin, match.end, [&](std::uint64_t at) { return !batch.is_behind(lookup, rows[at]); });
  }
  return match;
}

template class KeyOrder<std::uint32_t>;
template class KeyOrder<std::uint64_t>;

}  // namespace rtindex
