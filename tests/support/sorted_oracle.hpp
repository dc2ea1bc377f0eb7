#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <rtindex/answer.hpp>

namespace rtindex::test {

// An oracle for large columns: a sorted list of (key, row), itself checked against the full scan on
// a small one. The value of a row is a function of the row.
class SortedOracle {
 public:
  template <class Key>
  SortedOracle(const std::vector<Key>& keys, const std::vector<bool>& valid) {
    for (std::size_t row = 0; row < keys.size(); ++row)
      if (valid[row]) pairs_.emplace_back(keys[row], static_cast<std::uint32_t>(row));
    std::sort(pairs_.begin(), pairs_.end());
    sums_.push_back(0);
    for (const auto& [key, row] : pairs_) sums_.push_back(sums_.back() + value_of_row(row));
  }
  template <class Key>
  explicit SortedOracle(const std::vector<Key>& keys)
      : SortedOracle(keys, std::vector<bool>(keys.size(), true)) {}

  [[nodiscard]] static std::uint32_t value_of_row(std::uint32_t row) { return row * 2654435761U; }
  [[nodiscard]] static std::vector<std::uint32_t> values_of_rows(std::size_t rows) {
    std::vector<std::uint32_t> values(rows);
    for (std::uint32_t row = 0; row < rows; ++row) values[row] = value_of_row(row);
    return values;
  }

  struct Expected {
    std::uint32_t count = 0;
    std::uint64_t sum = std::numeric_limits<std::uint64_t>::max();
    std::size_t begin = 0;
  };

  [[nodiscard]] Expected operator()(std::uint64_t lower, std::uint64_t upper) const {
    if (lower > upper) return {};
    const std::size_t from = rank(lower);
    const auto end = std::upper_bound(pairs_.begin(), pairs_.end(),
                                      std::pair{upper, std::numeric_limits<std::uint32_t>::max()});
    const auto to = static_cast<std::size_t>(end - pairs_.begin());
    if (from == to) return {};
    return {static_cast<std::uint32_t>(to - from), sums_[to] - sums_[from], from};
  }

  // The number of keys that are less.
  [[nodiscard]] std::size_t rank(std::uint64_t key) const {
    return static_cast<std::size_t>(
        std::lower_bound(pairs_.begin(), pairs_.end(), std::pair{key, 0U}) - pairs_.begin());
  }

  // The smallest row of a match.
  [[nodiscard]] std::uint32_t first(const Expected& expected) const {
    std::uint32_t row = miss_row;
    for (std::size_t i = 0; i < expected.count; ++i)
      row = std::min(row, pairs_[expected.begin + i].second);
    return row;
  }

 private:
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pairs_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace rtindex::test
