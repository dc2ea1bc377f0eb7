#pragma once

#include <cstdint>
#include <limits>

#include "base/macros.hpp"
#include "base/search.hpp"

// Cuts keys in key order into pieces within which they are about evenly distributed: few for smooth
// distributions, more for clusters. Host and device functions.
//
// The crowding of a stretch of keys measures how uneven it is: in an even grid over the stretch,
// the number of keys in the cell of a key, averaged over all keys, divided by the number of keys
// that a cell should have. With samples that divide the stretch into steps of w keys that span s
// key values it is sum(w * w / s) * sum(s) / (sum(w) * sum(w)): 1 for even keys, 2 if half of the
// span is empty.

namespace rtindex {

// Keys in key order that belong to the key values from `first` to before the next stretch's first.
struct KeyStretch {
  std::uint64_t first;
  std::uint32_t begin;   // the position of its first key
  std::uint32_t is_run;  // one key, repeated so often that it is never joined with others
  double squares;        // sum(w * w / s)
  double separate;       // the crowding of its parts, each times its keys
};

namespace pieces {

inline constexpr std::uint32_t block_keys = 1024;
inline constexpr std::uint32_t step_keys = 32;
// Keys that one thread cuts.
inline constexpr std::uint32_t chunk_keys = 14 * block_keys;
// A block with more crowding is cut into steps.
inline constexpr double max_block_crowding = 8;
// What counts as crowded.
inline constexpr double crowded = 2;

[[nodiscard]] inline RTINDEX_HD double squares_of(std::uint64_t keys, std::uint64_t span) {
  const auto count = static_cast<double>(keys);
  return count * count / static_cast<double>(span == 0 ? 1 : span);
}

// The first position with the same key as `position`; those before `lowest` are not read.
template <class KeyAt>
[[nodiscard]] RTINDEX_HD std::uint32_t start_of_run(const KeyAt& key_at, std::uint32_t lowest,
                                                    std::uint32_t position) {
  const std::uint64_t key = key_at(position);
  std::uint32_t step = 1;
  std::uint32_t same = position;
  while (same - lowest >= step && key_at(same - step) == key) {
    same -= step;
    step = step < (1U << 30) ? 2 * step : step;
  }
  const std::uint32_t low = same - lowest >= step ? same - step + 1 : lowest;
  return partition_point(low, same, [&](std::uint32_t at) { return key_at(at) != key; });
}

// sum(w * w / s) over the steps of positions [begin, end). Steps of one key are omitted: runs of
// equal keys cost nothing.
template <class KeyAt>
[[nodiscard]] RTINDEX_HD double step_squares(const KeyAt& key_at, std::uint32_t begin,
                                             std::uint32_t end, std::uint32_t size,
                                             std::uint64_t next_key) {
  double sum = 0;
  std::uint64_t key = key_at(begin);
  for (std::uint32_t at = begin; at < end;) {
    const std::uint32_t to = end - at > step_keys ? at + step_keys : end;
    const std::uint64_t next = to < size ? key_at(to) : next_key;
    if (next != key) sum += squares_of(to - at, next - key);
    key = next;
    at = to;
  }
  return sum;
}

}  // namespace pieces

// Neighbouring stretches become one piece up to these limits.
struct JoinLimits {
  double max_worse;             // the factor by which joining may raise their crowding
  double max_worse_if_crowded;  // that factor if the keys are crowded anyway
  double max_error;  // how far the ends of stretches may be from a line over the piece, in keys
};

// Joins stretches, added in key order, while they are about equally dense; callback(stretch).
template <class Callback>
class StretchJoiner {
 public:
  RTINDEX_HD StretchJoiner(const JoinLimits& limits, Callback callback)
      : limits_(limits), callback_(callback) {}

  // A stretch up to before the key `next` and the position `end`.
  RTINDEX_HD void add(const KeyStretch& stretch, std::uint64_t next, std::uint32_t end) {
    const auto span = static_cast<double>(next > stretch.first ? next - stretch.first : 1);
    const auto keys = static_cast<double>(end - stretch.begin);
    if (open_ && !fits(stretch, span, keys)) finish();
    if (!open_) {
      joined_ = stretch;
      span_ = span;
      keys_ = keys;
      lowest_slope_ = 0;
      highest_slope_ = std::numeric_limits<double>::max();
      open_ = true;
    } else {
      joined_.squares += stretch.squares;
      joined_.separate += stretch.separate;
      span_ += span;
      keys_ += keys;
    }
    const double low = (keys_ - limits_.max_error) / span_;
    const double high = (keys_ + limits_.max_error) / span_;
    lowest_slope_ = low > lowest_slope_ ? low : lowest_slope_;
    highest_slope_ = high < highest_slope_ ? high : highest_slope_;
  }
  RTINDEX_HD void finish() {
    if (open_) callback_(joined_);
    open_ = false;
  }

 private:
  [[nodiscard]] RTINDEX_HD bool fits(const KeyStretch& stretch, double span, double keys) const {
    if (joined_.is_run != 0 || stretch.is_run != 0) return false;
    span += span_;
    keys += keys_;
    const double slope = keys / span;
    const double separate = joined_.separate + stretch.separate;
    const double worse =
        separate > pieces::crowded * keys ? limits_.max_worse_if_crowded : limits_.max_worse;
    return span * (joined_.squares + stretch.squares) <= worse * separate * keys &&
           lowest_slope_ <= slope && slope <= highest_slope_;
  }

  JoinLimits limits_;
  Callback callback_;
  bool open_ = false;
  KeyStretch joined_{};
  double span_ = 0, keys_ = 0;
  // The slopes of lines from the start of the piece that are close enough to all ends of stretches.
  double lowest_slope_ = 0, highest_slope_ = 0;
};

// The stretches of chunk `number` of `size` keys, joined; every one ends where the next one begins.
// key_at(position); block_squares(number) is step_squares() of a block; `next_key` is greater than
// the last key.
template <class KeyAt, class BlockSquares, class Callback>
RTINDEX_HD void cut_chunk(const KeyAt& key_at, const BlockSquares& block_squares,
                          std::uint32_t size, std::uint64_t next_key, std::uint32_t number,
                          const JoinLimits& limits, Callback callback) {
  const std::uint64_t raw_begin = std::uint64_t{number} * pieces::chunk_keys;
  const std::uint64_t raw_end = raw_begin + pieces::chunk_keys;
  const std::uint32_t begin =
      raw_begin == 0 ? 0 : pieces::start_of_run(key_at, 0, static_cast<std::uint32_t>(raw_begin));
  const std::uint32_t end =
      raw_end >= size ? size : pieces::start_of_run(key_at, 0, static_cast<std::uint32_t>(raw_end));
  if (begin == end) return;
  const auto key_behind = [&](std::uint32_t position) {
    return position < size ? key_at(position) : next_key;
  };
  StretchJoiner<Callback> joiner(limits, callback);
  std::uint32_t at = begin;
  // A run that fills the first chunks is cut by a later one.
  std::uint64_t first = begin == 0 ? 0 : key_at(begin);
  for (std::uint64_t block = raw_begin / pieces::block_keys; at < end; ++block) {
    const std::uint64_t raw = (block + 1) * pieces::block_keys;
    std::uint32_t to = raw < end ? static_cast<std::uint32_t>(raw) : end;
    if (to <= at) continue;
    const std::uint64_t key = key_at(at);
    if (to < end && key_at(to) == key) {
      // A run of at least a block.
      std::uint32_t step = pieces::block_keys;
      while (end - to > step && key_at(to + step) == key) {
        to += step;
        step = step < (1U << 30) ? 2 * step : step;
      }
      const std::uint32_t high = end - to > step ? to + step : end;
      to = partition_point(to, high, [&](std::uint32_t i) { return key_at(i) == key; });
      const std::uint64_t next = key_behind(to);
      if (first != key) joiner.add({first, at, 0, 0, 0}, key, at);
      joiner.add({key, at, 1, 0, 0}, key + 1, to);
      // Key values without a key, up to the next one.
      if (next > key && next - key > 1) joiner.add({key + 1, to, 0, 0, 0}, next, to);
      at = to;
      first = next;
      continue;
    }
    if (to < end) to = pieces::start_of_run(key_at, at, to);
    const std::uint64_t next = key_behind(to);
    const double fine = block_squares(static_cast<std::uint32_t>(block));
    const auto keys = static_cast<double>(to - at);
    const auto span = static_cast<double>(next - first);
    if (fine * span <= pieces::max_block_crowding * keys * keys) {
      joiner.add({first, at, 0, fine, fine * span / keys}, next, to);
      at = to;
      first = next;
      continue;
    }
    while (at < to) {
      std::uint32_t step = to - at > pieces::step_keys ? at + pieces::step_keys : to;
      if (step < to) step = pieces::start_of_run(key_at, at, step);
      // A run that is longer than a step goes on to the next key.
      if (step == at) {
        const std::uint64_t same = key_at(at);
        step = at + pieces::step_keys;
        while (step < to && key_at(step) == same) ++step;
      }
      const std::uint64_t step_next = key_behind(step);
      const double squares = pieces::squares_of(step - at, step_next - first);
      joiner.add({first, at, 0, squares, static_cast<double>(step - at)}, step_next, step);
      at = step;
      first = step_next;
    }
  }
  joiner.finish();
}

}  // namespace rtindex
