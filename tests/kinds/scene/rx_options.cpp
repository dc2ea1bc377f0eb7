#include "kinds/scene/rx_options.hpp"

#include <gtest/gtest.h>

#include <limits>

#include <rtindex/error.hpp>

#include "kinds/embree/embree_options.hpp"

namespace rtindex {
namespace {

constexpr double no_limit_on_coordinates = std::numeric_limits<double>::max();

Spec complete(const Spec& spec) {
  return RxOptions::complete(
      spec,
      {.kind = "rx", .tracer = "embree", .device = "cpu", .options = EmbreeOptions::declared()});
}

RxOptions options_of(const std::string& text) { return RxOptions::from(complete(Spec(text))); }

TEST(RxOptions, HaveThePapersDefaults) {
  const RxOptions options = options_of("rx:embree");
  EXPECT_EQ(options.coordinates.mode, KeyMode::three_d);
  EXPECT_EQ(options.coordinates.bits_x, 23);
  EXPECT_EQ(options.coordinates.bits_y, 23);
  EXPECT_EQ(options.coordinates.bits_z, 18);
  EXPECT_EQ(options.coordinates.scale, 1.0F);
  EXPECT_EQ(options.primitive, Primitive::triangle);
  EXPECT_EQ(options.point, RayKind::perpendicular);
  EXPECT_EQ(options.range, RayKind::offset);
  EXPECT_EQ(options.update, Update::rebuild);
  EXPECT_EQ(options.row_rays, RowRays::occupied);
  EXPECT_EQ(options_of("rx:embree,mode=extended").range, RayKind::zero);
  EXPECT_EQ(options_of("rx:embree,primitive=sphere").coordinates.bits_x, 22);
}

TEST(RxOptions, RoundTripThroughASpec) {
  for (const std::string text :
       {"rx:embree", "rx:embree,mode=naive,primitive=aabb", "rx:embree,mode=extended,point=zero",
        "rx:embree,bits=1+2+3,scale=2^-30", "rx:embree,compact=on,update=refit,row_rays=all",
        "rx:embree,bucket=16", "rx:embree,bucket=1,mode=extended,order=on,drop=7"}) {
    const Spec full = complete(Spec(text));
    EXPECT_EQ(complete(full), full) << text;
  }
}

TEST(RxOptions, OfBuckets) {
  EXPECT_EQ(options_of("rx:embree").bucket, 0U);
  EXPECT_EQ(options_of("rx:embree,bucket=16").bucket, 16U);
  EXPECT_FALSE(options_of("rx:embree,bucket=16").drop);
  EXPECT_FALSE(options_of("rx:embree,bucket=16,drop=auto").drop);
  EXPECT_EQ(options_of("rx:embree,bucket=16,drop=63").drop, 63);
  EXPECT_EQ(options_of("rx:embree,bucket=1073741824").bucket, 1U << 30);
  for (const std::string text :
       {"bucket=0", "bucket=-1", "bucket=1073741825", "bucket=99999999999", "bucket=x", "drop=3",
        "bucket=16,drop=-1", "bucket=16,drop=64", "bucket=16,drop=x", "bucket=16,point=offset",
        "bucket=16,range=offset", "bucket=16,row_rays=all", "bucket=16,primitive=sphere",
        "bucket=16,primitive=aabb", "bucket=16,update=refit", "order=on", "gather=off"})
    EXPECT_THROW(static_cast<void>(options_of("rx:embree," + text)), Error) << text;
}

// Whatever is not exact is rejected, where a limit in dropped bits would be beyond 64 bits too.
TEST(RxOptions, RejectInexactCombinations) {
  constexpr double embree = 0x1p60;
  for (const std::string text :
       {"rx:embree,mode=extended,bucket=16,drop=36", "rx:embree,mode=extended,bucket=16",
        "rx:embree,mode=extended,bucket=16,drop=37,scale=2^30",
        "rx:embree,mode=naive,bucket=2,drop=4"}) {
    EncodedColumn column;
    column.span = ~std::uint64_t{0};
    column.keys = PackedKeys(2, column.span);
    column.keys.set(0, 0);
    column.keys.set(1, column.span);
    const RxOptions options = options_of(text);
    ASSERT_FALSE(is_exact(options, column.span, embree)) << text;
    EXPECT_THROW(require_exact(
                     options, column, [](std::uint32_t) { return ""; }, embree),
                 Error)
        << text;
  }
}

TEST(RxOptions, AreExactUpToTheLastKey) {
  struct Limit {
    std::string text;
    std::uint64_t largest;
  };
  for (const auto& [text, largest] :
       {Limit{"rx,mode=naive", (1U << 23) - 1}, Limit{"rx,mode=extended", (1U << 29) - 1},
        Limit{"rx,bits=2+3+4", 511}, Limit{"rx,mode=naive,primitive=sphere", (1U << 22) - 1},
        Limit{"rx,bits=5+23+0,primitive=sphere", (1U << 27) - 1},
        Limit{"rx,mode=naive,bucket=2,drop=4", (1U << 27) - 1}}) {
    EXPECT_TRUE(is_exact(options_of(text), largest, no_limit_on_coordinates)) << text;
    EXPECT_FALSE(is_exact(options_of(text), largest + 1, no_limit_on_coordinates)) << text;
    EXPECT_TRUE(is_exact(options_of(text), 0, no_limit_on_coordinates)) << text;
  }
  EXPECT_TRUE(is_exact(options_of("rx"), ~std::uint64_t{0}, no_limit_on_coordinates));
}

TEST(RxOptions, OfExtendedModeEndAtTheTracersLargestCoordinate) {
  const RxOptions options = options_of("rx,mode=extended");
  const std::uint64_t key = 1000000;
  const auto next = static_cast<double>(options.coordinates.gap_after(key));
  EXPECT_TRUE(is_exact(options, key, next * 1.0000001));
  EXPECT_FALSE(is_exact(options, key, next));
}

TEST(RxOptions, OfEveryModeEndAtTheTracersLargestCoordinate) {
  for (const std::string text : {"rx,bits=23+23+18,scale=2^20", "rx,mode=naive,scale=2^20",
                                 "rx,bits=22+22+20,primitive=sphere,scale=2^20"}) {
    EXPECT_TRUE(is_exact(options_of(text), (1U << 20) - 1, 0x1p40)) << text;
    EXPECT_FALSE(is_exact(options_of(text), 1U << 20, 0x1p40)) << text;
  }
  // The second and the third axis count too.
  const RxOptions split = options_of("rx,bits=4+21+23,scale=2^20");
  EXPECT_TRUE(is_exact(split, (1U << 24) - 1, 0x1p40));
  EXPECT_FALSE(is_exact(split, 1U << 24, 0x1p40));
  EXPECT_TRUE(is_exact(options_of("rx,scale=2^30"), ~std::uint64_t{0}, 1.844e18));
}

TEST(RxOptions, SuggestASmallerScaleBeyondTheTracersLimit) {
  EncodedColumn column;
  column.span = 1U << 20;
  column.row_count = 1;
  column.keys = PackedKeys(1, column.span);
  column.keys.set(0, column.span);
  const RxOptions options = options_of("rx,primitive=aabb,scale=2^20");
  try {
    require_exact(
        options, column, [](std::uint32_t) { return std::string("k"); }, 0x1p40);
    FAIL() << "not rejected";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("smaller scale"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace rtindex
