#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"
#include "support/temporary_folder.hpp"

namespace rtindex::test {

// Where an index in key order finds keys, before and after it was saved: against std::lower_bound.
template <class Key>
void expect_lower_bounds(const std::vector<Key>& column, const std::string& spec) {
  std::vector<Key> sorted = column;
  std::sort(sorted.begin(), sorted.end());
  // Every key, the numbers beside it, and both ends of the type.
  constexpr Key least = std::numeric_limits<Key>::min();
  constexpr Key greatest = std::numeric_limits<Key>::max();
  std::vector<Key> lookups = {least, least + 1, greatest - 1, greatest};
  for (const Key key : column) {
    lookups.push_back(key);
    if (key != least) lookups.push_back(key - 1);
    if (key != greatest) lookups.push_back(key + 1);
  }
  const auto check = [&](const Index& index) {
    const std::vector<std::uint32_t> ranks = index.rank(lookups);
    const Answers equal = index.lookup(lookups, Answer::count | Answer::first);
    const Answers above =
        index.range(lookups, std::vector<Key>(lookups.size(), greatest), Answer::count);
    for (std::size_t i = 0; i < lookups.size(); ++i) {
      const auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), lookups[i]);
      const auto lower = static_cast<std::size_t>(begin - sorted.begin());
      const auto first = static_cast<std::uint32_t>(
          std::find(column.begin(), column.end(), lookups[i]) - column.begin());
      ASSERT_EQ(ranks[i], lower) << spec << ": " << lookups[i];
      ASSERT_EQ(equal.count()[i], static_cast<std::size_t>(end - begin)) << lookups[i];
      ASSERT_EQ(equal.first()[i], begin == end ? miss_row : first) << lookups[i];
      ASSERT_EQ(above.count()[i], column.size() - lower) << spec << ": " << lookups[i];
    }
  };
  const Index index = build(column, spec);
  check(index);
  const TemporaryFolder folder;
  index.save(folder.path() / "saved");
  check(load(folder.path() / "saved"));
}

// The column stored without rowIDs, which is sorted, and with them.
template <class Key>
void expect_lower_bounds_in_both_layouts(std::vector<Key> column, const std::string& spec) {
  std::sort(column.begin(), column.end());
  expect_lower_bounds(column, spec);
  Random random(7);
  random.shuffle(column);
  expect_lower_bounds(column, spec);
}

// `size` keys from one end of the type to the other.
template <class Key>
[[nodiscard]] std::vector<Key> spread_keys(std::size_t size) {
  std::vector<Key> keys;
  const Key step = size < 2 ? Key{1} : std::numeric_limits<Key>::max() / static_cast<Key>(size - 1);
  for (std::size_t i = 0; i < size; ++i) keys.push_back(static_cast<Key>(i) * step);
  if (size > 1) keys.back() = std::numeric_limits<Key>::max();
  return keys;
}

}  // namespace rtindex::test
