// What the device programs do with hits, tried on the host.

#include "kinds/optix/programs/hits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

namespace rtindex::optix {
namespace {

// Takes these primitives as hits of lookup 0, as long as the lookup wants more.
Hits hits_of(const LaunchParams& params, const std::vector<std::uint32_t>& primitives) {
  Hits hits = Hits::none(params, 0);
  for (const std::uint32_t primitive : primitives) {
    if (hits.done) break;
    hits.add(params, primitive);
  }
  return hits;
}

TEST(OptixHits, ReturnRowsAndCounts) {
  const std::vector<std::uint32_t> rows = {10, 20, 30, 40};
  LaunchParams params{};
  params.scene.rows = rows.data();
  std::uint32_t any = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  params.any = &any;
  params.smallest_row = &first;
  params.count = &count;
  hits_of(params, {2, 1, 3}).write(params, 0);
  EXPECT_TRUE(any == 20 || any == 30 || any == 40);
  EXPECT_EQ(first, 20U);
  EXPECT_EQ(count, 3U);
  hits_of(params, {}).write(params, 0);
  EXPECT_EQ(any, miss_row);
  EXPECT_EQ(first, miss_row);
  EXPECT_EQ(count, 0U);
}

TEST(OptixHits, OfDeletedRowsAreSkipped) {
  const std::uint32_t words[2] = {1U << 20, 1U << 8};  // rows 20 and 40
  const std::vector<std::uint32_t> rows = {10, 20, 30, 40, 100};
  LaunchParams params{};
  EXPECT_FALSE(is_deleted(params, 1));
  params.lookups.deleted = {words, 41};
  EXPECT_TRUE(is_deleted(params, 20));
  EXPECT_FALSE(is_deleted(params, 21));
  params.scene.rows = rows.data();
  EXPECT_FALSE(is_deleted(params, 0));
  EXPECT_TRUE(is_deleted(params, 1));
  EXPECT_TRUE(is_deleted(params, 3));
  EXPECT_FALSE(is_deleted(params, 4));  // beyond the set
}

TEST(OptixHits, EndAtTheFirstIfOneIsEnough) {
  LaunchParams params{};
  params.one_hit = true;
  const Hits hits = hits_of(params, {7, 3});
  EXPECT_TRUE(hits.done);
  EXPECT_EQ(hits.rows.any, 7U);
}

template <class Class, class Value>
std::vector<Class> aggregates(Type type, ValueClass value_class, const std::vector<Value>& values,
                              const std::vector<std::uint32_t>& rows, Class miss) {
  std::uint64_t bits[3] = {};
  LaunchParams params{};
  params.values = values.data();
  params.value_type = type;
  params.value_class = value_class;
  params.miss = std::bit_cast<std::uint64_t>(miss);
  params.sum = &bits[0];
  params.min = &bits[1];
  params.max = &bits[2];
  hits_of(params, rows).write(params, 0);
  return {std::bit_cast<Class>(bits[0]), std::bit_cast<Class>(bits[1]),
          std::bit_cast<Class>(bits[2])};
}

TEST(OptixHits, AddUpValuesOfEveryClass) {
  using Unsigned = std::vector<std::uint64_t>;
  using Signed = std::vector<std::int64_t>;
  using Real = std::vector<double>;
  const std::vector<std::uint8_t> bytes = {200, 100, 7};
  EXPECT_EQ(aggregates(Type::u8, ValueClass::u64, bytes, {0, 1}, std::uint64_t{1}),
            (Unsigned{300, 100, 200}));
  const std::vector<std::int32_t> integers = {-5, 3, -7};
  EXPECT_EQ(aggregates(Type::i32, ValueClass::i64, integers, {2, 1, 0}, std::int64_t{1}),
            (Signed{-9, -7, 3}));
  const std::vector<float> floats = {0.5F, -2.0F, 8.0F};
  EXPECT_EQ(aggregates(Type::f32, ValueClass::f64, floats, {0, 1, 2}, 1.0), (Real{6.5, -2, 8}));
  EXPECT_EQ(aggregates(Type::f32, ValueClass::f64, floats, {}, 1.25), (Real{1.25, 1.25, 1.25}));
}

TEST(OptixHits, TreatNanAsTheGreatest) {
  const std::vector<double> values = {1.0, std::numeric_limits<double>::quiet_NaN(), 2.0};
  const auto found = aggregates(Type::f64, ValueClass::f64, values, {1, 0, 2}, 0.0);
  EXPECT_EQ(found[1], 1.0);
  EXPECT_NE(found[2], found[2]);
}

TEST(OptixHits, CountUpToTheLimit) {
  LaunchParams params{};
  params.task = Task::count;
  std::uint32_t count = 0;
  params.count = &count;
  for (const std::uint32_t limit : {0U, 1U, 2U, 3U, miss_row}) {
    params.limit = limit;
    hits_of(params, {4, 5, 6}).write(params, 0);
    EXPECT_EQ(count, std::min(limit, 3U));
  }
}

TEST(OptixHits, CollectPrimitivesIntoTheirOwnBufferOnly) {
  const std::vector<std::uint64_t> offsets = {1, 3};
  std::vector<std::uint32_t> out(4, 99);
  LaunchParams params{};
  params.task = Task::collect;
  params.offsets = offsets.data();
  params.collected = out.data();
  hits_of(params, {4, 5, 6});
  EXPECT_EQ(out, (std::vector<std::uint32_t>{99, 4, 5, 99}));
}

PointHits point_hits_of(const LaunchParams& params, const std::vector<std::uint32_t>& rows) {
  PointHits hits;
  for (const std::uint32_t row : rows)
    if (hits.add(params, row)) break;
  return hits;
}

TEST(OptixPointHits, ReturnRowsAndCounts) {
  LaunchParams params{};
  std::uint32_t any = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  params.any = &any;
  params.count = &count;
  point_hits_of(params, {30, 20, 40}).write(params, 0);
  EXPECT_TRUE(any == 20 || any == 30 || any == 40);
  EXPECT_EQ(count, 3U);
  params.smallest_row = &first;
  point_hits_of(params, {30, 20, 40}).write(params, 0);
  EXPECT_EQ(first, 20U);
  EXPECT_EQ(any, 20U);
  point_hits_of(params, {}).write(params, 0);
  EXPECT_EQ(any, miss_row);
  EXPECT_EQ(first, miss_row);
  EXPECT_EQ(count, 0U);
  params.one_hit = true;
  EXPECT_EQ(point_hits_of(params, {7, 3}).count, 1U);
}

// Registers and memory hold the same results.
template <class Class, class Value>
void expect_the_same(Type type, ValueClass value_class, const std::vector<Value>& values) {
  const std::vector<std::vector<std::uint32_t>> hit_rows = {{}, {1}, {0, 1, 2}, {2, 1, 0}, {1, 1}};
  for (const auto& rows : hit_rows) {
    const Class miss = 17;
    const std::vector<Class> all = aggregates(type, value_class, values, rows, miss);
    for (int which = 0; which < 3; ++which) {
      std::uint64_t out = 0;
      LaunchParams params{};
      params.values = values.data();
      params.value_type = type;
      params.value_class = value_class;
      params.miss = std::bit_cast<std::uint64_t>(miss);
      (which == 0 ? params.sum : which == 1 ? params.min : params.max) = &out;
      point_hits_of(params, rows).write(params, 0);
      EXPECT_EQ(out, std::bit_cast<std::uint64_t>(all[static_cast<std::size_t>(which)]))
          << "aggregate " << which << " of " << rows.size() << " hits";
    }
  }
}

TEST(OptixPointHits, AddUpAsAllHitsDo) {
  expect_the_same<std::uint64_t>(Type::u8, ValueClass::u64, std::vector<std::uint8_t>{200, 7, 100});
  expect_the_same<std::int64_t>(Type::i32, ValueClass::i64, std::vector<std::int32_t>{-5, 3, -7});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_the_same<double>(Type::f64, ValueClass::f64, std::vector<double>{1.5, -2, 8});
  expect_the_same<double>(Type::f64, ValueClass::f64, std::vector<double>{1.5, nan, -3});
}

}  // namespace
}  // namespace rtindex::optix
