// Every combination of mode, split, primitive, scale, rays, compaction and update of rx, on
// columns with a key in every corner of the scene.

#include <gtest/gtest.h>

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

std::vector<RxGeometry> geometries() {
  std::vector<RxGeometry> list;
  for (const std::string primitive : {"triangle", "sphere", "aabb"}) {
    list.push_back({.mode = "naive", .primitive = primitive});
    if (primitive != "sphere") list.push_back({.mode = "extended", .primitive = primitive});
    for (const Split& bits : std::vector<Split>{{23, 23, 18},
                                                {22, 22, 20},
                                                {20, 20, 23},
                                                {10, 23, 23},
                                                {23, 18, 23},
                                                {18, 23, 23},
                                                {2, 20, 20},
                                                {0, 23, 23},
                                                {1, 23, 23},
                                                {23, 0, 23},
                                                {23, 23, 0},
                                                {23, 0, 0}})
      list.push_back({.mode = "3d", .bits = bits, .primitive = primitive});
  }
  return list;
}

// Ranges that cross few rows, so that row_rays=all can answer them in time.
Batch few_rows(const Batch& batch, const RxGeometry& geometry) {
  std::vector<Key> lower;
  std::vector<Key> upper;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Key& low = batch.lower.keys()[i];
    const Key& high = batch.upper.keys()[i];
    if (is_null(low) || is_null(high)) continue;
    const Whole rows = (std::get<Whole>(high[0]) - std::get<Whole>(low[0])) >> geometry.row_bits();
    if (rows > 256) continue;
    lower.push_back(low);
    upper.push_back(high);
  }
  return ranges({batch.lower.shape(), lower}, {batch.upper.shape(), upper});
}

std::vector<std::string> ray_settings(const RxGeometry& geometry) {
  std::vector<std::string> list;
  for (const std::string point : {"perpendicular", "offset", "zero"})
    for (const std::string range : {"offset", "zero"}) {
      if (geometry.mode == "extended" && (point == "offset" || range == "offset")) continue;
      list.push_back(",point=" + point + ",range=" + range);
    }
  return list;
}

using TracerAndGeometry = std::tuple<std::string, RxGeometry>;

class RxProduct : public testing::TestWithParam<TracerAndGeometry> {};

void check_all_settings(const std::string& tracer, const RxGeometry& geometry) {
  Random random(geometry.largest_span() + 5);
  std::vector<Whole> keys = corner_keys(geometry, geometry.largest_span(), random);
  const TestColumn column = integers(Type::u64, keys);
  const TestColumn values = values_of(Type::i32, column.size(), random);
  std::vector<Batch> batches = own_batches(column, 50, random);
  batches.push_back(points(column));
  batches.push_back(few_rows(batches[1], geometry));
  const std::vector<Matches> matches = Oracle(column.keys()).scan(batches);

  for (const std::string& rays : ray_settings(geometry))
    for (const std::string compact : {"on", "off"})
      for (const std::string update : {"refit", "rebuild"})
        for (const std::string row_rays : {"occupied", "all"}) {
          const std::string spec = tracer + "," + geometry.text() + rays + ",compact=" + compact +
                                   ",update=" + update + ",row_rays=" + row_rays;
          SCOPED_TRACE(spec);
          const Index index = build(column.view(), spec);
          for (std::size_t i = 0; i < batches.size(); ++i)
            if (row_rays == "occupied" || i != 1) {
              ASSERT_EQ("", check_call(index, batches[i], matches[i], full_options(), values));
            }
        }
}

TEST_P(RxProduct, AnswersLikeTheScan) {
  auto [tracer, geometry] = GetParam();
  if (!is_available(tracer)) GTEST_SKIP() << tracer << " is not available here";
  const bool limited = tracer.starts_with("rx:optix") && geometry.primitive != "triangle";
  if (limited) geometry.coordinate_limit = optix_limit;
  for (const int scale : {0, 20, -20}) {
    geometry.scale = scale;
    check_all_settings(tracer, geometry);
    if (!limited || scale != 20) continue;
    const std::vector<std::uint64_t> too_far = {0, geometry.largest_span() + 1};
    EXPECT_THROW(static_cast<void>(build(too_far, tracer + "," + geometry.text())), Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, RxProduct,
                         testing::Combine(testing::Values("rx:embree@cpu", "rx:optix@cuda"),
                                          testing::ValuesIn(geometries())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param) + "," +
                                            std::get<1>(item.param).text());
                         });

}  // namespace
}  // namespace rtindex::test
