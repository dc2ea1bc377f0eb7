#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "file/stored.hpp"

namespace rtindex {

// The ends of intervals in the order of their starts, with the greatest and the least end of every
// 16 of them, of every 16 of these and so on: finds the intervals of a range of positions whose end
// is on one side of a key, however long some of them are, without reading the others.
template <class Key>
class ExtentTree {
 public:
  static constexpr std::size_t fan_out = 16;

  ExtentTree() = default;
  explicit ExtentTree(Array<Key> ends) : ends_(std::move(ends)) {
    lay_out();
    greatest_ = Array<Key>(nodes_);
    least_ = Array<Key>(nodes_);
    for (std::size_t level = 1; level < levels_.size(); ++level) fill(level);
  }
  ExtentTree(const FileReader& file, std::size_t size) : ends_(file.array<Key>("ends", size)) {
    lay_out();
    greatest_ = file.array<Key>("greatest", nodes_);
    least_ = file.array<Key>("least", nodes_);
  }
  void save(FileWriter file) const {
    file.array("ends", ends_.span());
    file.array("greatest", greatest_.span());
    file.array("least", least_.span());
  }

  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return ends_.bytes() + greatest_.bytes() + least_.bytes();
  }

  // What a search that begins behind position `end` reads first.
  void prefetch_before(std::size_t end) const {
    if (end == 0) return;
    prefetch(ends_.data() + (end - 1));
    if (levels_.size() > 1) prefetch(greatest_.data() + levels_[1].first + (end - 1) / fan_out);
  }

  // Calls take(position) for the positions in [begin, end) whose end is not less than `key`, from
  // the last to the first, until it returns true; returns whether it did.
  template <class Take>
  bool visit_not_less(std::size_t begin, std::size_t end, Key key, Take&& take) const {
    const Search<Take, true> search{this, greatest_.data(), key, take};
    return search.run(begin, end);
  }
  // Those whose end is not greater.
  template <class Take>
  bool visit_not_greater(std::size_t begin, std::size_t end, Key key, Take&& take) const {
    const Search<Take, false> search{this, least_.data(), key, take};
    return search.run(begin, end);
  }

 private:
  // Of the nodes of a level: the first among those of all levels, and their number. Level 0 are the
  // ends.
  struct Level {
    std::size_t first;
    std::size_t size;
  };

  void lay_out() {
    levels_.push_back({0, ends_.size()});
    while (levels_.back().size > fan_out) {
      const std::size_t size = (levels_.back().size + fan_out - 1) / fan_out;
      levels_.push_back({nodes_, size});
      nodes_ += size;
    }
  }

  void fill(std::size_t level) {
    constexpr std::size_t grain = std::size_t{1} << 12;
    const std::size_t below = levels_[level - 1].size;
    const Key* const from_greatest =
        level == 1 ? std::as_const(ends_).data() : greatest_.data() + levels_[level - 1].first;
    const Key* const from_least =
        level == 1 ? std::as_const(ends_).data() : least_.data() + levels_[level - 1].first;
    parallel_for(levels_[level].size, grain, [&](std::size_t first, std::size_t count) {
      for (std::size_t node = first; node < first + count; ++node) {
        const std::size_t begin = node * fan_out;
        const std::size_t end = std::min(below, begin + fan_out);
        greatest_.data()[levels_[level].first + node] =
            *std::max_element(from_greatest + begin, from_greatest + end);
        least_.data()[levels_[level].first + node] =
            *std::min_element(from_least + begin, from_least + end);
      }
    });
  }

  // A search from right to left: up from the last position to nodes that lie left of it, and down
  // into those that have a match.
  template <class Take, bool not_less>
  struct Search {
    const ExtentTree* tree;
    const Key* nodes;
    Key key;
    Take& take;

    [[nodiscard]] bool run(std::size_t begin, std::size_t end) const {
      struct Part {
        std::size_t begin;
        std::size_t end;
      };
      std::array<Part, max_levels> left;  // of each level, what lies left of its first whole node
      std::size_t level = 0;
      for (;; ++level) {
        if (begin >= end) break;
        const std::size_t node = end / fan_out;
        const bool is_top = level + 1 == tree->levels_.size();
        if (is_top || node * fan_out <= begin) {
          if (scan(level, begin, end)) return true;
          break;
        }
        if (scan(level, node * fan_out, end)) return true;
        const std::size_t first_whole = (begin + fan_out - 1) / fan_out;
        left[level] = {begin, std::min(first_whole * fan_out, node * fan_out)};
        begin = first_whole;
        end = node;
      }
      while (level-- > 0)
        if (scan(level, left[level].begin, left[level].end)) return true;
      return false;
    }

    [[nodiscard]] bool matches(Key end) const { return not_less ? end >= key : end <= key; }

    // Entries [begin, end) of a level: at most the children of one node.
    [[nodiscard]] bool scan(std::size_t level, std::size_t begin, std::size_t end) const {
      const Key* const keys = level == 0 ? tree->ends_.data() : nodes + tree->levels_[level].first;
      while (end > begin) {
        if (!matches(keys[--end])) continue;
        if (level == 0) {
          if (take(end)) return true;
        } else {
          const std::size_t first = end * fan_out;
          const std::size_t last = std::min(first + fan_out, tree->levels_[level - 1].size);
          if (scan(level - 1, first, last)) return true;
        }
      }
      return false;
    }
  };

  static constexpr std::size_t max_levels = 9;  // 16^8 is 2^32

  Array<Key> ends_;
  Array<Key> greatest_;  // of the nodes of all levels
  Array<Key> least_;
  std::vector<Level> levels_;
  std::size_t nodes_ = 0;
};

}  // namespace rtindex
