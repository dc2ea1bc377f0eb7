// Where lookups lie among sorted pairs, against a scan of the keys.

#include "engine/position_finder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/search.hpp"
#include "support/random.hpp"

namespace rtindex::test {
namespace {

class HalvingLocator final : public Locator<std::uint32_t> {
 public:
  void lower_bounds(const KeyOrder<std::uint32_t>& order, const std::uint32_t* keys,
                    std::size_t count, std::uint32_t* at, Counters*) const override {
    for (std::size_t i = 0; i < count; ++i)
      at[i] =
          partition_point(std::uint32_t{0}, static_cast<std::uint32_t>(order.size()),
                          [&](std::uint32_t position) { return order.key(position) < keys[i]; });
  }
  void save(FileWriter) const override {}
  [[nodiscard]] LocatorBytes bytes() const override { return {}; }
  [[nodiscard]] std::string describe() const override { return {}; }
};

class PositionFinders : public testing::Test {
 protected:
  PositionFinders() {
    Random random(3);
    for (std::size_t i = 0; i < 500; ++i)
      keys_.push_back(static_cast<std::uint32_t>(random.below(300)));
    keys_.insert(keys_.end(), 20, 77);  // a long run
    keys_.push_back(0);
    keys_.push_back(299);
    std::sort(keys_.begin(), keys_.end());
    const auto codec = KeyCodec::for_column(keys_);
    order_.emplace(codec->encode(keys_), *codec);
    for (std::size_t i = 0; i <= chunk_lookups; ++i) {
      const std::uint64_t lower = random.below(300);
      intervals_.push_back(random.one_in(5) ? empty_interval
                                            : Interval{lower, lower + random.below(40)});
    }
  }

  // The positions of the keys of an interval.
  [[nodiscard]] Match scanned(const Interval& interval) const {
    const auto count = [&](auto&& is_counted) {
      return static_cast<std::uint64_t>(std::count_if(keys_.begin(), keys_.end(), is_counted));
    };
    return {count([&](std::uint32_t key) { return key < interval.lower; }),
            count([&](std::uint32_t key) { return key <= interval.upper; })};
  }

  // Calls find(finder, intervals, count, found) for chunks of all sizes: it writes `count` matches,
  // each as wanted(interval), and none behind them.
  template <class Find, class Wanted>
  void expect_found(Find&& find, Wanted&& wanted) const {
    const HalvingLocator locator;
    const PositionFinder<std::uint32_t> finder(
        *order_, &locator, nullptr,
        {0, order_->span(), 0, static_cast<std::uint32_t>(order_->size())});
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{7}, chunk_lookups}) {
      std::vector<Match> found(count + 1, {1234, 5678});
      find(finder, intervals_.data(), count, found.data());
      for (std::size_t i = 0; i < count; ++i) {
        const Match right = intervals_[i].empty() ? Match{0, 0} : wanted(intervals_[i]);
        ASSERT_EQ(found[i].size(), right.size()) << i;
        if (right.size() != 0) {
          ASSERT_EQ(found[i].begin, right.begin) << i;
        }
      }
      ASSERT_EQ(found[count].begin, 1234U) << count;
      ASSERT_EQ(found[count].end, 5678U) << count;
    }
  }

  std::vector<std::uint32_t> keys_;
  std::optional<KeyOrder<std::uint32_t>> order_;
  std::vector<Interval> intervals_;
};

TEST_F(PositionFinders, FindRanges) {
  expect_found(
      [](const auto& finder, const Interval* intervals, std::size_t count, Match* found) {
        finder.find(QueryKind::range, false, intervals, count, found, nullptr);
      },
      [&](const Interval& interval) { return scanned(interval); });
}

TEST_F(PositionFinders, FindPoints) {
  for (Interval& interval : intervals_)
    if (!interval.empty()) interval.upper = interval.lower;
  for (const bool one_row : {false, true})
    expect_found(
        [&](const auto& finder, const Interval* intervals, std::size_t count, Match* found) {
          finder.find(QueryKind::equal, one_row, intervals, count, found, nullptr);
        },
        [&](const Interval& interval) {
          Match match = scanned(interval);
          if (one_row) match.end = std::min(match.end, match.begin + 1);
          return match;
        });
}

// From the first key of a range to the end of the column, or from its start to the last key.
TEST_F(PositionFinders, FindOneEnd) {
  for (const Edge edge : {Edge::first, Edge::last})
    expect_found(
        [&](const auto& finder, const Interval* intervals, std::size_t count, Match* found) {
          finder.find_one_end(edge, intervals, count, found, nullptr);
        },
        [&](const Interval& interval) {
          const Match match = scanned(interval);
          return edge == Edge::first ? Match{match.begin, keys_.size()} : Match{0, match.end};
        });
}

}  // namespace
}  // namespace rtindex::test
