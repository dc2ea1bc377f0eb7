// Neighbours among equal keys of which some rows are erased, against a scan.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/description.hpp"
#include "support/order_oracle.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint32_t repeats = 100;

// Keys 2, 4, ...: each in many rows, of which none, the first or last ones, all but one or all are
// erased.
class ErasedNeighbours : public testing::TestWithParam<std::string> {
 protected:
  ErasedNeighbours() {
    for (std::uint32_t row = 0; row < 40 * repeats; ++row) {
      keys_.push_back(2 + row / repeats * 2);
      const std::uint32_t key = row / repeats;
      const std::uint32_t nth = row % repeats;
      is_erased_.push_back((key % 6 == 1 && nth < 70) || (key % 6 == 2 && nth >= 30) ||
                           (key % 6 == 3 && nth != 50) || key % 6 == 4);
      if (is_erased_.back()) erased_.push_back(row);
    }
    // Others, so that few of all rows are erased and the index is not merged.
    for (std::uint32_t key = 1000; key < 50'000; ++key) keys_.push_back(key);
    is_erased_.resize(keys_.size());
  }

  [[nodiscard]] std::uint32_t neighbour(std::uint32_t of, Direction direction) const {
    std::uint32_t best = miss_row;
    for (std::uint32_t row = 0; row < keys_.size() && keys_[row] <= 1000; ++row) {
      if (is_erased_[row]) continue;
      if (direction == Direction::backward && keys_[row] <= of) best = row;
      if (direction == Direction::forward && keys_[row] >= of) return row;
    }
    return best;
  }

  std::vector<std::uint32_t> keys_;
  std::vector<bool> is_erased_;
  std::vector<std::uint32_t> erased_;
};

TEST_P(ErasedNeighbours, AreSkipped) {
  Index index = build(keys_, GetParam());
  if (!keeps_order(index)) GTEST_SKIP() << "keeps no order";
  index.erase(erased_);
  // They stay in the only segment, which has to skip them.
  ASSERT_EQ(described_numbers(index, "segments", 3),
            (DescribedNumbers{1, keys_.size(), erased_.size()}))
      << index.describe();
  std::vector<std::uint32_t> few;
  for (std::uint32_t key = 0; key < 90; ++key) few.push_back(key);
  std::vector<std::uint32_t> many;
  for (int i = 0; i < 50; ++i) many.insert(many.end(), few.begin(), few.end());
  for (const Direction direction : {Direction::backward, Direction::forward}) {
    const NearestOptions how{.direction = direction};
    std::vector<std::uint32_t> wanted;
    for (const std::uint32_t key : few) wanted.push_back(neighbour(key, direction));
    // For many lookups the positions of erased rows are made.
    for (const auto* const lookups : {&few, &many}) {
      const Answers found = index.nearest(*lookups, how);
      for (std::size_t i = 0; i < lookups->size(); ++i)
        ASSERT_EQ(found.any()[i], wanted[i % few.size()]) << (*lookups)[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Indexes, ErasedNeighbours, testing::ValuesIn(usable_indexes()),
                         [](const auto& item) { return test_name(item.param); });

TEST(NeighboursOfStrings, HaveNoPartOfAKeyThatIsTooFarAway) {
  const std::vector<std::string_view> names = {"x", "y"};
  const std::vector<std::int64_t> times = {10, 20};
  const Index index =
      build(ColumnView::composite({ColumnView(std::span(names)), ColumnView(times)}), "sorted@cpu");
  const std::vector<std::string_view> wanted = {"x", "y"};
  const std::vector<std::int64_t> at = {11, 99};
  const ColumnView keys = ColumnView::composite({ColumnView(std::span(wanted)), ColumnView(at)});
  const Answers found =
      index.answer(Query::nearest(keys, {.tolerance = std::int64_t{5}}), {.answers = Answer::key});
  const ColumnView found_keys = found.keys();
  EXPECT_TRUE(found_keys.valid(0));
  EXPECT_FALSE(found_keys.valid(1));
  for (const ColumnView& part : found_keys.parts()) EXPECT_FALSE(part.valid(1));
}

}  // namespace
}  // namespace rtindex::test
