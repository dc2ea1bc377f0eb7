// Columns of the C interface without Arrow, and calls that need a GPU where there is none.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <rtindex/rtindex.h>

#include "c/c_calls.hpp"

namespace rtindex::test {
namespace {

// "apple", "banana" and "apricot" in three layouts.
const std::string fruit_bytes = "applebananaapricot";
const std::vector<std::int32_t> fruit_offsets_32 = {0, 5, 11, 18};
const std::vector<std::int64_t> fruit_offsets_64 = {0, 5, 11, 18};
const std::string fruit_fields("apple\0\0banana\0apricot", 21);

rtindex_column fruits(int layout) {
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_STRING;
  column.count = 3;
  column.data = layout == 0 ? fruit_fields.data() : fruit_bytes.data();
  column.width = layout == 0 ? 7 : 0;
  column.offset_bytes = layout;
  if (layout == 4) column.offsets = fruit_offsets_32.data();
  if (layout == 8) column.offsets = fruit_offsets_64.data();
  return column;
}

TEST(CPlainMemory, StringsOfEveryLayoutFindEachOther) {
  for (const int layout : {0, 4, 8})
    for (const int queried : {0, 4, 8}) {
      const rtindex_column column = fruits(layout);
      const rtindex_column keys = fruits(queried);
      CIndex index;
      ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
      const rtindex_query query = rtindex_query_equal(&keys);
      std::vector<std::uint32_t> first(3);
      auto outputs = sized<rtindex_outputs>();
      outputs.first = first.data();
      ASSERT_EQ("", error_in(rtindex_answer_into(index.get(), &query, nullptr, nullptr, &outputs)));
      EXPECT_EQ(first, (std::vector<std::uint32_t>{0, 1, 2}));
    }
}

TEST(CPlainMemory, DecimalsHaveScales) {
  const std::vector<std::uint64_t> numbers = {7, 0, 9, 0, 3, 1};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_DECIMAL128;
  column.count = 3;
  column.data = numbers.data();
  column.scale = 2;
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
  auto facts = sized<rtindex_info>();
  ASSERT_EQ("", error_in(rtindex_get_info(index.get(), &facts)));
  EXPECT_EQ(facts.type, RTINDEX_TYPE_DECIMAL128);
  EXPECT_EQ(facts.scale, 2);
  const std::vector<std::int32_t> narrow = {9, 8};
  auto keys = sized<rtindex_column>();
  keys.type = RTINDEX_TYPE_DECIMAL32;
  keys.count = 2;
  keys.data = narrow.data();
  keys.scale = 2;
  const auto find = [&] {
    const rtindex_query query = rtindex_query_equal(&keys);
    std::vector<std::uint32_t> first(2);
    auto outputs = sized<rtindex_outputs>();
    outputs.first = first.data();
    const std::string error =
        error_in(rtindex_answer_into(index.get(), &query, nullptr, nullptr, &outputs));
    return error.empty() ? std::to_string(first[0]) + " " + std::to_string(first[1]) : error;
  };
  EXPECT_EQ(find(), "1 4294967295");
  keys.scale = 3;
  EXPECT_NE(find().find("have the scale 2 and those of the lookups 3"), std::string::npos);
}

TEST(CPlainMemory, TolerancesOfEveryType) {
  const std::vector<double> numbers = {1.0, 2.0};
  const std::vector<double> between = {1.25};
  const std::vector<std::uint64_t> large = {1, ~std::uint64_t{0}};
  const std::vector<std::uint64_t> far = {std::uint64_t{1} << 63};
  const auto neighbour = [](const rtindex_column& column, const rtindex_query& query) {
    CIndex index;
    EXPECT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
    std::uint32_t row = 0;
    auto outputs = sized<rtindex_outputs>();
    outputs.any = &row;
    EXPECT_EQ("", error_in(rtindex_answer_into(index.get(), &query, nullptr, nullptr, &outputs)));
    return row;
  };
  const rtindex_column float_key = memory_of(RTINDEX_TYPE_FLOAT64, between);
  rtindex_query floats = rtindex_query_nearest(&float_key, RTINDEX_DIRECTION_BACKWARD);
  floats.tolerance_type = RTINDEX_TYPE_FLOAT64;
  const rtindex_column large_key = memory_of(RTINDEX_TYPE_UINT64, far);
  rtindex_query integers = rtindex_query_nearest(&large_key, RTINDEX_DIRECTION_BACKWARD);
  integers.tolerance_type = RTINDEX_TYPE_UINT64;
  for (const bool reaches : {true, false}) {
    const std::uint32_t expected = reaches ? 0 : RTINDEX_MISS_ROW;
    floats.tolerance_f64 = reaches ? 0.25 : 0.125;
    EXPECT_EQ(neighbour(memory_of(RTINDEX_TYPE_FLOAT64, numbers), floats), expected);
    integers.tolerance_u64 = (std::uint64_t{1} << 63) - (reaches ? 1 : 2);
    EXPECT_EQ(neighbour(memory_of(RTINDEX_TYPE_UINT64, large), integers), expected);
  }
}

// An index on a CPU answers in host memory, and writes nothing to device memory.
TEST(CPlainMemory, DeviceCallsOfAnIndexOnACpu) {
  const std::vector<std::int64_t> keys = {1, 2};
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, keys);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
  const rtindex_query query = rtindex_query_equal(&column);
  for (const bool joins : {false, true}) {
    ArrowDeviceArray array{};
    ASSERT_EQ("",
              error_in(joins ? rtindex_join_device(index.get(), &query, nullptr, nullptr, &array)
                             : rtindex_answer_device(index.get(), &query, nullptr, nullptr, nullptr,
                                                     &array)));
    EXPECT_EQ(array.device_type, ARROW_DEVICE_CPU);
    EXPECT_EQ(array.sync_event, nullptr);
    EXPECT_EQ(elements_of<std::uint32_t>(*array.array.children[joins ? 1 : 0]),
              (std::vector<std::uint32_t>{0, 1}));
    array.array.release(&array.array);
  }
  std::uint64_t count = 77;
  auto pairs = sized<rtindex_join_outputs>();
  pairs.count = &count;
  pairs.memory_space = RTINDEX_MEMORY_SPACE_DEVICE;
  std::uint32_t row = 77;
  auto answers = sized<rtindex_outputs>();
  answers.any = &row;
  answers.memory_space = RTINDEX_MEMORY_SPACE_DEVICE;
  for (const rtindex_query& one :
       {query, rtindex_query_range(&column, &column, RTINDEX_ENDS_CLOSED),
        rtindex_query_nearest(&column, RTINDEX_DIRECTION_BACKWARD)}) {
    EXPECT_EQ(rtindex_join_into(index.get(), &one, nullptr, &pairs),
              RTINDEX_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(rtindex_answer_into(index.get(), &one, nullptr, nullptr, &answers),
              RTINDEX_STATUS_INVALID_ARGUMENT);
  }
  EXPECT_EQ(count, 77U);
  EXPECT_EQ(row, 77U);
}

TEST(CPlainMemory, AnAllocatorIsDestroyedWithItsLastIndex) {
  int destroyed = 0;
  const std::vector<std::int64_t> keys = {1, 2};
  const rtindex_column column = memory_of(RTINDEX_TYPE_INT64, keys);
  auto memory = sized<rtindex_device_memory>();
  memory.context = &destroyed;
  memory.destroy = [](void* context) { ++*static_cast<int*>(context); };
  auto options = sized<rtindex_build_options>();
  options.device_memory = &memory;
  rtindex_index* index = nullptr;
  EXPECT_EQ(rtindex_build(&column, "sorted@cpu", &options, &index),
            RTINDEX_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(destroyed, 0);
  memory.allocate = [](void*, std::size_t, void*) -> void* { return nullptr; };
  memory.release = [](void*, void*, std::size_t, void*) {};
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", &options, &index)));
  rtindex_index* snapshot = nullptr;
  ASSERT_EQ("", error_in(rtindex_snapshot(index, &snapshot)));
  ASSERT_EQ("", error_in(rtindex_free(index)));
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ("", error_in(rtindex_free(snapshot)));
  EXPECT_EQ(destroyed, 1);
}

TEST(CPlainMemory, ADescriptionOfAComposite) {
  const std::vector<std::int64_t> numbers = {1, 2, 3};
  const std::vector<rtindex_column> parts = {fruits(4), memory_of(RTINDEX_TYPE_INT64, numbers)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_TYPE_COMPOSITE;
  column.count = 3;
  column.parts = parts.data();
  column.part_count = parts.size();
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
  arrow::Owned<ArrowSchema> schema;
  ASSERT_EQ("", error_in(rtindex_column_schema(index.get(), schema.address())));
  EXPECT_STREQ(schema->format, "+s");
  ASSERT_EQ(schema->n_children, 2);
  EXPECT_STREQ(schema->children[1]->format, "l");
}

}  // namespace
}  // namespace rtindex::test
