// Descriptions of indexes, and their memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/description.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

class Describe : public testing::TestWithParam<std::string> {};

void expect_parts_to_add_up(const MemoryUsage& bytes) {
  std::size_t sum = 0;
  for (const auto& [name, size] : bytes.parts) {
    EXPECT_FALSE(name.empty());
    sum += size;
  }
  EXPECT_EQ(sum, bytes.resident);
  EXPECT_GE(bytes.build_peak, bytes.resident);
}

TEST_P(Describe, PartsAddUpOnEveryColumn) {
  for (const std::string& spec : specs_of(GetParam()))
    for (const Workload& workload : all_workloads()) {
      SCOPED_TRACE(spec + " on " + workload.name);
      const TestColumn column = workload.column();
      const Index index = build(column.view(), spec);
      expect_parts_to_add_up(index.memory_usage());
      const std::string text = index.describe();
      EXPECT_NE(text.find(index.spec().text()), std::string::npos) << text;
      EXPECT_EQ(described_numbers(index, "column", 1), DescribedNumbers{column.size()}) << text;
      EXPECT_EQ(described_numbers(index, "segments", 1), DescribedNumbers{1}) << text;
      EXPECT_TRUE(text.ends_with('\n'));
    }
}

TEST_P(Describe, MemoryGrowsWithTheColumnAndNotWithUpdates) {
  const std::vector<std::uint64_t> small(100, 7);
  std::vector<std::uint64_t> large(20000);
  std::vector<std::uint32_t> rows(large.size());
  for (std::size_t i = 0; i < large.size(); ++i) {
    large[i] = i * 1234567;
    rows[i] = static_cast<std::uint32_t>(i);
  }
  Index index = build(large, GetParam());
  const std::size_t before = index.memory_usage().resident;
  EXPECT_GT(before, build(small, GetParam()).memory_usage().resident);
  EXPECT_GE(before, large.size() * 4);
  for (int i = 0; i < 3; ++i) index.update(rows, large);
  expect_parts_to_add_up(index.memory_usage());
  EXPECT_LE(index.memory_usage().resident, before + before / 10);
  for (std::uint64_t& key : large) key -= key == 0 ? 0 : 1;
  large[0] = 5;  // a new minimum: the column is encoded anew
  index.update(rows, large);
  EXPECT_LE(index.memory_usage().resident, before + before / 10);
}

TEST(DescribePoints, NamesNullsOnlyWhereAValueIsNull) {
  std::vector<int> a(2000);
  std::iota(a.begin(), a.end(), 5);
  const std::vector<std::string> b(a.size(), "word");
  std::vector<std::uint8_t> valid(a.size() / 8, 0xff);
  valid[0] = 0x7f;
  for (const bool has_null : {false, true}) {
    const ColumnView second = b;
    Index index =
        build(ColumnView::points({a, has_null ? second.with_validity(valid.data()) : second}),
              "rx:native@cpu");
    index.erase(std::vector<std::uint32_t>{0, 10, 1999});
    index.merge();
    EXPECT_EQ(described(index, "column").find("with nulls") != std::string::npos, has_null)
        << index.describe();
    const std::vector<Condition> none(2);
    EXPECT_EQ(index.answer(Query::box(none), {.answers = Answer::count}).count()[0], 1997U);
    const auto nulls =
        index.answer(Query::box({{}, Condition::is_null()}), {.answers = Answer::count});
    EXPECT_EQ(nulls.count()[0], has_null ? 1U : 0U);
  }
}

// Strings that would be compared in full become ranks, here after the merge.
TEST(DescribePoints, NamesLongStrings) {
  const std::vector<int> a = {1, 2, 3, 4};
  const std::vector<std::string> b = {"Ulm", "Rome and Berlin", "Amsterdam (NL)", "12 zebras"};
  Index index = build(ColumnView::points({a, b}), "rx:native@cpu");
  EXPECT_NE(described(index, "column").find("string"), std::string::npos);
  index.erase(std::vector<std::uint32_t>{0});
  index.merge();
  EXPECT_NE(described(index, "column").find("string as ranks of the distinct values"),
            std::string::npos)
      << index.describe();
}

TEST(DescribeColumn, WritesKeysAsTheirTypeDoes) {
  const std::vector<std::int64_t> ticks = {-1, 86'400'000};
  const ColumnView times = ColumnView::timestamps(ticks, TimeUnit::millisecond);
  const ColumnView prices = ColumnView::decimals(Type::decimal64, ticks.data(), 2, 2);
  const std::string from_time =
      "timestamp64 from 1969-12-31T23:59:59.999 to 1970-01-02T00:00:00.000";
  const std::string from_price = "decimal64 from -0.01 to 864000.00";
  EXPECT_EQ(described(build(times), "column"), "2 rows, " + from_time);
  EXPECT_EQ(described(build(prices), "column"), "2 rows, " + from_price);
  EXPECT_EQ(described(build(ColumnView::points({times, prices}), "rx:native@cpu"), "column"),
            "2 rows, points of " + from_time + ", " + from_price);
}

INSTANTIATE_TEST_SUITE_P(Indexes, Describe, testing::ValuesIn(usable_indexes()),
                         [](const auto& item) { return test_name(item.param); });

TEST(Describe, SaysThatRefitDropsCompaction) {
  if (!is_available("rx:embree@cpu")) GTEST_SKIP() << "rx:embree is not available";
  const Index index = build(std::vector<int>{1, 2}, "rx:embree,update=refit,compact=on");
  EXPECT_EQ(index.spec().option("compact", ""), "off");
  const std::string compaction = described(index, "compaction");
  EXPECT_TRUE(compaction.starts_with("off")) << index.describe();
  EXPECT_NE(compaction.find("refit"), std::string::npos) << index.describe();
}

TEST(Describe, CountsTheRowDirectory) {
  const std::vector<std::uint64_t> sparse = {0, std::uint64_t{1} << 40, std::uint64_t{1} << 60};
  if (!is_available("rx:embree@cpu")) GTEST_SKIP() << "rx:embree is not available";
  auto directory = [](const Index& of) {
    for (const auto& [name, size] : of.memory_usage().parts)
      if (name == "row directory") return size;
    return std::size_t{0};
  };
  EXPECT_EQ(directory(build(sparse, "rx:embree")), 3 * sizeof(std::uint64_t));
  EXPECT_EQ(directory(build(sparse, "rx:embree,row_rays=all")), 0U);
}

TEST_P(Describe, ReportsSegmentsAndLiveRows) {
  std::vector<std::uint32_t> keys(100);
  std::iota(keys.begin(), keys.end(), 7U);
  Index index = build(keys, GetParam());
  EXPECT_EQ(described_numbers(index, "segments", 2), (DescribedNumbers{1, 100}))
      << index.describe();
  EXPECT_EQ(described(index, "rows"), "");
  index.insert(std::vector<std::uint32_t>{1, 2, 3});
  EXPECT_EQ(described_numbers(index, "column", 1), DescribedNumbers{103}) << index.describe();
  EXPECT_EQ(described_numbers(index, "segments", 3), (DescribedNumbers{2, 100, 3}))
      << index.describe();
  index.erase(std::vector<std::uint32_t>{5, 9});
  EXPECT_EQ(described_numbers(index, "rows", 3), (DescribedNumbers{101, 2, 0})) << index.describe();
  const MemoryUsage usage = index.memory_usage();
  EXPECT_TRUE(std::any_of(usage.parts.begin(), usage.parts.end(), [](const auto& part) {
    return part.first == "erased and null rows" && part.second > 0;
  }));
  std::size_t parts = 0;
  for (const auto& part : usage.parts) parts += part.second;
  EXPECT_EQ(parts, usage.resident);
  const std::uint8_t null = 0;
  index.update(std::vector<std::uint32_t>{0},
               ColumnView(std::vector<std::uint32_t>{0}).with_validity(&null));
  EXPECT_EQ(described_numbers(index, "rows", 3), (DescribedNumbers{100, 2, 1})) << index.describe();
  index.merge();
  EXPECT_EQ(described_numbers(index, "segments", 2), (DescribedNumbers{1, 100}))
      << index.describe();
  EXPECT_EQ(described_numbers(index, "rows", 3), (DescribedNumbers{100, 2, 1})) << index.describe();
}

TEST(Describe, SegmentsAreMergedOnceTheyAreLarge) {
  std::vector<std::uint32_t> keys(100);
  std::iota(keys.begin(), keys.end(), 7U);
  Index index = build(keys, "sorted@cpu");
  index.insert(std::vector<std::uint32_t>{1, 2, 3});
  index.insert(keys);
  EXPECT_EQ(described_numbers(index, "segments", 2), (DescribedNumbers{1, 203}))
      << index.describe();
}

TEST(Describe, CountsRepresentativesAndMarkers) {
  // The buckets end with 1, 3 and 2^46: two in the first row, one in the second plane.
  const std::vector<std::uint64_t> keys = {
      0, 1, 2, 3, std::uint64_t{1} << 23, std::uint64_t{1} << 46};
  for (const std::string tracer : {"rx:embree@cpu", "rx:optix@cuda"}) {
    if (!is_available(tracer)) continue;
    const Index index = build(keys, tracer + ",bucket=2,drop=0");
    // Buckets, their size, representatives, row markers and plane markers.
    EXPECT_EQ(described_numbers(index, "buckets", 5), (DescribedNumbers{3, 2, 3, 2, 2}))
        << index.describe();
    EXPECT_EQ(described(index, "dropped"), "");
    const Index short_keys = build(keys, tracer + ",bucket=2,drop=2");
    EXPECT_EQ(described_numbers(short_keys, "buckets", 3), (DescribedNumbers{3, 2, 2}))
        << short_keys.describe();
    EXPECT_EQ(described_numbers(short_keys, "dropped", 1), DescribedNumbers{2})
        << short_keys.describe();
    const auto parts = index.memory_usage().parts;
    EXPECT_TRUE(std::any_of(parts.begin(), parts.end(),
                            [](const auto& part) { return part.first == "markers"; }));
  }
}

TEST(Describe, CountsThePiecesOfAGrid) {
  const std::vector<std::string> usable = usable_indexes();
  if (std::find(usable.begin(), usable.end(), "rx:native@cuda") == usable.end())
    GTEST_SKIP() << "rx:native@cuda is not available";
  std::vector<std::uint64_t> keys(4000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = 2 * i;
  const std::string even = build(keys, "rx:native@cuda").describe();
  EXPECT_EQ(even.find("pieces"), std::string::npos) << even;
  keys.push_back(std::uint64_t{1} << 40);  // all others would share the first group
  const std::string crowded = build(keys, "rx:native@cuda").describe();
  EXPECT_NE(crowded.find(" pieces"), std::string::npos) << crowded;
}

TEST(Index, Moves) {
  Index a = build(std::vector<int>{5, 6});
  Index b = std::move(a);
  EXPECT_EQ(b.lookup(std::vector<int>{6}, Answer::first).first()[0], 1U);
  a = build(std::vector<int>{7});
  b = std::move(a);
  EXPECT_EQ(b.size(), 1U);
}

TEST(Index, DoesNotNeedTheColumnAfterTheBuild) {
  auto column = std::make_unique<std::vector<std::string>>(
      std::vector<std::string>{"a long common prefix 1", "a long common prefix 22222222222222"});
  const Index index = build(*column);
  column.reset();
  const std::vector<std::string> lookups = {"a long common prefix 22222222222222"};
  EXPECT_EQ(index.lookup(lookups, Answer::first).first()[0], 1U);
}

TEST(DescribeOrder, NamesTheRule) {
  const std::vector<std::uint32_t> keys = {3, 1, 2};
  const auto describes = [&](const std::string& spec, const std::string& rule) {
    const std::string text = build(keys, spec).describe();
    EXPECT_NE(text.find(rule), std::string::npos) << text;
  };
  describes("sorted@cpu", "fit a core's cache");
  describes("rx:native@cpu", "a lookup reads little memory");
  describes("btree@cpu", "a lookup reads little memory");
}

TEST(Plan, IsPrintedForEveryKindOfQuery) {
  const std::vector<std::string_view> keys = {"a", "b", "c"};
  const ColumnView column{std::span(keys)};
  Index index = build(column, "sorted@cpu");
  index.insert(column);
  for (const Query& query : {Query::equal(column), Query::range(column, column),
                             Query::prefix(column), Query::nearest(column)}) {
    std::string plan;
    static_cast<void>(index.answer(query, {.answers = Answer::any}, {.plan = &plan}));
    EXPECT_NE(plan.find("segment 0: "), std::string::npos) << plan;
    EXPECT_NE(plan.find("outputs: any\n"), std::string::npos) << plan;
    EXPECT_NE(plan.find("capturable: no"), std::string::npos) << plan;
  }
}

}  // namespace
}  // namespace rtindex::test
