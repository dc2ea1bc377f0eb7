#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "answers/matches.hpp"
#include "answers/request.hpp"
#include "engine/locator.hpp"
#include "keys/interval.hpp"
#include "order/hash_filter.hpp"
#include "order/key_order.hpp"
#include "order/key_parts.hpp"

namespace rtindex {

// Finds the positions of lookups in key order, a block of at most chunk_lookups at a time, by a
// locator of their lower bounds. `work` may be null: nothing is counted.
template <class Key>
class PositionFinder {
 public:
  // `locator`: null for a sequence of keys, whose positions are differences. `filter`: of the keys,
  // null where there is none. All of them outlive the finder. The lower ends of all lookups are in
  // `part`.
  PositionFinder(const KeyOrder<Key>& order, const Locator<Key>* locator,
                 const HashFilter<Key>* filter, const KeyPart& part)
      : order_(order), locator_(locator), filter_(filter), part_(part) {}

  // The positions of all matches of each lookup; of points only the first one where `one_row`.
  void find(QueryKind kind, bool one_row, const Interval* intervals, std::size_t count,
            Match* found, Counters* work) const {
    if (kind == QueryKind::equal)
      find_points(one_row, intervals, count, found, work);
    else
      find_ranges(intervals, count, found, work);
  }

  void find_ranges(const Interval* intervals, std::size_t count, Match* found,
                   Counters* work) const {
    Key keys[2 * chunk_lookups];
    std::uint32_t at[2 * chunk_lookups];
    for (std::size_t i = 0; i < count; ++i) {
      const bool empty = intervals[i].empty();
      keys[2 * i] = empty ? Key{0} : static_cast<Key>(intervals[i].lower);
      // Nothing follows an upper end at the last key, and key + 1 might overflow.
      const bool open = empty || intervals[i].upper >= order_.last_key();
      keys[2 * i + 1] = open ? Key{0} : static_cast<Key>(intervals[i].upper + 1);
    }
    search(keys, 2 * count, at, work);
    for (std::size_t i = 0; i < count; ++i) {
      if (intervals[i].empty()) {
        found[i] = {0, 0};
        continue;
      }
      const std::uint64_t end =
          intervals[i].upper >= order_.last_key() ? order_.size() : at[2 * i + 1];
      found[i] = {std::min<std::uint64_t>(at[2 * i], end), end};
    }
  }

  // Searches only the end of each range at one edge: comparing keys from there on finds the other
  // end.
  void find_one_end(Edge edge, const Interval* intervals, std::size_t count, Match* found,
                    Counters* work) const {
    Key keys[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    const auto reaches_all = [&](const Interval& interval) {
      return interval.upper >= order_.last_key();
    };
    for (std::size_t i = 0; i < count; ++i) {
      const Interval& interval = intervals[i];
      if (edge == Edge::first)
        keys[i] = interval.empty() ? Key{0} : static_cast<Key>(interval.lower);
      else
        keys[i] = interval.empty() || reaches_all(interval) ? Key{0}
                                                            : static_cast<Key>(interval.upper + 1);
    }
    search(keys, count, at, work);
    for (std::size_t i = 0; i < count; ++i) {
      const Interval& interval = intervals[i];
      const std::uint64_t size = order_.size();
      if (interval.empty())
        found[i] = {0, 0};
      else if (edge == Edge::first)
        found[i] = {std::min<std::uint64_t>(at[i], size), size};
      else
        found[i] = {0, reaches_all(interval) ? size : at[i]};
    }
  }

 private:
  void search(const Key* keys, std::size_t count, std::uint32_t* at, Counters* work) const {
    if (count == 0) return;
    if (locator_ == nullptr)
      order_.subtract(keys, count, at);
    else
      locator_->lower_bounds(order_, keys, count, at, work);
  }

  // Searches keys in the part.
  void search_part(const Key* keys, std::size_t count, std::uint32_t* at, Counters* work) const {
    if (count == 0) return;
    if (locator_ == nullptr)
      order_.subtract(keys, count, at);
    else
      locator_->lower_bounds_in(part_, order_, keys, count, at, work);
  }

  void find_points(bool one_row, const Interval* intervals, std::size_t count, Match* found,
                   Counters* work) const {
    if (filter_)
      find_filtered_points(one_row, intervals, count, found, work);
    else
      find_all_points(one_row, intervals, count, found, work);
  }

  // Searches only the keys that pass the filter.
  void find_filtered_points(bool one_row, const Interval* intervals, std::size_t count,
                            Match* found, Counters* work) const {
    Interval passed[chunk_lookups] = {};
    Match passed_found[chunk_lookups];
    std::uint32_t which[chunk_lookups];
    // Counts instead of branches, which would often be mispredicted.
    std::size_t wanted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] = {0, 0};
      which[wanted] = static_cast<std::uint32_t>(i);
      wanted += intervals[i].empty() ? 0 : 1;
    }
    std::size_t passing = 0;
    for (std::size_t first = 0; first < wanted; first += filtered_at_once) {
      const std::size_t end = std::min(wanted, first + filtered_at_once);
      Key hashes[filtered_at_once];
      for (std::size_t i = first; i < end; ++i) {
        hashes[i - first] = mix(static_cast<Key>(intervals[which[i]].lower));
        filter_->prefetch_near(hashes[i - first]);
      }
      for (std::size_t i = first; i < end; ++i) {
        const std::uint32_t lookup = which[i];
        passed[passing] = intervals[lookup];
        which[passing] = lookup;
        passing += filter_->may_hold(hashes[i - first]) ? 1 : 0;
      }
    }
    find_all_points(one_row, passed, passing, passed_found, work);
    for (std::size_t i = 0; i < passing; ++i) found[which[i]] = passed_found[i];
  }

  void find_all_points(bool one_row, const Interval* intervals, std::size_t count, Match* found,
                       Counters* work) const {
    Key keys[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    for (std::size_t i = 0; i < count; ++i)
      keys[i] = static_cast<Key>(intervals[i].empty() ? part_.first : intervals[i].lower);
    search_part(keys, count, at, work);
    if (one_row) {
      order_.with_keys([&](const auto& in_order) {
        for (std::size_t i = 0; i < count; ++i) {
          const bool hit =
              !intervals[i].empty() && at[i] < order_.size() && in_order[at[i]] == keys[i];
          found[i] = {at[i], std::uint64_t{at[i]} + (hit ? 1 : 0)};
        }
      });
      return;
    }
    bool has_long_runs = false;
    order_.with_keys([&](const auto& in_order) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t end =
            intervals[i].empty() ? at[i] : order_.end_of_short_run(in_order, at[i], keys[i]);
        found[i] = {at[i], end};
        has_long_runs = has_long_runs || found[i].size() == KeyOrder<Key>::short_run;
      }
    });
    if (work != nullptr)  // the comparisons that end_of_short_run made
      for (std::size_t i = 0; i < count; ++i)
        if (!intervals[i].empty() && at[i] < order_.size())
          work->tested += std::min<std::uint64_t>(found[i].size() + 1, KeyOrder<Key>::short_run);
    if (has_long_runs) find_ends(keys, count, found, work);
  }

  // The ends of long runs of duplicates, by a second search: for the first greater key.
  void find_ends(const Key* keys, std::size_t count, Match* found, Counters* work) const {
    Key greater[chunk_lookups];
    std::uint32_t at[chunk_lookups];
    std::size_t which[chunk_lookups];
    std::size_t searches = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (found[i].size() < KeyOrder<Key>::short_run) continue;
      if (keys[i] >= order_.last_key()) {
        found[i].end = order_.size();
        continue;
      }
      greater[searches] = static_cast<Key>(keys[i] + 1);
      which[searches++] = i;
    }
    search(greater, searches, at, work);
    for (std::size_t i = 0; i < searches; ++i)
      found[which[i]].end = std::max<std::uint64_t>(found[which[i]].end, at[i]);
  }

  static constexpr std::size_t filtered_at_once = 64;  // words of the filter in flight

  const KeyOrder<Key>& order_;
  const Locator<Key>* locator_;
  const HashFilter<Key>* filter_;
  KeyPart part_;
};

}  // namespace rtindex
