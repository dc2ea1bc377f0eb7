#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "file/stored.hpp"

namespace rtindex {

// The ends of intervals in the order of their starts, with the greatest end of every 16 of them,
// of every 16 of these and so on, and the least end of all but the first of these levels: finds the
// intervals of a range of positions whose end is on one side of a key, however long some of them
// are, without reading the others.
template <class Key>
class ExtentTree {
 public:
  static constexpr std::size_t fan_out = 16;

  ExtentTree() = default;
  // `ends` has room for padded(size).
  ExtentTree(Array<Key> ends, std::size_t size) : ends_(std::move(ends)) {
    lay_out(size);
    std::fill(ends_.begin() + size, ends_.end(), Key{0});
    greatest_ = Array<Key>(nodes_);
    least_ = Array<Key>(least_nodes());
    for (std::size_t level = 1; level < levels_.size(); ++level) fill(level);
  }
  ExtentTree(const FileReader& file, std::size_t size)
      : ends_(file.array<Key>("ends", padded(size))) {
    lay_out(size);
    greatest_ = file.array<Key>("greatest", nodes_);
    least_ = file.array<Key>("least", least_nodes());
  }
  void save(FileWriter file) const {
    file.array("ends", ends_.span());
    file.array("greatest", greatest_.span());
    file.array("least", least_.span());
  }

  // Whole blocks are compared.
  [[nodiscard]] static constexpr std::size_t padded(std::size_t size) {
    return (size + fan_out - 1) / fan_out * fan_out;
  }
  [[nodiscard]] std::size_t size() const { return levels_.empty() ? 0 : levels_[0].size; }
  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return ends_.bytes() + greatest_.bytes() + least_.bytes();
  }

  // Positions [begin, end), of which those are wanted whose end is on one side of `key`.
  struct Range {
    std::uint32_t begin, end;
    Key key;
  };
  struct Found {
    std::uint32_t range, position;
  };
  // Finds the positions of many ranges at once, in any order: those whose end is not less than the
  // key, or not greater. Level by level, so that the memory of all ranges is on its way together.
  template <bool not_less>
  void find_all(const Range* ranges, std::size_t count, std::vector<Found>& found) const {
    std::array<std::vector<Found>, max_levels> nodes;  // of each level, to be scanned
    const auto prefetch_children = [&](std::size_t level, std::size_t node) {
      const Key* const keys = keys_of<not_less>(level);
      if (keys != nullptr) prefetch(keys + node * fan_out);
    };
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t level = 0, at = ranges[i].end / fan_out;
           level < 2 && level < levels_.size() && ranges[i].begin < ranges[i].end;
           ++level, at /= fan_out)
        if (at * fan_out < levels_[level].size) prefetch_children(level, at);
    const auto scan_part = [&](std::uint32_t range, std::size_t level, std::size_t begin,
                               std::size_t end) {
      return for_each_match<not_less>(keys_of<not_less>(level), begin, end, ranges[range].key,
                                      [&](std::size_t entry) {
                                        const Found one{range, static_cast<std::uint32_t>(entry)};
                                        if (level != 0) prefetch_children(level - 1, entry);
                                        (level == 0 ? found : nodes[level - 1]).push_back(one);
                                        return false;
                                      });
    };
    for (std::uint32_t i = 0; i < count; ++i)
      visit_ranges(ranges[i].begin, ranges[i].end,
                   [&](std::size_t level, std::size_t begin, std::size_t end) {
                     return scan_part(i, level, begin, end);
                   });
    for (std::size_t level = levels_.size(); level-- > 0;)
      for (const Found& node : nodes[level]) {
        const std::size_t begin = std::size_t{node.position} * fan_out;
        scan_part(node.range, level, begin, std::min(begin + fan_out, levels_[level].size));
      }
  }

  // Calls take(position) for the positions in [begin, end) whose end is not less than `key`, or not
  // greater, from the last to the first, until it returns true.
  template <bool not_less, class Take>
  void visit(std::size_t begin, std::size_t end, Key key, Take&& take) const {
    visit_ranges(begin, end, [&](std::size_t level, std::size_t from, std::size_t to) {
      return scan<not_less>(level, from, to, key, take);
    });
  }

 private:
  // Of the nodes of a level: the first among those of all levels, and their number. Level 0 are the
  // ends.
  struct Level {
    std::size_t first;
    std::size_t size;
  };

  void lay_out(std::size_t size) {
    levels_.push_back({0, size});
    while (levels_.back().size > fan_out) {
      levels_.push_back({nodes_, padded(levels_.back().size) / fan_out});
      nodes_ += padded(levels_.back().size);
    }
  }

  void fill(std::size_t level) {
    constexpr std::size_t grain = std::size_t{1} << 12;
    const std::size_t below = levels_[level - 1].size;
    const Key* const from_greatest = keys_of<true>(level - 1);
    Key* const greatest = greatest_.data() + levels_[level].first;
    std::fill_n(greatest, padded(levels_[level].size), Key{0});
    // The least of level 2 are found among the ends.
    const std::size_t ends_each = level == 2 ? fan_out * fan_out : fan_out;
    const std::size_t least_below = level == 2 ? size() : below;
    const Key* const from_least = keys_of<false>(level == 2 ? 0 : level - 1);
    Key* const least =
        level == 1 ? nullptr : least_.data() + (levels_[level].first - levels_[2].first);
    if (least != nullptr) std::fill_n(least, padded(levels_[level].size), Key{0});
    parallel_for(levels_[level].size, grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t node = first; node < first + count; ++node) {
        const std::size_t begin = node * fan_out;
        greatest[node] = *std::max_element(from_greatest + begin,
                                           from_greatest + std::min(below, begin + fan_out));
        if (least == nullptr) continue;
        const std::size_t from = node * ends_each;
        least[node] = *std::min_element(from_least + from,
                                        from_least + std::min(least_below, from + ends_each));
      }
    });
  }

  // Nodes from level 2 on have their least end: those of level 1 would take much memory, and
  // matches of `within` mostly follow each other.
  [[nodiscard]] std::size_t least_nodes() const {
    return levels_.size() < 3 ? 0 : nodes_ - levels_[2].first;
  }

  // The greatest or least ends of a level; those of level 0 are the ends. Null: not stored.
  template <bool greatest>
  [[nodiscard]] const Key* keys_of(std::size_t level) const {
    if (level == 0) return ends_.data();
    if (greatest) return greatest_.data() + levels_[level].first;
    return level == 1 ? nullptr : least_.data() + (levels_[level].first - levels_[2].first);
  }

  // Calls visit(level, begin, end) for parts of levels, each of one node, that make up the
  // positions [begin, end), from the last to the first, until it returns true; returns whether it
  // did.
  template <class Visit>
  bool visit_ranges(std::size_t begin, std::size_t end, Visit&& visit) const {
    struct Part {
      std::size_t begin, end;
    };
    std::array<Part, max_levels> left;  // of each level, what lies left of its first whole node
    std::size_t level = 0;
    for (; begin < end; ++level) {
      const std::size_t node = end / fan_out * fan_out;
      if (level + 1 == levels_.size() || node <= begin) {
        if (visit(level, begin, end)) return true;
        break;
      }
      if (visit(level, node, end)) return true;
      const std::size_t first_whole = padded(begin);
      left[level] = {begin, std::min(first_whole, node)};
      begin = first_whole / fan_out;
      end = node / fan_out;
    }
    while (level-- > 0)
      if (visit(level, left[level].begin, left[level].end)) return true;
    return false;
  }

  // Calls take(entry) for the entries [begin, end) of a node that match, from the last to the
  // first, until it returns true; returns whether it did.
  template <bool not_less, class Take>
  static bool for_each_match(const Key* keys, std::size_t begin, std::size_t end, Key key,
                             Take&& take) {
    if (begin >= end) return false;
    const std::size_t first = begin / fan_out * fan_out;
    std::uint32_t found =
        keys == nullptr ? ~std::uint32_t{0} : matching<not_less>(keys + first, key);
    found &= ~std::uint32_t{0} << (begin - first);
    found &= ~std::uint32_t{0} >> (32 - (end - first));
    while (found != 0) {
      const auto last = static_cast<std::size_t>(std::bit_width(found) - 1);
      found ^= std::uint32_t{1} << last;
      if (take(first + last)) return true;
    }
    return false;
  }

  // Depth first, from the last position to the first.
  template <bool not_less, class Take>
  [[nodiscard]] bool scan(std::size_t level, std::size_t begin, std::size_t end, Key key,
                          Take& take) const {
    return for_each_match<not_less>(
        keys_of<not_less>(level), begin, end, key, [&](std::size_t entry) {
          if (level == 0) return static_cast<bool>(take(entry));
          const std::size_t first = entry * fan_out;
          return scan<not_less>(level - 1, first,
                                std::min(first + fan_out, levels_[level - 1].size), key, take);
        });
  }

  // A bit for each of 16 keys that is not less, or not greater, than `key`.
  template <bool not_less>
  [[nodiscard]] static std::uint32_t matching(const Key* keys, Key key) {
    using Lane = std::make_signed_t<Key>;
    constexpr std::size_t lanes = 16 / sizeof(Key);  // of the vectors that every CPU has
    using Keys [[gnu::vector_size(16)]] = Key;
    using Bits [[gnu::vector_size(16)]] = Lane;
    Bits all = {};
    for (std::size_t part = 0; part < fan_out / lanes; ++part) {
      Keys some;
      std::memcpy(&some, keys + part * lanes, sizeof(some));
      Bits own;
      for (std::size_t lane = 0; lane < lanes; ++lane) own[lane] = Lane{1} << (part * lanes + lane);
      all |= own & (not_less ? some >= key : some <= key);
    }
    Lane found = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) found |= all[lane];
    return static_cast<std::uint32_t>(found);
  }

  static constexpr std::size_t max_levels = 9;  // 16^8 is 2^32

  Array<Key> ends_;
  Array<Key> greatest_;  // of the nodes of all levels
  Array<Key> least_;
  std::vector<Level> levels_;
  std::size_t nodes_ = 0;
};

}  // namespace rtindex
