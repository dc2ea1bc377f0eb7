// Coarse-granular RX on key sets made to lead its rays astray: rows and planes with a single
// representative, keys where rows and planes end, one key in many buckets.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include <rtindex/rtindex.hpp>

#include "conformance/rx_settings.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

constexpr Whole top = (Whole{1} << 64) - 1;

struct KeySet {
  std::string name;
  std::vector<Whole> keys;
};

// Keys at both ends of every row and plane, and right beside them.
std::vector<Whole> borders(int row_bits, int plane_bits) {
  std::vector<Whole> keys;
  for (const int bits : {row_bits, plane_bits})
    for (const Whole border : {Whole{1}, Whole{2}, Whole{3}, Whole{1} << 10, Whole{1} << 17})
      for (Whole step = -2; step < 3; ++step)
        if (const Whole key = (border << bits) + step; key <= top) keys.push_back(key);
  return keys;
}

std::vector<KeySet> key_sets() {
  Random random(11);
  std::vector<KeySet> sets = {{"empty", {}},
                              {"one_key", {77}},
                              {"lowest", {0}},
                              {"ends", {0, top}},
                              {"row_end", {(1 << 23) - 1, 1 << 23}},
                              {"all_equal", std::vector<Whole>(100, 12345678901)},
                              {"borders", borders(23, 46)},
                              {"small_borders", borders(2, 4)}};
  std::vector<Whole> rows;    // one key each
  std::vector<Whole> ends;    // the last key of each row, and nothing else
  std::vector<Whole> planes;  // one key each
  for (Whole i = 0; i < 100; ++i) {
    rows.push_back(((3 * i) << 23) + random.between(0, (1 << 23) - 1));
    ends.push_back(((i + 1) << 23) - 1);
    planes.push_back(((3 * i) << 46) + random.between(0, (Whole{1} << 46) - 1));
  }
  sets.push_back({"lonely_rows", rows});
  sets.push_back({"row_ends", ends});
  sets.push_back({"lonely_planes", planes});
  std::vector<Whole> copies;  // of one key, over many buckets, between others
  for (Whole i = 0; i < 300; ++i) copies.push_back(i < 250 ? 1 << 23 : i << 20);
  sets.push_back({"copies", copies});
  std::vector<Whole> far;  // a row's beginning and, a long ray away, all of its end
  for (Whole i = 0; i < 200; ++i) far.push_back((1 << 23) - 1 - i);
  for (Whole i = 0; i < 200; ++i) far.push_back((Whole{1} << 46) - (i << 23) - 1);
  far.push_back(3);
  sets.push_back({"long_rays", far});
  for (KeySet& set : sets) random.shuffle(set.keys);
  return sets;
}

// The keys that a lookup can go wrong at: all borders between the keys, and far beyond the last.
std::vector<Batch> hostile_batches(const TestColumn& column, Random& random) {
  std::vector<Whole> points = {0, 1, top, top - 1, Whole{1} << 63};
  for (const Key& key : column.keys())
    for (Whole step = -1; step < 2; ++step)
      if (const Whole near = std::get<Whole>(key[0]) + step; 0 <= near && near <= top)
        points.push_back(near);
  for (const int bits : {23, 24, 46, 47})
    for (Whole step = -1; step < 2; ++step) points.push_back((Whole{1} << bits) + step);
  std::vector<Whole> lower;
  std::vector<Whole> upper;
  for (int i = 0; i < 400; ++i) {
    lower.push_back(random.pick(points));
    upper.push_back(random.pick(points));
    if (lower.back() > upper.back() && !random.one_in(10)) std::swap(lower.back(), upper.back());
  }
  return {test::points(integers(Type::u64, points)),
          ranges(integers(Type::u64, lower), integers(Type::u64, upper))};
}

using TracerAndSet = std::tuple<std::string, KeySet>;

class HostileBuckets : public testing::TestWithParam<TracerAndSet> {};

TEST_P(HostileBuckets, AnswerLikeTheScan) {
  const auto& [tracer, set] = GetParam();
  if (!is_available(tracer)) GTEST_SKIP() << tracer << " is not available here";
  const TestColumn column = integers(Type::u64, set.keys);
  Random random(7);
  const TestColumn values = values_of(Type::i32, column.size(), random);
  const std::vector<Batch> batches = hostile_batches(column, random);
  const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);
  // With all bits of the keys in the scene, with those that it needs, and with too few.
  for (const std::string scene : {"bits=23+23+18,drop=0", "bits=18+23+23,drop=0",
                                  "bits=22+22+20,drop=0", "drop=auto", "drop=41", "drop=63"})
    for (const std::string bucket : {"1", "2", "3", "16", "1000"}) {
      const std::string spec = tracer + "," + scene + ",bucket=" + bucket;
      SCOPED_TRACE(spec);
      const Index index = build(column.view(), spec);
      for (std::size_t i = 0; i < batches.size(); ++i)
        ASSERT_EQ("", check_call(index, batches[i], matches[i], full_options(), values));
    }
}

INSTANTIATE_TEST_SUITE_P(Conformance, HostileBuckets,
                         testing::Combine(testing::Values("rx:embree@cpu", "rx:optix@cuda"),
                                          testing::ValuesIn(key_sets())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param).name;
                         });

class BucketGeometry : public testing::TestWithParam<std::string> {};

// Every mode and split that triangles have, at three scales, up to the last key that they hold.
TEST_P(BucketGeometry, AnswersLikeTheScan) {
  if (!is_available(GetParam())) GTEST_SKIP() << GetParam() << " is not available here";
  std::vector<RxGeometry> geometries = {{.mode = "naive"}, {.mode = "extended"}};
  for (const Split& bits : std::vector<Split>{{23, 23, 18},
                                              {10, 23, 23},
                                              {23, 18, 23},
                                              {2, 20, 20},
                                              {0, 23, 23},
                                              {23, 0, 23},
                                              {23, 0, 0}})
    geometries.push_back({.bits = bits});
  for (RxGeometry geometry : geometries)
    for (const int scale : {0, 20, -20, 30, -30}) {
      geometry.scale = scale;
      Random random(geometry.largest_span() + 5);
      const TestColumn column =
          integers(Type::u64, corner_keys(geometry, geometry.largest_span(), random));
      const TestColumn values = values_of(Type::i32, column.size(), random);
      const std::vector<Batch> batches = own_batches(column, 50, random);
      const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);
      for (const std::string bucket : {"1", "5"}) {
        const std::string spec = GetParam() + "," + geometry.text() + ",drop=0,bucket=" + bucket;
        SCOPED_TRACE(spec);
        const Index index = build(column.view(), spec);
        for (std::size_t i = 0; i < batches.size(); ++i)
          ASSERT_EQ("", check_call(index, batches[i], matches[i], full_options(), values));
      }
    }
}

TEST_P(BucketGeometry, RejectsKeysBeyondTheMode) {
  if (!is_available(GetParam())) GTEST_SKIP() << GetParam() << " is not available here";
  const std::vector<std::uint64_t> wide = {5, 5 + (1 << 23), 6};
  const std::string spec = GetParam() + ",mode=naive,bucket=2";
  try {
    static_cast<void>(build(wide, spec));
    FAIL() << "a span of 2^23 is too wide for mode=naive";
  } catch (const Error& error) {
    const std::string reason = error.what();
    EXPECT_NE(reason.find("row 1: key 8388613"), std::string::npos) << reason;
    EXPECT_NE(reason.find("mode=3d"), std::string::npos) << reason;
  }
  // An update beyond it changes nothing.
  const std::vector<std::uint64_t> keys = {5, 7, 6};
  Index index = build(keys, spec);
  EXPECT_THROW(index.update(std::vector<std::uint32_t>{1}, std::vector<std::uint64_t>{1 << 24}),
               Error);
  EXPECT_EQ(index.lookup(keys, Answer::first).first()[1], 1U);
}

INSTANTIATE_TEST_SUITE_P(Conformance, BucketGeometry,
                         testing::Values("rx:embree@cpu", "rx:optix@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
