// Work that calls count on request.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

namespace rtindex::test {
namespace {

std::vector<std::uint64_t> even_keys(std::size_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = 2 * (i * 7919 % count);
  return keys;
}

Counters work_of(const Index& index, const std::vector<std::uint64_t>& lookups,
                 AnswerSet answers = Answer::count) {
  Counters counters;
  const Answers found =
      index.answer(Query::equal(lookups), {.answers = answers}, {.counters = &counters});
  EXPECT_EQ(found.size(), lookups.size());
  return counters;
}

Counters work_of_range(const Index& index, std::uint64_t lower, std::uint64_t upper) {
  Counters counters;
  const std::vector<std::uint64_t> low = {lower};
  const std::vector<std::uint64_t> high = {upper};
  static_cast<void>(
      index.answer(Query::range(low, high), {.answers = Answer::count}, {.counters = &counters}));
  return counters;
}

bool can_use(const std::string& spec) {
  for (const IndexInfo& entry : indexes())
    if (entry.available && entry.spec.starts_with(spec)) return true;
  return false;
}

// The tracers of the paper's rays that this machine has.
class RayCounters : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!can_use(GetParam())) GTEST_SKIP() << GetParam() << " is not available";
  }
  [[nodiscard]] static Index made(const std::string& options,
                                  const std::vector<std::uint64_t>& keys) {
    return build(keys, GetParam() + options);
  }
};

TEST_P(RayCounters, APerpendicularRayPerLookupAndAHitPerMatch) {
  const auto keys = even_keys(1000);
  for (const std::string primitive : {"triangle", "aabb"}) {
    const Index index = made(",primitive=" + primitive, keys);
    EXPECT_EQ(work_of(index, keys).rays, 1000U);
    EXPECT_EQ(work_of(index, keys).hits, 1000U);
    std::vector<std::uint64_t> misses = keys;
    for (std::uint64_t& key : misses) key += key == 1998 ? 0 : 1;
    EXPECT_EQ(work_of(index, misses).rays, 1000U);
    EXPECT_EQ(work_of(index, misses).hits, 1U);
  }
}

// A ray may hit a sphere at its exit as well.
TEST_P(RayCounters, ASphereIsHitAtLeastOnce) {
  const auto keys = even_keys(1000);
  const Counters work = work_of(made(",primitive=sphere", keys), keys);
  EXPECT_EQ(work.rays, 1000U);
  EXPECT_GE(work.hits, 1000U);
  EXPECT_LT(work.hits, std::uint64_t{1} << 32);
}

TEST_P(RayCounters, BeyondTheColumnNoRayIsCast) {
  const Index index = made("", even_keys(100));
  EXPECT_EQ(work_of(index, {1000, 2000}), Counters{});
}

TEST_P(RayCounters, ARangeCastsARayPerRow) {
  const auto keys = even_keys(1024);  // 0..2046: 32 rows of 64 places
  const Index index = made(",bits=6+23+23,row_rays=all", keys);
  EXPECT_EQ(work_of_range(index, 0, 63).rays, 1U);
  EXPECT_EQ(work_of_range(index, 10, 300).rays, 5U);
  EXPECT_EQ(work_of_range(index, 0, 2046).rays, 32U);
  EXPECT_EQ(work_of_range(index, 0, 2046).hits, 1024U);
  EXPECT_EQ(work_of_range(index, 9, 5), Counters{});
}

TEST_P(RayCounters, OnlyOccupiedRowsGetARayUnlessAllAreRequested) {
  constexpr std::uint64_t last_row = std::uint64_t{64} * 99;
  const std::vector<std::uint64_t> keys = {0, 1, last_row, last_row + 1};
  EXPECT_EQ(work_of_range(made(",bits=6+23+23", keys), 0, last_row + 1).rays, 2U);
  EXPECT_EQ(work_of_range(made(",bits=6+23+23,row_rays=all", keys), 0, last_row + 1).rays, 100U);
}

TEST_P(RayCounters, ARayFromZeroTestsMoreBoxesThanAPerpendicularOne) {
  const auto keys = even_keys(4096);
  const Counters across = work_of(made(",primitive=aabb", keys), keys);
  const Counters along = work_of(made(",primitive=aabb,point=zero", keys), keys);
  EXPECT_GE(across.tested, across.hits);
  EXPECT_GE(along.tested, across.tested);
  EXPECT_EQ(along.rays, across.rays);
  EXPECT_EQ(along.hits, across.hits);
}

TEST_P(RayCounters, OneHitEndsARayThatNeedsNoMore) {
  const std::vector<std::uint64_t> equal(50, 7);
  const Index index = made("", equal);
  EXPECT_EQ(work_of(index, {7}, Answer::any).hits, 1U);
  EXPECT_EQ(work_of(index, {7}, Answer::count).hits, 50U);
}

TEST_P(RayCounters, CollectingRowsCountsOnce) {
  const auto keys = even_keys(500);
  const Index index = made("", keys);
  EXPECT_EQ(work_of(index, keys, Answer::rows).rays, 500U);
}

// Two planes of four rows of eight places, with keys in the first and the last row.
TEST_P(RayCounters, BucketsNeedOneToThreeRaysPerEnd) {
  const Index index = made(",bits=3+2+1,bucket=2,drop=0", {0, 1, 2, 3, 58, 59});
  EXPECT_EQ(work_of(index, {2}).rays, 1U);   // along its row
  EXPECT_EQ(work_of(index, {5}).rays, 3U);   // and past the rows, and past the planes
  EXPECT_EQ(work_of(index, {33}).rays, 2U);  // and past the rows, to the last one
  EXPECT_EQ(work_of(index, {58}).rays, 1U);
  EXPECT_EQ(work_of(index, {100}), Counters{});
  EXPECT_EQ(work_of_range(index, 1, 2).rays, 2U);
  EXPECT_EQ(work_of_range(index, 1, 2).hits, 2U);
  EXPECT_EQ(work_of_range(index, 1, 59).rays, 1U);  // nothing is behind its end
  EXPECT_EQ(work_of_range(index, 0, 59).rays, 0U);  // nor before its begin
  EXPECT_EQ(work_of_range(index, 0, 59).hits, 6U);
}

// Keys 2^40 apart have rows of their own; without the low bits, which are equal in all of them,
// they share one.
TEST_P(RayCounters, SparseBucketsNeedOneRayPerEnd) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(i << 40);
  const auto rays_with = [&](const std::string& drop) {
    return work_of(made(",bucket=4,drop=" + drop, keys), keys).rays;
  };
  EXPECT_GT(rays_with("0"), 1500U);
  EXPECT_LE(rays_with("auto"), 1000U);
  EXPECT_LE(rays_with("40"), 1000U);
}

INSTANTIATE_TEST_SUITE_P(Counters, RayCounters, testing::Values("rx:embree", "rx:optix"),
                         [](const auto& item) { return item.param.substr(3); });

// Of rx:optix alone; on lookups from the host, in one launch and in several.
TEST(RayTimes, AreMeasuredByOptix) {
  const auto keys = even_keys(3000);
  double milliseconds = -1;
  const AnswerOptions options{.answers = Answer::count | Answer::rows};
  const Diagnostics timed{.ray_ms = &milliseconds};
  for (const IndexInfo& entry : indexes()) {
    if (!entry.available) continue;
    const Index index = build(keys, entry.spec);
    milliseconds = -1;
    if (!entry.spec.starts_with("rx:optix")) {
      try {
        static_cast<void>(index.answer(Query::equal(keys), options, timed));
        ADD_FAILURE() << entry.spec << " must reject";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("use rx:optix"), std::string::npos);
      }
      EXPECT_EQ(milliseconds, -1);
      continue;
    }
    for (const std::string buckets : {"", ",bucket=16"}) {
      const Index optix = build(keys, entry.spec + buckets);
      const Answers answers = optix.answer(Query::equal(keys), options, timed);
      EXPECT_EQ(answers.count()[7], 1U);
      EXPECT_GT(milliseconds, 0) << buckets;
      EXPECT_LT(milliseconds, 10'000) << buckets;
      milliseconds = 1e6;
      static_cast<void>(optix.answer(Query::equal(keys), options, timed));
      EXPECT_LT(milliseconds, 10'000) << "a time starts anew with each call";
      static_cast<void>(optix.answer(Query::equal(std::vector<std::uint64_t>{}), options, timed));
      EXPECT_EQ(milliseconds, 0) << buckets;
    }
  }
}

class NativeCounters : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!can_use(GetParam())) GTEST_SKIP() << GetParam() << " is not available";
  }
};

TEST_P(NativeCounters, ReadOneCellPerPointWhereKeysAreEven) {
  const auto keys = even_keys(4000);
  const Counters work = work_of(build(keys, GetParam()), keys);
  EXPECT_EQ(work.rays, 0U);
  EXPECT_EQ(work.cells, 4000U);
  EXPECT_EQ(work.hits, 4000U);
  EXPECT_GE(work.tested, 4000U);
  EXPECT_LE(work.tested, 4000U * 32);
}

TEST_P(NativeCounters, ReadOneCellPerPointWhereKeysAreNot) {
  auto keys = even_keys(4000);
  keys.push_back(std::uint64_t{1} << 40);
  const Counters work = work_of(build(keys, GetParam()), keys);
  EXPECT_EQ(work.cells, 4001U);
  EXPECT_EQ(work.hits, 4001U);
  EXPECT_LE(work.tested, 4001U * 32);
}

TEST(NativeCounters, AddUpOnTheCpu) {
  const Index index = build(even_keys(4000), "rx:native@cpu");
  const std::uint64_t hit = work_of(index, {1000}).tested;
  EXPECT_EQ(work_of(index, {1000, 1000, 1000}).tested, 3 * hit);
  const std::uint64_t miss = work_of(index, {1001}).tested;
  EXPECT_LT(miss, hit);
  EXPECT_LT(work_of(index, {9000}).tested, miss) << "above the column no key is compared with it";
}

TEST_P(NativeCounters, TheWorkOfARangeDoesNotGrowWithItsMatches) {
  const auto keys = even_keys(4000);
  const Index index = build(keys, GetParam());
  const Counters few = work_of_range(index, 2, 4);
  const Counters many = work_of_range(index, 2, 7000);
  EXPECT_EQ(few.hits, 2U);
  EXPECT_EQ(many.hits, 3500U);
  EXPECT_EQ(few.cells, many.cells);
  EXPECT_LE(many.tested, few.tested + 32);
}

TEST_P(NativeCounters, AMissComparesNoMoreThanAHit) {
  const auto keys = even_keys(4000);
  std::vector<std::uint64_t> misses = keys;
  for (std::uint64_t& key : misses) key = std::min<std::uint64_t>(key + 1, 7997);
  const Index index = build(keys, GetParam());
  const Counters hit = work_of(index, keys);
  const Counters miss = work_of(index, misses);
  EXPECT_EQ(miss.hits, 0U);
  EXPECT_LE(miss.tested, hit.tested + hit.tested / 2);
}

TEST_P(NativeCounters, AreTheSameInEveryOrderOfTheBatch) {
  const auto keys = even_keys(100000);
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const Index index = build(keys, GetParam());
  EXPECT_EQ(work_of(index, keys), work_of(index, sorted));
}

INSTANTIATE_TEST_SUITE_P(Counters, NativeCounters,
                         testing::Values("rx:native@cpu", "rx:native@cuda"), [](const auto& item) {
                           return item.param.substr(item.param.find('@') + 1);
                         });

TEST(Counters, AreUnsupportedByClassicIndexes) {
  const auto keys = even_keys(10);
  Counters counters{.rays = 1};
  for (const std::string spec : {"sorted@cpu", "btree@cpu", "hash@cpu"})
    EXPECT_THROW(static_cast<void>(
                     build(keys, spec).answer(Query::equal(keys), {}, {.counters = &counters})),
                 Error)
        << spec;
  EXPECT_EQ(counters.rays, 1U);
}

TEST(Counters, DoNotChangeAnswers) {
  const auto keys = even_keys(3000);
  for (const IndexInfo& entry : indexes()) {
    if (!entry.available || !entry.spec.starts_with("rx")) continue;
    const Index index = build(keys, entry.spec);
    Counters counters;
    const Answers plain = index.lookup(keys, Answer::first);
    const Answers counted =
        index.answer(Query::equal(keys), {.answers = Answer::first}, {.counters = &counters});
    EXPECT_TRUE(std::ranges::equal(plain.first(), counted.first())) << entry.spec;
    EXPECT_EQ(counters.hits, 3000U) << entry.spec;
  }
}

}  // namespace
}  // namespace rtindex::test
