// Row bitmaps of the C interface: as answers, as filters, and combined.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"

namespace rtindex::test {
namespace {

rtindex_bitmap bitmap_of(const std::uint8_t* bits, std::size_t rows) {
  auto bitmap = sized<rtindex_bitmap>();
  bitmap.bits = bits;
  bitmap.rows = rows;
  return bitmap;
}

// Keys 26, 25, 29, 23, 29, 27.
class CBitmaps : public CIndexTest {
 protected:
  const std::vector<std::int64_t> batch_{29, 25, 24};
  const rtindex_column keys_ = memory_of(RTINDEX_TYPE_INT64, batch_);
};

TEST_F(CBitmaps, AreArraysOfBool) {
  const rtindex_query query = rtindex_query_equal(&keys_);
  Exported found;
  ASSERT_EQ("", error_in(rtindex_answer_bitmap(index(), &query, nullptr, found.schema_out(),
                                               found.array_out())));
  EXPECT_STREQ(found.schema->format, "b");
  ASSERT_EQ(found.array->length, 6);
  EXPECT_EQ(static_cast<const std::uint8_t*>(found.array->buffers[1])[0], 0b010110);
}

TEST_F(CBitmaps, FilterQueries) {
  rtindex_query query = rtindex_query_equal(&keys_);
  const std::uint8_t bits = 0b110000;
  const rtindex_bitmap filter = bitmap_of(&bits, 6);
  query.filter = &filter;
  std::vector<std::uint32_t> counts(3, 9);
  std::uint8_t bitmap = 0xff;
  std::vector<std::uint8_t> bitmaps(3, 0xff);
  auto outputs = sized<rtindex_outputs>();
  outputs.count = counts.data();
  outputs.bitmap = &bitmap;
  outputs.bitmaps = bitmaps.data();
  outputs.bitmap_rows = 6;
  ASSERT_EQ("", error_in(rtindex_answer_into(index(), &query, nullptr, nullptr, &outputs)));
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{1, 0, 0}));
  EXPECT_EQ(bitmap, 0b010000);
  EXPECT_EQ(bitmaps, (std::vector<std::uint8_t>{0b010000, 0, 0}));
  std::uint64_t pairs = 0;
  auto joined = sized<rtindex_join_outputs>();
  joined.count = &pairs;
  ASSERT_EQ("", error_in(rtindex_join_into(index(), &query, nullptr, &joined)));
  EXPECT_EQ(pairs, 1U);
}

TEST_F(CBitmaps, AreCombinedAndCounted) {
  const std::uint8_t first[2] = {0b11001010, 0b1};
  const std::uint8_t second[2] = {0b10011000, 0b1};
  const rtindex_bitmap a = bitmap_of(first, 9);
  const rtindex_bitmap b = bitmap_of(second, 9);
  std::uint8_t out[2] = {};
  ASSERT_EQ("", error_in(rtindex_bitmap_and(&a, &b, out, nullptr)));
  EXPECT_EQ(out[0], 0b10001000);
  EXPECT_EQ(out[1], 1);
  ASSERT_EQ("", error_in(rtindex_bitmap_or(&a, &b, out, nullptr)));
  EXPECT_EQ(out[0], 0b11011010);
  ASSERT_EQ("", error_in(rtindex_bitmap_and_not(&a, &b, out, nullptr)));
  EXPECT_EQ(out[0], 0b01000010);
  EXPECT_EQ(out[1], 0);
  std::uint64_t count = 0;
  ASSERT_EQ("", error_in(rtindex_bitmap_count(&a, nullptr, &count)));
  EXPECT_EQ(count, 5U);
}

TEST_F(CBitmaps, RejectWhatDoesNotFit) {
  rtindex_query query = rtindex_query_equal(&keys_);
  const std::uint8_t bits = 0;
  const rtindex_bitmap filter = bitmap_of(&bits, 5);
  query.filter = &filter;
  Exported found;
  EXPECT_EQ(error_in(rtindex_answer_bitmap(index(), &query, nullptr, nullptr, found.array_out())),
            "invalid_argument: the filter has 5 rows but the index has 6: pass a bit for each row");
  auto options = sized<rtindex_answer_options>();
  options.answers = RTINDEX_ANSWER_BITMAP;
  query.filter = nullptr;
  EXPECT_EQ(error_in(rtindex_answer(index(), &query, &options, nullptr, found.schema_out(),
                                    found.array_out())),
            "invalid_argument: bitmaps have an entry for each row, other answers for each query: "
            "call rtindex_answer_bitmap, or set the buffers of rtindex_answer_into");
  std::uint64_t count = 0;
  EXPECT_NE(error_in(rtindex_bitmap_count(nullptr, nullptr, &count)), "");
  EXPECT_NE(error_in(rtindex_bitmap_and(&filter, nullptr, nullptr, nullptr)), "");
  rtindex_bitmap beyond = filter;
  beyond.offset = std::numeric_limits<std::size_t>::max() - 1;
  EXPECT_NE(error_in(rtindex_bitmap_count(&beyond, nullptr, &count)).find("leaves no room"),
            std::string::npos);
}

}  // namespace
}  // namespace rtindex::test
