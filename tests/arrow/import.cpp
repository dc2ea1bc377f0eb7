// Arrow arrays are viewed where they are: elements, strings and bitmaps are not copied.

#include "arrow/import.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <rtindex/error.hpp>

namespace rtindex::test {
namespace {

// An array over memory of the test.
struct MadeByHand {
  MadeByHand(const char* format, std::vector<const void*> from, std::int64_t length,
             std::int64_t offset = 0)
      : buffers(std::move(from)) {
    schema.format = format;
    schema.release = [](ArrowSchema*) {};
    array.length = length;
    array.offset = offset;
    array.null_count = buffers[0] == nullptr ? 0 : -1;
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    array.release = [](ArrowArray*) {};
  }
  MadeByHand(const MadeByHand&) = delete;
  MadeByHand& operator=(const MadeByHand&) = delete;

  [[nodiscard]] arrow::Imported imported() const {
    const arrow::ArrowType type = arrow::ArrowType::from(schema);
    arrow::Imported column = arrow::import_array(array, type);
    column.view = arrow::with_units(column.view, type);
    return column;
  }

  std::vector<const void*> buffers;
  ArrowSchema schema{};
  ArrowArray array{};
};

TEST(ArrowImport, ViewsElementsInPlace) {
  struct Case {
    const char* format;
    Type type;
    std::size_t width;
  };
  const std::array<std::uint64_t, 12> memory{};
  for (const Case& one : {Case{"c", Type::i8, 1},
                          Case{"C", Type::u8, 1},
                          Case{"s", Type::i16, 2},
                          Case{"S", Type::u16, 2},
                          Case{"i", Type::i32, 4},
                          Case{"I", Type::u32, 4},
                          Case{"l", Type::i64, 8},
                          Case{"L", Type::u64, 8},
                          Case{"f", Type::f32, 4},
                          Case{"g", Type::f64, 8},
                          Case{"tdD", Type::date32, 4},
                          Case{"tdm", Type::timestamp64, 8},
                          Case{"tsu:UTC", Type::timestamp64, 8},
                          Case{"e", Type::f16, 2},
                          Case{"tts", Type::time32, 4},
                          Case{"ttm", Type::time32, 4},
                          Case{"ttu", Type::time64, 8},
                          Case{"ttn", Type::time64, 8},
                          Case{"tDs", Type::duration64, 8},
                          Case{"tDn", Type::duration64, 8},
                          Case{"d:9,2,32", Type::decimal32, 4},
                          Case{"d:18,2,64", Type::decimal64, 8},
                          Case{"d:12,2", Type::decimal128, 16},
                          Case{"d:38,-3,128", Type::decimal128, 16},
                          Case{"w:16", Type::binary16, 16},
                          Case{"_pli128", Type::i128, 16},
                          Case{"_plu128", Type::u128, 16}}) {
    SCOPED_TRACE(one.format);
    const std::uint8_t valid = 0b1011'0111;
    const MadeByHand made(one.format, {&valid, memory.data()}, 4, 2);
    const arrow::Imported column = made.imported();
    EXPECT_EQ(column.view.type(), one.type);
    EXPECT_EQ(column.view.size(), 4U);
    EXPECT_EQ(column.view.data(), reinterpret_cast<const char*>(memory.data()) + 2 * one.width);
    EXPECT_EQ(column.view.validity(), &valid);
    EXPECT_TRUE(column.view.valid(0));
    EXPECT_FALSE(column.view.valid(1));
    EXPECT_TRUE(column.owners.empty());
  }
}

TEST(ArrowImport, TimestampsHaveUnits) {
  const std::int64_t tick = 7;
  const auto unit_of = [&](const char* format) {
    return MadeByHand(format, {nullptr, &tick}, 1).imported().view.time_unit();
  };
  EXPECT_EQ(unit_of("tss:"), TimeUnit::second);
  EXPECT_EQ(unit_of("tsm:Europe/Berlin"), TimeUnit::millisecond);
  EXPECT_EQ(unit_of("tsu:"), TimeUnit::microsecond);
  EXPECT_EQ(unit_of("tsn:"), TimeUnit::nanosecond);
  EXPECT_EQ(unit_of("tdm"), TimeUnit::millisecond);
  EXPECT_EQ(unit_of("tts"), TimeUnit::second);
  EXPECT_EQ(unit_of("ttm"), TimeUnit::millisecond);
  EXPECT_EQ(unit_of("ttu"), TimeUnit::microsecond);
  EXPECT_EQ(unit_of("ttn"), TimeUnit::nanosecond);
  EXPECT_EQ(unit_of("tDu"), TimeUnit::microsecond);
}

TEST(ArrowImport, DecimalsHaveScales) {
  const std::array<std::uint64_t, 2> element{};
  const auto scale_of = [&](const char* format) {
    return MadeByHand(format, {nullptr, element.data()}, 1).imported().view.scale();
  };
  EXPECT_EQ(scale_of("d:38,4"), 4);
  EXPECT_EQ(scale_of("d:18,0,64"), 0);
  EXPECT_EQ(scale_of("d:9,-2,32"), -2);
  for (const char* const wrong :
       {"d:", "d:5", "d:5,", "d:5,2,", "d:5,2,256", "d:5,200", "d:5,2,64,1", "d:x,2"})
    EXPECT_THROW(scale_of(wrong), Error) << wrong;
}

TEST(ArrowImport, DictionariesAreGathered) {
  const char bytes[] = "onetwothreeone";
  const std::vector<std::int32_t> offsets{0, 3, 6, 11, 14};
  const std::uint8_t valid_values = 0b1101;
  MadeByHand values("u", {&valid_values, offsets.data(), bytes}, 4);
  const std::vector<std::int8_t> indices{9, 2, 0, 1, 3, 2};
  const std::uint8_t valid = 0b10'1111;
  MadeByHand made("c", {&valid, indices.data()}, 5, 1);
  made.schema.dictionary = &values.schema;
  made.array.dictionary = &values.array;
  const arrow::Imported column = made.imported();
  EXPECT_EQ(column.view.type(), Type::string);
  ASSERT_EQ(column.view.size(), 5U);
  EXPECT_EQ(column.view.string(0), "three");
  EXPECT_EQ(column.view.string(1), "one");
  EXPECT_FALSE(column.view.valid(2));  // the value is null
  EXPECT_FALSE(column.view.valid(3));  // the index is null
  EXPECT_EQ(column.view.text(4), "\"three\"");
  EXPECT_EQ(column.view.slice(1, 2).string(0), "one");

  const std::vector<std::uint64_t> numbers{7, 0, 9, 0};
  MadeByHand decimals("d:20,3", {nullptr, numbers.data()}, 2);
  made.schema.dictionary = &decimals.schema;
  made.array.dictionary = &decimals.array;
  const std::vector<std::int8_t> two{0, 1, 0, 1, 0, 1};
  made.buffers[1] = two.data();
  const arrow::Imported of_decimals = made.imported();
  EXPECT_EQ(of_decimals.view.type(), Type::decimal128);
  EXPECT_EQ(of_decimals.view.scale(), 3);
  EXPECT_EQ(of_decimals.view.text(0), "0.009");
  EXPECT_EQ(of_decimals.view.text(1), "0.007");
}

TEST(ArrowImport, RejectsDictionariesThatNoColumnHas) {
  const std::vector<std::int32_t> numbers{1, 2, 3};
  MadeByHand values("i", {nullptr, numbers.data()}, 3);
  const std::vector<std::int8_t> indices{0, 3, -1};
  MadeByHand made("c", {nullptr, indices.data()}, 2);
  made.schema.dictionary = &values.schema;
  EXPECT_THROW(made.imported(), Error);  // no dictionary in the array
  made.array.dictionary = &values.array;
  EXPECT_THROW(made.imported(), Error);  // index 3 of 3
  made.array.length = 1;
  EXPECT_EQ(made.imported().view.text(0), "1");
  made.array.offset = 2;
  EXPECT_THROW(made.imported(), Error);  // index -1
  values.schema.dictionary = &values.schema;
  EXPECT_THROW(made.imported(), Error);  // a dictionary of dictionaries
  values.schema.dictionary = nullptr;
  made.schema.format = "f";
  EXPECT_THROW(made.imported(), Error);  // floats are no indices
}

template <class Offset>
void expect_strings_in_place(const char* format) {
  const char bytes[] = "onetwothree";
  const std::vector<Offset> offsets{0, 3, 6, 11};
  const MadeByHand made(format, {nullptr, offsets.data(), bytes}, 2, 1);
  const arrow::Imported column = made.imported();
  EXPECT_EQ(column.view.string_bytes(), bytes);
  EXPECT_EQ(column.view.string_offsets(), offsets.data() + 1);
  EXPECT_EQ(column.view.string(0), "two");
  EXPECT_EQ(column.view.string(1), "three");
  EXPECT_TRUE(column.owners.empty());
}

TEST(ArrowImport, ViewsStringsInPlace) {
  expect_strings_in_place<std::int32_t>("u");
  expect_strings_in_place<std::int32_t>("z");
  expect_strings_in_place<std::int64_t>("U");
  expect_strings_in_place<std::int64_t>("Z");
}

TEST(ArrowImport, StringsOfOtherLayoutsAreViewed) {
  const char fixed[] = "aaabbbccc";
  EXPECT_EQ(MadeByHand("w:3", {nullptr, fixed}, 2, 1).imported().view.string(1), "ccc");
  const std::string text = "a string of more than twelve bytes";
  std::array<char, 32> views{};
  const auto put = [&](std::size_t at, std::int32_t value) { std::memcpy(&views[at], &value, 4); };
  put(0, 2);
  std::memcpy(&views[4], "hi", 2);
  put(16, static_cast<std::int32_t>(text.size()) - 2);
  put(24, 0);
  put(28, 2);
  const std::int64_t sizes[] = {static_cast<std::int64_t>(text.size())};
  const MadeByHand made("vu", {nullptr, views.data(), text.data(), sizes}, 2);
  const arrow::Imported column = made.imported();
  EXPECT_EQ(column.view.string(0), "hi");
  EXPECT_EQ(column.view.string(1), text.substr(2));
}

TEST(ArrowImport, BoolsAreUnpacked) {
  const std::uint8_t bits = 0b0000'1010;
  const MadeByHand made("b", {nullptr, &bits}, 3, 1);
  const arrow::Imported column = made.imported();
  ASSERT_EQ(column.view.type(), Type::boolean);
  const auto* bytes = static_cast<const std::uint8_t*>(column.view.data());
  EXPECT_EQ((std::vector<std::uint8_t>(bytes, bytes + 3)), (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST(ArrowImport, AStructMovesItsChildren) {
  const std::int32_t years[] = {1, 2, 3, 4};
  const std::int8_t months[] = {0, 5, 6, 7, 8};
  MadeByHand year("i", {nullptr, years}, 4), month("c", {nullptr, months}, 4, 1);
  const std::uint8_t valid = 0b1101;
  MadeByHand both("+s", {&valid}, 3, 1);
  ArrowSchema* schemas[] = {&year.schema, &month.schema};
  ArrowArray* arrays[] = {&year.array, &month.array};
  both.schema.n_children = both.array.n_children = 2;
  both.schema.children = schemas;
  both.array.children = arrays;
  const ColumnView view = both.imported().view;
  ASSERT_EQ(view.parts().size(), 2U);
  EXPECT_EQ(view.text(1), "(3, 7)");
  EXPECT_EQ(view.text(2), "(4, 8)");
  EXPECT_EQ(view.text(0), "null");
  EXPECT_EQ(view.parts()[0].data(), years + 1);
}

// The message of a rejected import; "" where there is none.
std::string error_message(const MadeByHand& made) {
  try {
    static_cast<void>(made.imported());
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(ArrowImport, RejectsInvalidOffsets) {
  for (const std::vector<std::int32_t>& offsets :
       {std::vector<std::int32_t>{0, 3, 2}, {-1, 0, 3}, {5, 4, 4}}) {
    const MadeByHand made("u", {nullptr, offsets.data(), "abcdef"}, 2);
    EXPECT_NE(error_message(made).find("offsets of strings decrease"), std::string::npos);
  }
}

TEST(ArrowImport, RejectsViewsOutsideOfTheirBuffer) {
  const std::int64_t sizes[] = {20};
  const std::string text(20, 'x');
  for (const auto& [length, buffer, offset] :
       std::vector<std::array<std::int32_t, 3>>{{13, 0, 8}, {21, 0, 0}, {13, 1, 0}, {13, -1, 0}}) {
    const std::array<std::int32_t, 4> view = {length, 0, buffer, offset};
    const MadeByHand made("vu", {nullptr, view.data(), text.data(), sizes}, 1);
    EXPECT_NE(error_message(made).find("invalid Arrow array: string 0"), std::string::npos);
  }
}

TEST(ArrowImport, RejectsInvalidNullCounts) {
  const std::int64_t elements[] = {1, 2};
  MadeByHand made("l", {nullptr, elements}, 2);
  for (const std::int64_t nulls : {std::int64_t{-2}, std::int64_t{1}, std::int64_t{3}}) {
    made.array.null_count = nulls;
    EXPECT_NE(error_message(made), "") << nulls;
  }
}

TEST(ArrowImport, MisalignedElementsAreCopied) {
  alignas(8) std::array<char, 25> memory{};
  const std::int64_t elements[] = {7, 8, 9};
  std::memcpy(&memory[1], elements, sizeof(elements));
  const arrow::Imported column = MadeByHand("l", {nullptr, &memory[1]}, 2, 1).imported();
  EXPECT_EQ(column.view.text(0), "8");
  EXPECT_EQ(column.view.text(1), "9");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.view.data()) % 8, 0U);
}

TEST(ArrowImport, FixedStringsHaveAWidthOf31Bits) {
  const MadeByHand made("w:2147483648", {nullptr, "a"}, 1);
  EXPECT_NE(error_message(made).find("invalid Arrow format"), std::string::npos);
}

TEST(ArrowImport, EmptyArraysNeedNoMemory) {
  for (const char* format : {"l", "b", "u", "U", "vu", "w:4"}) {
    const MadeByHand made(format, {nullptr, nullptr, nullptr}, 0);
    EXPECT_EQ(made.imported().view.size(), 0U) << format;
  }
}

}  // namespace
}  // namespace rtindex::test
