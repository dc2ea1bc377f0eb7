#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "workload/neighbours.hpp"

namespace rtindex::bench {
namespace {

KeyArray keys_of(ExecutionSpace& space, const std::vector<std::uint64_t>& keys) {
  KeyArray array(space, 64, keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) array.set(i, keys[i]);
  return array;
}

// Tries every row.
std::uint64_t scanned(const std::vector<std::uint64_t>& column, std::uint64_t key,
                      const NearestOptions& nearest, bool grouped) {
  std::uint64_t best = miss_row;
  const auto distance = [&](std::uint64_t row) {
    return column[row] < key ? key - column[row] : column[row] - key;
  };
  for (std::uint64_t row = 0; row < column.size(); ++row) {
    const bool equal = column[row] == key;
    if (equal && !nearest.exact) continue;
    if (grouped && column[row] >> 32 != key >> 32) continue;
    const bool is_before = column[row] < key || (equal && nearest.direction != Direction::forward);
    if (nearest.direction == Direction::backward && !is_before) continue;
    if (nearest.direction == Direction::forward && column[row] < key) continue;
    // Before the key the last of equal rows counts, behind it the first; a tie goes before it.
    if (best == miss_row || distance(row) < distance(best) ||
        (distance(row) == distance(best) && is_before))
      best = row;
  }
  return best;
}

TEST(NeighbourOracle, AgreesWithAScan) {
  const std::unique_ptr<ExecutionSpace> space = host_space();
  std::vector<std::uint64_t> column, lookups;
  for (std::uint64_t i = 0; i < 200; ++i)
    column.push_back((i % 5) << 32 | (i * 7919 % 97 * 3));  // 97 keys a group, some repeated
  for (std::uint64_t i = 0; i < 300; ++i) lookups.push_back((i % 6) << 32 | (i * 31 % 320));
  const OrderedRows ordered(keys_of(*space, column));
  const KeyArray keys = keys_of(*space, lookups);
  for (const bool grouped : {false, true})
    for (const bool exact : {false, true})
      for (const Direction direction :
           {Direction::backward, Direction::forward, Direction::nearest}) {
        const NearestOptions nearest{.direction = direction, .exact = exact};
        const std::vector<std::uint64_t> rows =
            neighbour_rows(ordered, keys, nearest, grouped).to_host();
        for (std::size_t i = 0; i < lookups.size(); ++i)
          ASSERT_EQ(rows[i], scanned(column, lookups[i], nearest, grouped))
              << name_of(direction) << ", exact " << exact << ", grouped " << grouped << ", lookup "
              << i;
      }
}

TEST(NeighbourOracle, PairsHaveTheOrderOfTheirParts) {
  const std::unique_ptr<ExecutionSpace> space = host_space();
  KeyArray high(*space, 32, 2), low(*space, 32, 2);
  high.set(0, 1);
  high.set(1, 2);
  low.set(0, 0xffffffff);
  low.set(1, 0);
  const KeyArray pairs = paired(high, low);
  EXPECT_EQ(pairs[0], 0x1ffffffffU);
  EXPECT_EQ(pairs[1], 0x200000000U);
}

}  // namespace
}  // namespace rtindex::bench
