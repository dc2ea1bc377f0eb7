// The grid that GPUs build, made on the host by the same functions.
#include "kinds/grid/grid_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace rtindex::test {
namespace {

// The cells of keys in key order, which lie at positions from `begin` on.
struct Marked {
  std::vector<GridGroup> groups;
  std::vector<std::uint32_t> ends;
};

Marked mark(const std::vector<std::uint64_t>& cells, std::uint32_t begin, std::size_t groups) {
  // Bytes that no key writes must not affect the result.
  GridGroup dirty{};
  std::memset(&dirty, 0xa5, sizeof(dirty));
  Marked marked{std::vector<GridGroup>(groups, dirty), std::vector<std::uint32_t>(groups, 0)};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size();
    mark_key(
        {cells[i], last ? 0 : cells[i + 1], i == 0, last}, begin + static_cast<std::uint32_t>(i),
        [&](std::uint64_t group, std::uint32_t j, std::uint32_t end) {
          ASSERT_LT(j, GridGroup::cells);
          marked.groups.at(group).bounds[j + 1] = static_cast<std::uint8_t>(end);
        },
        [&](std::uint64_t group, std::uint32_t end) { marked.ends.at(group) = end; });
  }
  std::uint32_t latest = begin;
  for (std::size_t group = 0; group < groups; ++group) {
    const std::uint32_t group_begin = latest;
    latest = std::max(latest, marked.ends[group]);
    marked.groups[group] = finished_group(marked.groups[group], group_begin, latest);
  }
  return marked;
}

void expect_right(const std::vector<std::uint64_t>& cells, std::uint32_t begin,
                  std::size_t groups) {
  const Marked marked = mark(cells, begin, groups);
  const auto position = [&](std::uint64_t cell) {
    const auto at = std::lower_bound(cells.begin(), cells.end(), cell);
    return begin + static_cast<std::uint32_t>(at - cells.begin());
  };
  for (std::size_t group = 0; group < groups; ++group) {
    GroupWords words{};
    std::memcpy(&words, &marked.groups[group], sizeof(words));
    const std::uint64_t first = group * GridGroup::cells;
    ASSERT_EQ(words.begin(), position(first)) << group;
    const std::uint32_t end = position(first + GridGroup::cells);
    if (end - words.begin() > GridGroup::max_keys) {
      ASSERT_EQ(words.kind(), GridGroup::Kind::search) << group;
      ASSERT_EQ(words.end(), end) << group;
      continue;
    }
    ASSERT_EQ(words.kind(), GridGroup::Kind::cells) << group;
    for (std::uint32_t j = 0; j <= GridGroup::cells; ++j)
      ASSERT_EQ(words.begin() + words.bound(j), position(first + j)) << group << ", cell " << j;
  }
}

TEST(GridMarks, OneKey) {
  for (std::uint64_t cell = 0; cell < std::uint64_t{3} * GridGroup::cells; ++cell)
    expect_right({cell}, 7, 3);
}

TEST(GridMarks, KeysApartByWholeGroups) {
  expect_right({0, 5, 5 + 4 * GridGroup::cells, 20 * GridGroup::cells - 1}, 1000, 20);
}

TEST(GridMarks, GroupsOfTheMostKeysAndOfOneMore) {
  for (const std::size_t keys : {std::size_t{GridGroup::max_keys}, std::size_t{256}}) {
    std::vector<std::uint64_t> cells(keys, 3);
    cells.push_back(GridGroup::cells + 1);
    expect_right(cells, 200, 3);
  }
}

TEST(GridMarks, RandomKeys) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    const std::size_t groups = 1 + random() % 40;
    const std::size_t limit = 1 + random() % (groups * GridGroup::cells);
    std::vector<std::uint64_t> cells(1 + random() % (groups * 120));
    for (std::uint64_t& cell : cells) cell = random() % limit;
    std::sort(cells.begin(), cells.end());
    expect_right(cells, static_cast<std::uint32_t>(random() % 5000), groups);
  }
}

}  // namespace
}  // namespace rtindex::test
