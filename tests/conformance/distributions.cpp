// Keys distributed as in real columns, and as no one would wish them: every index against a sorted
// list. These columns bend, cut and refine the grids over sorted keys.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"
#include "support/sorted_oracle.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"
#include "workload/distributions.hpp"

namespace rtindex::test {
namespace {

using Keys = std::vector<std::uint64_t>;

constexpr std::uint64_t one = 1;
constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();

// Clusters of clusters of clusters of clusters, each 2^12 times as narrow as the one around it.
Keys nested_clusters(Random& random) {
  Keys keys;
  Keys bases = {random.bits() >> 8};
  for (int level = 0; level < 4; ++level) {
    Keys inner;
    for (const std::uint64_t base : bases)
      for (int i = 0; i < 11; ++i) inner.push_back(base + random.below(one << (54 - 12 * level)));
    keys.insert(keys.end(), inner.begin(), inner.end());
    bases = std::move(inner);
  }
  return keys;
}

Keys powers_of_two(Random&) {
  Keys keys = {0, greatest};
  for (int bit = 0; bit < 64; ++bit)
    for (std::uint64_t beside = 0; beside < 32; ++beside) keys.push_back((one << bit) + beside);
  return keys;
}

Keys equal_but_two(Random&) {
  Keys keys(3000, one << 40);
  keys.front() = 7;
  keys.back() = greatest - 7;
  return keys;
}

// 64 consecutive keys each, anywhere.
Keys far_runs(Random& random) {
  Keys keys;
  for (std::size_t run = 0; run < affordable(300); ++run) {
    const std::uint64_t start = random.bits() >> 1;
    for (std::uint64_t i = 0; i < 64; ++i) keys.push_back(start + i);
  }
  return keys;
}

Keys both_ends_and_a_block(Random&) {
  Keys keys = {0, greatest};
  for (std::uint64_t i = 0; i < affordable(20000); ++i) keys.push_back((one << 63) + i);
  return keys;
}

// Each a thousandth greater than the one before.
Keys geometric(Random&) {
  Keys keys;
  double key = 1000;
  while (key < 1.8e19) {
    keys.push_back(static_cast<std::uint64_t>(key));
    key *= 1.001;
  }
  return keys;
}

Keys distributed(bench::Distribution distribution, std::size_t size, int bits) {
  const std::unique_ptr<bench::ExecutionSpace> space = bench::host_space();
  return bench::distributed_keys(*space, distribution, affordable(size), bits, 1).to_host();
}

struct NamedKeys {
  std::function<Keys(Random&)> make;
  int bits = 64;
};

const std::map<std::string, NamedKeys>& columns() {
  static const std::map<std::string, NamedKeys> all = [] {
    std::map<std::string, NamedKeys> made = {
        {"nested_clusters", {nested_clusters}}, {"powers_of_two", {powers_of_two}},
        {"equal_but_two", {equal_but_two}},     {"far_runs", {far_runs}},
        {"both_ends", {both_ends_and_a_block}}, {"geometric", {geometric}}};
    for (const bench::Distribution distribution : bench::distributions()) {
      const std::string name = test_name(bench::name_of(distribution));
      made[name + "_64"] = {[=](Random&) { return distributed(distribution, 70'000, 64); }, 64};
      made[name + "_32"] = {[=](Random&) { return distributed(distribution, 15'000, 32); }, 32};
      made[name + "_few"] = {[=](Random&) { return distributed(distribution, 2'000, 64); }, 64};
    }
    return made;
  }();
  return all;
}

using Case = std::tuple<std::string, std::string>;

// Indexes that trace a ray for a lookup have no grid, and take a second for what others do in
// milliseconds: they get the short columns only.
bool traces_rays(const std::string& spec) {
  return spec.starts_with("rx:embree") || spec.starts_with("rx:optix");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& spec : usable_indexes())
    for (const auto& [name, keys] : columns())
      if (!traces_rays(spec) || name.ends_with("_few")) all.emplace_back(spec, name);
  return all;
}

// Lookups in 64 bits, in columns of 32 or 64.
class SkewedColumn {
 public:
  SkewedColumn(Keys keys, int bits) : keys_(std::move(keys)), bits_(bits) {
    if (bits_ == 32) narrow_.assign(keys_.begin(), keys_.end());
    distinct_ = keys_;
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  }

  [[nodiscard]] ColumnView rows(std::size_t first, std::size_t count) const {
    if (bits_ == 32) return {std::span(narrow_).subspan(first, count)};
    return {std::span(keys_).subspan(first, count)};
  }
  [[nodiscard]] ColumnView view() const { return rows(0, keys_.size()); }
  [[nodiscard]] const Keys& keys() const { return keys_; }

  // About `count` keys, each with its neighbours and the middle of the gap behind it; the ends.
  [[nodiscard]] Keys points(std::size_t count, Random& random) const {
    Keys points = {0, 1, greatest, greatest - 1, distinct_.front(), distinct_.back()};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = random.below(distinct_.size());
      const std::uint64_t key = distinct_[at];
      const std::uint64_t next = at + 1 < distinct_.size() ? distinct_[at + 1] : greatest;
      for (const std::uint64_t point : {key, key - 1, key + 1, key + (next - key) / 2, next})
        points.push_back(point);
    }
    return points;
  }

  // Ranges over few keys, over gaps and now and then over many keys.
  struct Ranges {
    Keys lower, upper;
  };
  [[nodiscard]] Ranges ranges(std::size_t count, Random& random) const {
    Ranges ranges{{0, distinct_.back(), 5}, {greatest, greatest, 4}};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = random.below(distinct_.size());
      const std::size_t to =
          std::min(at + random.below(i % 100 == 0 ? 3000 : 40), distinct_.size() - 1);
      ranges.lower.push_back(distinct_[at] + random.below(2));
      ranges.upper.push_back(distinct_[to] - random.below(2));
    }
    return ranges;
  }

 private:
  Keys keys_;
  int bits_;
  std::vector<std::uint32_t> narrow_;
  Keys distinct_;
};

class Distributions : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static const std::string& spec() { return std::get<0>(GetParam()); }
  [[nodiscard]] const SkewedColumn& column() const { return column_; }

  void check(const Index& index) {
    const std::size_t samples = traces_rays(spec()) ? 60 : affordable(600);
    const Keys points = column_.points(samples, random_);
    compare(index.lookup(points, requested, values_), points, points);
    if (!index.supports(Answer::sum, QueryKind::range)) return;
    const auto [lower, upper] = column_.ranges(samples, random_);
    compare(index.range(lower, upper, requested, values_), lower, upper);
    const std::vector<std::uint32_t> ranks = index.rank(points);
    for (std::size_t i = 0; i < points.size(); ++i)
      ASSERT_EQ(ranks[i], oracle_.rank(points[i])) << points[i];
  }

 private:
  static constexpr AnswerSet requested =
      Answer::any | Answer::count | Answer::sum | AnswerSet(Answer::first);

  static SkewedColumn made(const NamedKeys& named, Random& random) {
    Keys keys = named.make(random);
    random.shuffle(keys);
    return {std::move(keys), named.bits};
  }

  void compare(const Answers& answers, const Keys& lower, const Keys& upper) const {
    for (std::size_t i = 0; i < lower.size(); ++i) {
      const auto expected = oracle_(lower[i], upper[i]);
      ASSERT_EQ(answers.count()[i], expected.count) << lower[i] << " to " << upper[i];
      ASSERT_EQ(answers.sum_as<std::uint64_t>()[i], expected.sum) << lower[i] << " to " << upper[i];
      ASSERT_EQ(answers.first()[i], oracle_.first(expected)) << lower[i] << " to " << upper[i];
      const std::uint32_t any = answers.any()[i];
      if (expected.count == 0) {
        ASSERT_EQ(any, miss_row);
      } else {
        ASSERT_LT(any, column_.keys().size());
        ASSERT_TRUE(lower[i] <= column_.keys()[any] && column_.keys()[any] <= upper[i]);
      }
    }
  }

  Random random_{33};
  const SkewedColumn column_ = made(columns().at(std::get<1>(GetParam())), random_);
  const SortedOracle oracle_{column_.keys()};
  const std::vector<std::uint32_t> values_ = SortedOracle::values_of_rows(column_.keys().size());
};

TEST_P(Distributions, AnswerLikeASortedList) { check(build(column().view(), spec())); }

// A main structure and a delta, and what both are merged into.
TEST_P(Distributions, AnswerLikeItAfterInserts) {
  if (!spec().starts_with("rx:native") && !spec().starts_with("sorted"))
    GTEST_SKIP() << "has no grid";
  const std::size_t size = column().keys().size();
  const std::size_t first = size - size / 10;
  Index index = build(column().rows(0, first), spec());
  ASSERT_EQ(index.insert(column().rows(first, size - first)), first);
  check(index);
  index.merge();
  check(index);
}

INSTANTIATE_TEST_SUITE_P(Conformance, Distributions, testing::ValuesIn(cases()),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

}  // namespace
}  // namespace rtindex::test
