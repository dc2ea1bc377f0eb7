// Columns of points and box queries of the C interface.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"

namespace rtindex::test {
namespace {

TEST(CBoxes, FilterPointsByConditions) {
  const std::vector<std::int32_t> prices = {10, 20, 30, 40};
  const std::vector<std::int64_t> stores = {1, 2, 1, 2};
  const std::vector<std::uint8_t> validity = {0b0111};
  std::vector<rtindex_column> parts = {memory_of(RTINDEX_TYPE_INT32, prices),
                                       memory_of(RTINDEX_TYPE_INT64, stores)};
  parts[1].validity = validity.data();
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  column.points = 1;
  rtindex_index* index = nullptr;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", nullptr, &index)));
  const std::vector<std::int32_t> lower = {10, 20, 50};
  const std::vector<std::int32_t> upper = {30, 40, 60};
  const std::vector<std::int64_t> store = {1};
  const rtindex_column lower_column = memory_of(RTINDEX_TYPE_INT32, lower);
  const rtindex_column upper_column = memory_of(RTINDEX_TYPE_INT32, upper);
  const rtindex_column store_column = memory_of(RTINDEX_TYPE_INT64, store);
  std::vector<rtindex_condition> conditions(2, sized<rtindex_condition>());
  conditions[0].kind = RTINDEX_CONDITION_RANGE;
  conditions[0].ends = RTINDEX_ENDS_RIGHT_OPEN;
  conditions[0].lower = &lower_column;
  conditions[0].upper = &upper_column;
  const auto counts = [&] {
    const rtindex_query query = rtindex_query_box(conditions.data(), conditions.size());
    std::vector<std::uint32_t> found(lower.size());
    auto outputs = sized<rtindex_outputs>();
    outputs.count = found.data();
    EXPECT_EQ("", error_in(rtindex_answer_into(index, &query, nullptr, nullptr, &outputs)));
    return found;
  };
  using Counts = std::vector<std::uint32_t>;
  EXPECT_EQ(counts(), (Counts{2, 2, 0}));
  conditions[1].kind = RTINDEX_CONDITION_RANGE;
  conditions[1].lower = &store_column;
  conditions[1].upper = &store_column;
  EXPECT_EQ(counts(), (Counts{1, 1, 0}));
  conditions[0].upper = nullptr;
  conditions[1] = sized<rtindex_condition>();
  conditions[1].kind = RTINDEX_CONDITION_IS_NULL;
  EXPECT_EQ(counts(), (Counts{1, 1, 0}));
  rtindex_query query = rtindex_query_box(nullptr, 2);
  auto outputs = sized<rtindex_outputs>();
  std::vector<std::uint32_t> found(lower.size());
  outputs.count = found.data();
  EXPECT_NE(error_in(rtindex_answer_into(index, &query, nullptr, nullptr, &outputs))
                .find("expected 2 conditions, got a null pointer"),
            std::string::npos);
  conditions[1].lower = &lower_column;
  query = rtindex_query_box(conditions.data(), 2);
  EXPECT_NE(error_in(rtindex_answer_into(index, &query, nullptr, nullptr, &outputs))
                .find("on column 2 that has none"),
            std::string::npos);
  query = rtindex_query_box(nullptr, 0);
  query.lower = &lower_column;
  EXPECT_NE(error_in(rtindex_answer_into(index, &query, nullptr, nullptr, &outputs))
                .find("unexpected keys in a box query"),
            std::string::npos);
  rtindex_free(index);
  column.points = 2;
  EXPECT_NE(error_in(rtindex_build(&column, "rx:native@cpu", nullptr, &index)).find("points is 2"),
            std::string::npos);
  column.points = 1;
  column.part_count = 1;
  EXPECT_NE(error_in(rtindex_build(&column, "rx:native@cpu", nullptr, &index)).find("2 to 8"),
            std::string::npos);
  rtindex_column plain = memory_of(RTINDEX_TYPE_INT32, prices);
  plain.points = 1;
  EXPECT_NE(error_in(rtindex_build(&plain, "rx:native@cpu", nullptr, &index))
                .find("expected a composite of 2 to 8 columns, got int32"),
            std::string::npos);
}

// Prices 10, 20, 30, 40 in stores 1, 2, 1, null.
TEST(CBoxes, ReturnRowsAndBitmapsOfIsin) {
  const std::vector<std::int32_t> prices = {10, 20, 30, 40};
  const std::vector<std::int64_t> stores = {1, 2, 1, 2};
  const std::vector<std::uint8_t> validity = {0b0111};
  std::vector<rtindex_column> parts = {memory_of(RTINDEX_TYPE_INT32, prices),
                                       memory_of(RTINDEX_TYPE_INT64, stores)};
  parts[1].validity = validity.data();
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.parts = parts.data();
  column.part_count = parts.size();
  column.points = 1;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "rx:native@cpu", nullptr, index.out())));
  const std::vector<std::int32_t> upper = {5, 30, 50};
  const std::vector<std::int64_t> some_stores = {1, 7, 1};
  const rtindex_column upper_column = memory_of(RTINDEX_TYPE_INT32, upper);
  const rtindex_column store_column = memory_of(RTINDEX_TYPE_INT64, some_stores);
  std::vector<rtindex_condition> conditions(2, sized<rtindex_condition>());
  conditions[0].kind = RTINDEX_CONDITION_RANGE;
  conditions[0].upper = &upper_column;
  conditions[1].kind = RTINDEX_CONDITION_ISIN;
  conditions[1].lower = &store_column;
  rtindex_query query = rtindex_query_box(conditions.data(), conditions.size());
  std::vector<std::uint64_t> offsets(upper.size() + 1);
  std::vector<std::uint32_t> rows(8, 77);
  std::uint8_t bitmap = 0xff;
  std::vector<std::uint8_t> bitmaps(upper.size(), 0xff);
  auto outputs = sized<rtindex_outputs>();
  outputs.offsets = offsets.data();
  outputs.rows = rows.data();
  outputs.rows_capacity = rows.size();
  outputs.bitmap = &bitmap;
  outputs.bitmaps = bitmaps.data();
  outputs.bitmap_rows = prices.size();
  ASSERT_EQ("", error_in(rtindex_answer_into(index.get(), &query, nullptr, nullptr, &outputs)));
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 0, 2, 4}));
  for (const auto first : {rows.begin(), rows.begin() + 2}) std::sort(first, first + 2);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 2, 0, 2, 77, 77, 77, 77}));
  EXPECT_EQ(bitmap, 0b0101);
  EXPECT_EQ(bitmaps, (std::vector<std::uint8_t>{0, 0b0101, 0b0101}));
  Exported mask;
  ASSERT_EQ("", error_in(rtindex_answer_bitmap(index.get(), &query, nullptr, mask.schema_out(),
                                               mask.array_out())));
  ASSERT_EQ(mask.array->length, 4);
  EXPECT_EQ(static_cast<const std::uint8_t*>(mask.array->buffers[1])[0], 0b0101);

  conditions[1].upper = &store_column;
  EXPECT_EQ(error_in(rtindex_answer_into(index.get(), &query, nullptr, nullptr, &outputs)),
            "invalid_argument: unexpected upper values of the condition isin on column 2: pass all "
            "values as lower");
}

}  // namespace
}  // namespace rtindex::test
