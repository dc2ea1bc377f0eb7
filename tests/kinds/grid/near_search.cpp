#include "kinds/grid/near_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace rtindex::test {
namespace {

// Sorted keys with rows, as a GPU has them: padded by keys that mean "none".
template <class Key, std::uint32_t step_keys>
struct HostOrder {
  static constexpr std::uint32_t step = step_keys;
  struct Step {
    Key keys[step];
    std::uint32_t rows[step];
  };
  std::vector<Key> keys;
  mutable std::size_t reads = 0;

  [[nodiscard]] Step read(std::uint32_t number) const {
    ++reads;
    const std::uint32_t at = number * step;
    EXPECT_LT(at, keys.size());
    Step found{};
    for (std::uint32_t i = 0; i < step; ++i) {
      const bool real = at + i < keys.size();
      found.keys[i] = real ? keys[at + i] : static_cast<Key>(~Key{0});
      found.rows[i] = real ? 1000 + at + i : miss_row;
    }
    return found;
  }
};

// The keys before and behind a key, which is there `equal` times from position `less` on.
template <class Order, class Key>
void expect_neighbours(const Order& order, std::uint32_t begin, std::uint32_t end,
                       std::uint32_t guess, Key key, std::uint32_t less, std::uint32_t equal) {
  const auto size = static_cast<std::uint32_t>(order.keys.size());
  const auto expect_at = [&](const cuda::Neighbour<Key>& found, std::uint32_t position,
                             bool is_there) {
    ASSERT_EQ(found.position, is_there ? position : miss_row)
        << "key " << key << " in [" << begin << ", " << end << ") from " << guess;
    ASSERT_EQ(found.row, is_there ? 1000 + position : miss_row);
    if (is_there) {
      ASSERT_EQ(found.key, order.keys[position]);
    }
  };
  for (const bool unique : {false, true}) {
    if (unique && equal > 1) continue;
    const std::uint32_t behind = less + equal;
    expect_at(last_near(order, begin, end, guess, key, unique), behind - 1, behind != 0);
    expect_at(first_near(order, begin, end, guess, key, unique, size), less, less != size);
  }
}

// Looks a key up in cells around it, from every guess. Of duplicates no row is requested.
template <class Order, class Key>
void expect_found(const Order& order, Key key) {
  const auto [first, behind] = std::equal_range(order.keys.begin(), order.keys.end(), key);
  const auto less = static_cast<std::uint32_t>(first - order.keys.begin());
  const auto equal = static_cast<std::uint32_t>(behind - first);
  const auto size = static_cast<std::uint32_t>(order.keys.size());
  const std::uint32_t place = equal == 0 ? miss_row : less;
  const std::uint32_t row = equal == 0 ? miss_row : 1000 + less;
  for (const std::uint32_t before : {0U, 1U, 5U, 20U})
    for (const std::uint32_t after : {0U, 1U, 5U, 20U}) {
      const std::uint32_t begin = less - std::min(before, less);
      const std::uint32_t end = std::min(size, less + equal + after);
      if (begin == end) {
        ASSERT_EQ(row_near(order, begin, end, begin, key), miss_row);
        ASSERT_EQ(position_near(order, begin, end, begin, key), miss_row);
        ASSERT_EQ(lower_near(order, begin, end, begin, key), end);
        expect_neighbours(order, begin, end, begin, key, less, equal);
      }
      for (std::uint32_t guess = begin; guess < end; ++guess) {
        ASSERT_EQ(lower_near(order, begin, end, guess, key), less)
            << "key " << key << " in [" << begin << ", " << end << ") from " << guess;
        expect_neighbours(order, begin, end, guess, key, less, equal);
        if (equal > 1) continue;
        ASSERT_EQ(row_near(order, begin, end, guess, key), row)
            << "key " << key << " in [" << begin << ", " << end << ") from " << guess;
        ASSERT_EQ(position_near(order, begin, end, guess, key), place)
            << "key " << key << " in [" << begin << ", " << end << ") from " << guess;
      }
    }
}

// Keys that are 0..gap apart.
template <class Key, std::uint32_t step>
void test_all(std::size_t size, Key min_gap, Key gap) {
  HostOrder<Key, step> order;
  std::mt19937_64 random(size);
  Key key = static_cast<Key>(random() % 3);
  for (std::size_t i = 0; i < size; ++i) {
    order.keys.push_back(key);
    key = static_cast<Key>(key + min_gap + random() % gap);
  }
  // The greatest key of all looks like what stands behind the last one.
  if (size % 2 == 0) order.keys.back() = static_cast<Key>(~Key{0});
  for (const Key there : order.keys)
    for (const int off : {-1, 0, 1}) expect_found(order, static_cast<Key>(there + off));
  expect_found(order, static_cast<Key>(~Key{0}));
}

TEST(NearSearch, FindsEveryKeyFromEveryGuess) {
  for (const std::size_t size : {1, 2, 4, 5, 6, 15, 16, 17, 100}) {
    test_all<std::uint32_t, 2>(size, 1, 3);
    test_all<std::uint64_t, 5>(size, 1, std::uint64_t{1} << 40);
  }
}

TEST(NearSearch, FindsTheFirstOfEqualKeys) {
  for (const std::size_t size : {2, 5, 16, 100}) {
    test_all<std::uint32_t, 2>(size, 0, 2);
    test_all<std::uint64_t, 5>(size, 0, 2);
  }
}

TEST(NearSearch, ReadsOnceIfTheGuessIsRight) {
  HostOrder<std::uint32_t, 5> order;
  for (std::uint32_t key = 0; key < 64; ++key) order.keys.push_back(2 * key);
  ASSERT_EQ(row_near(order, 3, 40, 17, 34U), 1017U);
  EXPECT_EQ(order.reads, 1U);
  // A key that would stand among those read is not looked for elsewhere.
  ASSERT_EQ(row_near(order, 3, 40, 17, 35U), miss_row);
  EXPECT_EQ(order.reads, 2U);
}

}  // namespace
}  // namespace rtindex::test
