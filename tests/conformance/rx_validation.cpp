// What rx rejects, and that it rejects nothing else. The full list:
//   mode=extended with spheres, with range=offset or with point=offset, whatever the column;
//   bits with mode=naive or extended; bits beyond an axis or beyond a key; scale beyond 2^+-30;
//   a column whose keys span more than RxGeometry::largest_span().

#include <gtest/gtest.h>

#include <rtindex/rtindex.hpp>

#include "conformance/rx_settings.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

const std::string tracer = "rx:embree@cpu";

std::string error_message(const std::vector<std::uint64_t>& keys, const std::string& options) {
  try {
    static_cast<void>(build(keys, tracer + "," + options));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class RxValidation : public testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = error_message({1}, "threads=1");
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

TEST_F(RxValidation, RejectsCombinationsThatAreNeverExact) {
  const std::vector<std::uint64_t> small = {0, 1, 2};
  for (const std::string options : {"mode=extended,primitive=sphere",
                                    "mode=extended,primitive=sphere,range=zero",
                                    "mode=extended,range=offset",
                                    "mode=extended,point=offset",
                                    "mode=naive,bits=23+23+18",
                                    "mode=extended,bits=23+23+18",
                                    "bits=24+20+20",
                                    "bits=-1+23+23",
                                    "bits=23+23+19",
                                    "bits=0+0+0",
                                    "bits=23+23",
                                    "bits=23+23+18+0",
                                    "bits=a+b+c",
                                    "bits=23+23+",
                                    "scale=3",
                                    "scale=2^31",
                                    "scale=2^-31",
                                    "scale=2^",
                                    "scale=2^x",
                                    "scale=2",
                                    "threads=0",
                                    "threads=-1",
                                    "threads=many",
                                    "threads=4097"})
    EXPECT_NE("", error_message(small, options)) << options;
}

TEST_F(RxValidation, AcceptsEveryOtherCombination) {
  const std::vector<std::uint64_t> small = {0, 1, 2, 2};
  for (const std::string mode : {"naive", "extended", "3d", "3d,bits=1+1+1", "3d,bits=23+0+0",
                                 "3d,bits=0+23+0", "3d,bits=0+0+23", "3d,bits=2+0+0"})
    for (const std::string primitive : {"triangle", "sphere", "aabb"})
      for (const std::string point : {"perpendicular", "offset", "zero"})
        for (const std::string range : {"offset", "zero"})
          for (const std::string scale : {"2^-30", "2^0", "2^30"}) {
            if (mode == "extended" &&
                (primitive == "sphere" || point == "offset" || range == "offset"))
              continue;
            EXPECT_EQ("", error_message(small, "mode=" + mode + ",primitive=" + primitive +
                                                   ",point=" + point + ",range=" + range +
                                                   ",scale=" + scale));
          }
}

// A segment of its own would hold such keys, but not the structure into which it is merged later.
TEST_F(RxValidation, RejectsChangesWithKeysBeyondTheMode) {
  using Keys = std::vector<std::uint64_t>;
  using Rows = std::vector<std::uint32_t>;
  Keys keys;
  for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(1000 + i);
  const std::uint64_t far = 2000 + (std::uint64_t{1} << 30);
  for (const std::string options : {"mode=naive", "mode=extended", "mode=naive,bucket=3,drop=0",
                                    "mode=naive,update=refit", "bits=10+10+0"}) {
    SCOPED_TRACE(options);
    Index index = build(keys, tracer + "," + options);
    for (const std::uint64_t key : {far, std::uint64_t{1} << 63}) {
      try {
        index.insert(Keys{1500, key});
        ADD_FAILURE() << "inserted";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("row 1001: key " + std::to_string(key)),
                  std::string::npos)
            << error.what();
      }
      EXPECT_THROW(index.update(Rows{5}, Keys{key}), Error);
    }
    EXPECT_EQ(index.size(), keys.size());
    EXPECT_EQ(index.lookup(keys, Answer::first).first()[5], 5U);
    // Nothing is in the way of other keys, on both sides of the first.
    EXPECT_EQ(index.insert(Keys{999, 1500}), 1000U);
    index.update(Rows{7}, Keys{990});
    index.merge();
    EXPECT_EQ(index.lookup(Keys{990, 999, 1500}, Answer::count).count()[2], 2U);
    // Nor are rows that are gone.
    index.erase_keys(keys);
    index.erase_keys(Keys{990, 999});
    EXPECT_EQ(index.valid(), 0U);
    index.insert(Keys{far, far + 1});
    EXPECT_EQ(index.lookup(Keys{far + 1}, Answer::first).first()[0], 1003U);
  }
}

// The widest column is accepted and answered; one key more is rejected.
TEST_F(RxValidation, RejectsOneKeyBeyondTheWidestColumn) {
  for (const std::string mode : {"naive", "extended", "3d"})
    for (const std::string primitive : {"triangle", "sphere", "aabb"})
      for (const Split& bits : std::vector<Split>{{23, 23, 18},
                                                  {22, 22, 20},
                                                  {21, 22, 21},
                                                  {20, 20, 23},
                                                  {18, 23, 23},
                                                  {5, 5, 5},
                                                  {10, 23, 23},
                                                  {23, 0, 0},
                                                  {0, 23, 0},
                                                  {0, 0, 23},
                                                  {22, 0, 0},
                                                  {1, 22, 22}})
        for (const int scale : {0, -20, 20, 30, -30}) {
          if (mode == "extended" && primitive == "sphere") continue;
          if (mode != "3d" && bits != Split{23, 23, 18}) continue;
          const RxGeometry geometry{mode, bits, primitive, scale};
          const std::uint64_t widest = geometry.largest_span();
          for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1000}}) {
            if (widest + base < widest) continue;
            EXPECT_EQ("", error_message({base, base + widest}, geometry.text())) << geometry.text();
            if (widest + base + 1 == 0) continue;
            const std::string reason = error_message({base + widest + 1, base}, geometry.text());
            EXPECT_NE("", reason) << geometry.text();
            EXPECT_NE(reason.find("mode=3d"), std::string::npos) << reason;
          }
        }
}

TEST_F(RxValidation, NamesTheRowTheKeyAndAModeThatFits) {
  const std::vector<std::uint64_t> keys = {5, 5 + (1 << 23), 6};
  const std::string reason = error_message(keys, "mode=naive");
  EXPECT_NE(reason.find("row 1"), std::string::npos) << reason;
  EXPECT_NE(reason.find("8388613"), std::string::npos) << reason;
  EXPECT_NE(reason.find("mode=3d"), std::string::npos) << reason;
}

// The setting that the sentence offers must itself work.
TEST_F(RxValidation, SuggestsASettingThatWorks) {
  const std::vector<std::uint64_t> full = {0, 7, ~std::uint64_t{0}};
  for (const std::string options :
       {"mode=naive", "mode=extended", "bits=10+10+10", "mode=naive,primitive=sphere",
        "primitive=sphere,bits=23+23+18", "primitive=sphere,bits=20+21+23",
        "primitive=aabb,bits=1+1+1"}) {
    const std::string reason = error_message(full, options);
    const std::size_t at = reason.find("use ");
    ASSERT_NE(at, std::string::npos) << reason;
    std::string offer = reason.substr(at + 4);
    offer = offer.substr(0, std::min(offer.find(", or"), offer.find(' ')));
    const bool spheres = options.find("sphere") != std::string::npos;
    EXPECT_EQ("", error_message(full, offer + (spheres ? ",primitive=sphere" : ""))) << offer;
  }
}

// An update beyond the mode is rejected, by refit and by rebuild, and changes nothing.
TEST_F(RxValidation, LeavesTheIndexUnchangedAfterARejectedUpdate) {
  for (const std::string update : {"refit", "rebuild"})
    for (const std::string primitive : {"triangle", "sphere", "aabb"}) {
      const RxGeometry geometry{.mode = "naive", .primitive = primitive};
      const std::uint64_t widest = geometry.largest_span();
      const std::vector<std::uint64_t> keys = {100, 101, 102, 100 + widest};
      Index index = build(keys, tracer + "," + geometry.text() + ",update=" + update);
      const std::vector<std::uint32_t> rows = {1, 2};
      for (const std::uint64_t key : {100 + widest + 1, std::uint64_t{99}}) {
        EXPECT_THROW(index.update(rows, std::vector<std::uint64_t>{102, key}), Error);
        EXPECT_EQ(index.lookup(keys, Answer::first).first()[1], 1U);
        EXPECT_EQ(index.lookup(keys, Answer::count).count()[1], 1U);
      }
      // Where the keys move as a whole, the span decides, not the old minimum.
      const std::vector<std::uint32_t> all = {3, 2, 1, 0};
      const std::vector<std::uint64_t> moved = {5, 6, 7, 5 + widest};
      EXPECT_NO_THROW(index.update(all, moved));
      EXPECT_EQ(index.lookup(moved, Answer::first).first()[3], 0U);
    }
}

}  // namespace
}  // namespace rtindex::test
