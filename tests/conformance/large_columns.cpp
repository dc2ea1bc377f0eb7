// Columns and batches of several blocks, pages and threads: what small columns never reach.

#include <gtest/gtest.h>

#include <algorithm>

#include <rtindex/rtindex.hpp>

#include "support/oracle.hpp"
#include "support/random.hpp"
#include "support/sorted_oracle.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

constexpr std::size_t rows = affordable(std::size_t{1} << 18) + 5;
constexpr std::size_t hits_in_all = affordable(std::size_t{1} << 18) + 77;
constexpr std::size_t range_lookups = affordable(5000);

Keys keys_of(const std::string& kind, Random& random) {
  Keys keys(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (kind == "dense") keys[i] = i + 1000;
    if (kind == "sparse") keys[i] = random.bits();
    if (kind == "nulls") keys[i] = random.bits() >> 32;
    if (kind == "clustered") keys[i] = random.one_in(10) ? random.bits() : random.bits() >> 50;
    if (kind == "duplicates") keys[i] = (i / 256) * 7919;
  }
  random.shuffle(keys);
  return keys;
}

using Case = std::tuple<std::string, std::string>;

class LargeColumns : public testing::TestWithParam<Case> {
 protected:
  LargeColumns() {
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (kind_ != "nulls" || !random_.one_in(3)) continue;
      valid_[row] = false;
      bitmap_[row / 8] = static_cast<std::uint8_t>(bitmap_[row / 8] & ~(1U << (row % 8)));
    }
  }

  [[nodiscard]] Index make_index() const {
    return build(ColumnView(keys_).with_validity(bitmap_.data()), std::get<0>(GetParam()));
  }

  void check_points(const Index& index) {
    Keys lookups(kind_ == "duplicates" ? hits_in_all / 32 : hits_in_all);
    for (std::uint64_t& key : lookups) key = random_.pick(keys_) + (random_.one_in(3) ? 1 : 0);
    compare(index.lookup(lookups, requested, values_), lookups, lookups);
  }

  void check_ranges(const Index& index) {
    Keys lower(range_lookups);
    Keys upper(range_lookups);
    Keys sorted = keys_;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < range_lookups; ++i) {
      const std::size_t at = random_.below(rows);
      lower[i] = sorted[at];
      upper[i] = sorted[std::min(at + random_.below(i % 50 == 0 ? 20000 : 60), rows - 1)];
    }
    compare(index.range(lower, upper, requested, values_), lower, upper);
  }

 private:
  static constexpr AnswerSet requested = Answer::count | Answer::sum | AnswerSet(Answer::first);

  void compare(const Answers& answers, const Keys& lower, const Keys& upper) const {
    const SortedOracle oracle(keys_, valid_);
    for (std::size_t i = 0; i < lower.size(); ++i) {
      const auto expected = oracle(lower[i], upper[i]);
      ASSERT_EQ(answers.count()[i], expected.count) << lower[i] << " to " << upper[i];
      ASSERT_EQ(answers.sum_as<std::uint64_t>()[i], expected.sum);
      if (expected.count < 1000) {
        ASSERT_EQ(answers.first()[i], oracle.first(expected)) << lower[i];
      }
    }
  }

  const std::string kind_ = std::get<1>(GetParam());
  Random random_{21};
  const Keys keys_ = keys_of(kind_, random_);
  std::vector<bool> valid_ = std::vector<bool>(rows, true);
  std::vector<std::uint8_t> bitmap_ = std::vector<std::uint8_t>((rows + 7) / 8, 0xff);
  std::vector<std::uint32_t> values_ = SortedOracle::values_of_rows(rows);
};

TEST_P(LargeColumns, AnswerLikeASortedList) {
  const Index index = make_index();
  check_points(index);
  if (index.supports(Answer::sum, QueryKind::range)) check_ranges(index);
}

INSTANTIATE_TEST_SUITE_P(Conformance, LargeColumns,
                         testing::Combine(testing::ValuesIn(usable_indexes()),
                                          testing::Values("dense", "sparse", "clustered",
                                                          "duplicates", "nulls")),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

TEST(SortedOracle, AgreesWithTheScan) {
  Random random(2);
  Keys keys(300);
  std::vector<Whole> wholes;
  for (std::uint64_t& key : keys) {
    key = random.below(200);
    wholes.push_back(static_cast<Whole>(key));
  }
  const SortedOracle oracle(keys);
  std::vector<Whole> lower;
  std::vector<Whole> upper;
  for (int i = 0; i < 500; ++i) {
    lower.push_back(random.between(0, 210));
    upper.push_back(random.between(0, 210));
  }
  const Matches matches = scan(integers(Type::u64, wholes).keys(),
                               ranges(integers(Type::u64, lower), integers(Type::u64, upper)));
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const auto expected =
        oracle(static_cast<std::uint64_t>(lower[i]), static_cast<std::uint64_t>(upper[i]));
    ASSERT_EQ(expected.count, matches[i].size());
    ASSERT_EQ(oracle.rank(static_cast<std::uint64_t>(lower[i])),
              std::count_if(keys.begin(), keys.end(),
                            [&](std::uint64_t key) { return static_cast<Whole>(key) < lower[i]; }));
    ASSERT_EQ(oracle.first(expected), matches[i].empty() ? miss_row : matches[i].front());
    std::uint64_t sum = matches[i].empty() ? ~std::uint64_t{0} : 0;
    for (const std::uint32_t row : matches[i]) sum += SortedOracle::value_of_row(row);
    ASSERT_EQ(expected.sum, sum);
  }
}

}  // namespace
}  // namespace rtindex::test
