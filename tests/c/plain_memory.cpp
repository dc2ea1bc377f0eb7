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
  column.type = RTINDEX_STRING;
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
    for (const int asked : {0, 4, 8}) {
      const rtindex_column column = fruits(layout);
      const rtindex_column keys = fruits(asked);
      CIndex index;
      ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
      std::vector<std::uint32_t> first(3);
      auto outputs = sized<rtindex_outputs>();
      outputs.first = first.data();
      ASSERT_EQ("", error_in(rtindex_lookup_into(index.get(), RTINDEX_POINT, &keys, nullptr,
                                                 nullptr, &outputs)));
      EXPECT_EQ(first, (std::vector<std::uint32_t>{0, 1, 2}));
      // Prefixes have no fixed number of answers.
      EXPECT_EQ(rtindex_lookup_into(index.get(), RTINDEX_PREFIX, &keys, nullptr, nullptr, &outputs),
                RTINDEX_UNSUPPORTED);
      Exported pairs;
      EXPECT_EQ(rtindex_join(index.get(), RTINDEX_PREFIX, &keys, nullptr, nullptr,
                             pairs.schema_out(), pairs.array_out()),
                RTINDEX_UNSUPPORTED);
    }
}

TEST(CPlainMemory, TolerancesOfEveryType) {
  const std::vector<double> numbers = {1.0, 2.0};
  const std::vector<double> asked = {1.25};
  const std::vector<std::uint64_t> large = {1, ~std::uint64_t{0}};
  const std::vector<std::uint64_t> far = {std::uint64_t{1} << 63};
  const auto nearest = [](const rtindex_column& column, const rtindex_column& keys,
                          const rtindex_nearest_options& how) {
    CIndex index;
    EXPECT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
    auto options = sized<rtindex_lookup_options>();
    options.nearest = &how;
    std::uint32_t row = 0;
    auto outputs = sized<rtindex_outputs>();
    outputs.any = &row;
    EXPECT_EQ("", error_in(rtindex_lookup_into(index.get(), RTINDEX_NEAREST, &keys, nullptr,
                                               &options, &outputs)));
    return row;
  };
  auto how = sized<rtindex_nearest_options>();
  how.tolerance_type = RTINDEX_FLOAT64;
  for (const bool reaches : {true, false}) {
    how.tolerance_f64 = reaches ? 0.25 : 0.125;
    EXPECT_EQ(nearest(memory_of(RTINDEX_FLOAT64, numbers), memory_of(RTINDEX_FLOAT64, asked), how),
              reaches ? 0U : RTINDEX_MISS_ROW);
  }
  how.tolerance_type = RTINDEX_UINT64;
  for (const bool reaches : {true, false}) {
    how.tolerance_u64 = (std::uint64_t{1} << 63) - (reaches ? 1 : 2);
    EXPECT_EQ(nearest(memory_of(RTINDEX_UINT64, large), memory_of(RTINDEX_UINT64, far), how),
              reaches ? 0U : RTINDEX_MISS_ROW);
  }
}

// An index on a CPU answers in host memory, and writes no join to device memory.
TEST(CPlainMemory, DeviceCallsOfAnIndexOnACpu) {
  const std::vector<std::int64_t> keys = {1, 2};
  const rtindex_column column = memory_of(RTINDEX_INT64, keys);
  CIndex index;
  ASSERT_EQ("", error_in(rtindex_build(&column, "sorted@cpu", nullptr, index.out())));
  for (const bool joins : {false, true}) {
    ArrowDeviceArray array{};
    ASSERT_EQ("", error_in(joins ? rtindex_join_device(index.get(), RTINDEX_POINT, &column, nullptr,
                                                       nullptr, nullptr, &array)
                                 : rtindex_lookup_device(index.get(), RTINDEX_POINT, &column,
                                                         nullptr, nullptr, nullptr, &array)));
    EXPECT_EQ(array.device_type, ARROW_DEVICE_CPU);
    EXPECT_EQ(array.sync_event, nullptr);
    EXPECT_EQ(elements_of<std::uint32_t>(*array.array.children[joins ? 1 : 0]),
              (std::vector<std::uint32_t>{0, 1}));
    array.array.release(&array.array);
  }
  std::uint64_t count = 77;
  auto outputs = sized<rtindex_join_outputs>();
  outputs.count = &count;
  for (const std::int32_t kind : {RTINDEX_POINT, RTINDEX_RANGE, RTINDEX_NEAREST})
    EXPECT_NE(rtindex_join_into(index.get(), kind, &column,
                                kind == RTINDEX_RANGE ? &column : nullptr, nullptr, &outputs),
              RTINDEX_OK);
  EXPECT_EQ(count, 77U);
}

TEST(CPlainMemory, DeviceMemoryOfTheCallerIsGivenBack) {
  int destroyed = 0;
  auto memory = sized<rtindex_device_memory>();
  memory.context = &destroyed;
  EXPECT_EQ(rtindex_set_device_memory(&memory), RTINDEX_INVALID_ARGUMENT);
  memory.allocate = [](void*, std::size_t, void*) -> void* { return nullptr; };
  memory.release = [](void*, void*, std::size_t, void*) {};
  memory.destroy = [](void* context) { ++*static_cast<int*>(context); };
  ASSERT_EQ("", error_in(rtindex_set_device_memory(&memory)));
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ("", error_in(rtindex_set_device_memory(nullptr)));
  EXPECT_EQ(destroyed, 1);
}

TEST(CPlainMemory, ADescriptionOfAComposite) {
  const std::vector<std::int64_t> numbers = {1, 2, 3};
  const std::vector<rtindex_column> parts = {fruits(4), memory_of(RTINDEX_INT64, numbers)};
  auto column = sized<rtindex_column>();
  column.type = RTINDEX_COMPOSITE;
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
