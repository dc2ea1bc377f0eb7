#include <rtindex/column.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <rtindex/error.hpp>

#include "base/types.hpp"
#include "support/run.hpp"
#include "support/workloads.hpp"

namespace rtindex {
namespace {

template <class T>
Type type_of_vector() {
  return ColumnView(std::vector<T>()).type();
}

TEST(ColumnView, HasTheTypeOfItsElements) {
  EXPECT_EQ(type_of_vector<std::uint8_t>(), Type::u8);
  EXPECT_EQ(type_of_vector<std::int8_t>(), Type::i8);
  EXPECT_EQ(type_of_vector<std::uint16_t>(), Type::u16);
  EXPECT_EQ(type_of_vector<short>(), Type::i16);
  EXPECT_EQ(type_of_vector<unsigned>(), Type::u32);
  EXPECT_EQ(type_of_vector<int>(), Type::i32);
  EXPECT_EQ(type_of_vector<long>(), Type::i64);
  EXPECT_EQ(type_of_vector<unsigned long long>(), Type::u64);
  EXPECT_EQ(type_of_vector<float>(), Type::f32);
  EXPECT_EQ(type_of_vector<double>(), Type::f64);
  EXPECT_EQ(ColumnView(std::array<bool, 2>{true, false}).type(), Type::boolean);
  EXPECT_EQ(type_of_vector<std::string>(), Type::string);
  EXPECT_EQ(type_of_vector<std::string_view>(), Type::string);
  EXPECT_EQ(ColumnView().type(), Type::u64);
  EXPECT_TRUE(ColumnView().empty());
  static_assert(!NativeKey<char> && !NativeKey<long double> && !NativeKey<char32_t>);
}

TEST(ColumnView, AcceptsSpansVectorsAndArrays) {
  std::vector<int> vector = {1, 2, 3};
  const std::span<int> span = vector;
  const std::array<const int, 2> array = {4, 5};
  EXPECT_EQ(ColumnView(vector).text(2), "3");
  EXPECT_EQ(ColumnView(span).text(2), "3");
  EXPECT_EQ(ColumnView(array).text(1), "5");
}

TEST(ColumnView, ReadsEveryStringLayout) {
  const std::string bytes = "onetwothree";
  const std::vector<std::int32_t> offsets32 = {0, 3, 6, 11};
  const std::vector<std::int64_t> offsets64 = {0, 3, 6, 11};
  const std::string fixed("one\0\0two\0\0three", 15);
  const std::vector<std::string> strings = {"one", "two", "three"};
  const std::vector<std::string_view> views = {"one", "two", "three"};
  for (const ColumnView& view :
       {ColumnView::strings(offsets32, bytes.data()), ColumnView::strings(offsets64, bytes.data()),
        ColumnView::fixed_strings(fixed.data(), 5, 3), ColumnView(strings), ColumnView(views)}) {
    ASSERT_EQ(view.size(), 3U);
    for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(view.string(row), strings[row]);
    EXPECT_EQ(view.text(0), "\"one\"");
  }
  EXPECT_EQ(ColumnView::strings(std::span<const std::int32_t>(), nullptr).size(), 0U);
  EXPECT_EQ(ColumnView::fixed_strings("\0\0", 2, 1).string(0), "");
}

TEST(ColumnView, ReadsValidityFromAnyBit) {
  const std::vector<int> values = {10, 11, 12};
  const std::array<std::uint8_t, 2> bitmap = {0b01000000, 0b00000001};
  const ColumnView view = ColumnView(values).with_validity(bitmap.data(), 6);
  EXPECT_TRUE(view.nullable());
  EXPECT_FALSE(ColumnView(values).nullable());
  EXPECT_TRUE(view.valid(0));
  EXPECT_FALSE(view.valid(1));
  EXPECT_TRUE(view.valid(2));
  EXPECT_EQ(view.text(1), "null");
}

TEST(ColumnView, ATupleWithANullIsNull) {
  const std::vector<int> a = {1, 2};
  const std::vector<std::string> b = {"x", "y"};
  const std::uint8_t second_is_null = 0b01;
  const ColumnView view =
      ColumnView::composite({ColumnView(a), ColumnView(b).with_validity(&second_is_null)});
  EXPECT_TRUE(view.nullable());
  EXPECT_TRUE(view.valid(0));
  EXPECT_FALSE(view.valid(1));
  EXPECT_EQ(view.text(0), "(1, \"x\")");
  EXPECT_EQ(view.parts().size(), 2U);
}

TEST(ColumnView, RejectsInvalidColumns) {
  const std::vector<int> two = {1, 2};
  const std::vector<int> three = {1, 2, 3};
  EXPECT_THROW(static_cast<void>(ColumnView::composite({})), Error);
  EXPECT_THROW(static_cast<void>(ColumnView::composite({ColumnView(two), ColumnView(three)})),
               Error);
  EXPECT_THROW(static_cast<void>(ColumnView::composite({ColumnView::composite({ColumnView(two)})})),
               Error);
  EXPECT_THROW(static_cast<void>(ColumnView::of(Type::string, nullptr, 0)), Error);
  EXPECT_THROW(static_cast<void>(ColumnView::of(Type::composite, nullptr, 0)), Error);
}

TEST(ColumnView, FormatsElementsAsText) {
  EXPECT_EQ(ColumnView(std::vector<std::uint8_t>{200}).text(0), "200");
  EXPECT_EQ(ColumnView(std::vector<std::int8_t>{-100}).text(0), "-100");
  EXPECT_EQ(ColumnView(std::vector<double>{0.1}).text(0), "0.1");
  const std::uint8_t truth = 7;
  EXPECT_EQ(ColumnView::of(Type::boolean, &truth, 1).text(0), "1");
  const std::int32_t days[] = {19814, -1};
  const ColumnView dates = ColumnView::of(Type::date32, days, 2);
  EXPECT_EQ(dates.text(0), "2024-04-01");
  EXPECT_EQ(dates.text(1), "1969-12-31");
  const std::int64_t ticks = 1711857600000001;
  const ColumnView times = ColumnView::of(Type::timestamp64, &ticks, 1);
  EXPECT_EQ(times.with_time_unit(TimeUnit::microsecond).text(0), "2024-03-31T04:00:00.000001");
  EXPECT_EQ(times.text(0), "1711857600000001") << "without a unit";
}

// The columns that all other tests are made of say what their plain keys say.
TEST(ColumnView, SlicesEveryStringLayout) {
  const std::vector<std::string> keys = {"a", "bb", "", "cccc"};
  std::vector<test::Key> table;
  for (const std::string& key : keys) table.push_back({key});
  for (const test::Layout layout : {test::Layout::strings, test::Layout::views, test::Layout::fixed,
                                    test::Layout::offsets32, test::Layout::offsets64}) {
    const test::TestColumn column({Type::string, layout}, table);
    const ColumnView slice = column.view().slice(1, 3);
    ASSERT_EQ(slice.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(slice.string(i), keys[i + 1]);
    EXPECT_EQ(test::error_of([&] { static_cast<void>(column.view().slice(2, 3)); }),
              ErrorKind::invalid_argument);
  }
}

TEST(ColumnView, OnlyTimestampsHaveUnits) {
  const std::vector<std::int64_t> ticks = {1, 2};
  const std::vector<std::int32_t> days = {3};
  EXPECT_EQ(ColumnView::timestamps(ticks, TimeUnit::second).time_unit(), TimeUnit::second);
  EXPECT_EQ(ColumnView::dates(days).type(), Type::date32);
  EXPECT_EQ(test::error_of(
                [&] { static_cast<void>(ColumnView(ticks).with_time_unit(TimeUnit::second)); }),
            ErrorKind::invalid_argument);
  EXPECT_EQ(test::error_of([&] { static_cast<void>(time_unit_named("weeks")); }),
            ErrorKind::invalid_argument);
}

TEST(Types, HaveNamesAndWidths) {
  for (int i = 0; i <= static_cast<int>(Type::composite); ++i) {
    const auto type = static_cast<Type>(i);
    EXPECT_EQ(type_named(name_of(type)), type);
    const std::size_t width = visit_native(type, []<class T>() { return sizeof(T); });
    EXPECT_EQ(width_of(type), is_native(type) ? width : 0) << name_of(type);
  }
  EXPECT_EQ(test::error_of([] { static_cast<void>(type_named("decimal")); }),
            ErrorKind::invalid_argument);
}

TEST(ErrorKinds, HaveTheNamesOfTheDocumentation) {
  const std::vector<std::pair<ErrorKind, std::string>> names = {
      {ErrorKind::invalid_argument, "invalid_argument"},
      {ErrorKind::unsupported, "unsupported"},
      {ErrorKind::unavailable, "unavailable"},
      {ErrorKind::out_of_memory, "out_of_memory"},
      {ErrorKind::io, "io"},
      {ErrorKind::corrupt_file, "corrupt_file"}};
  for (const auto& [kind, name] : names) EXPECT_EQ(name_of(kind), name);
}

TEST(TestColumn, LaysOutItsKeys) {
  for (const test::Workload& workload : test::all_workloads()) {
    const test::TestColumn column = workload.column();
    const ColumnView view = column.view();
    ASSERT_EQ(view.size(), column.size()) << workload.name;
    const bool are_dates = view.type() == Type::date32;  // whose texts are no numbers
    const ColumnView numbers =
        are_dates ? ColumnView::of(Type::i32, view.data(), view.size()) : view;
    ASSERT_EQ(view.type(), column.shape().type) << workload.name;
    for (std::size_t row = 0; row < column.size(); ++row) {
      const test::Key& key = column.keys()[row];
      ASSERT_EQ(view.valid(row), !test::is_null(key)) << workload.name << " row " << row;
      if (test::is_null(key)) continue;
      if (view.type() == Type::string) {
        ASSERT_EQ(view.string(row), std::get<std::string>(key[0])) << workload.name;
      } else if (test::is_integer_shape(column.shape())) {
        ASSERT_EQ(numbers.text(row), test::text_of(key)) << workload.name;
      }
    }
  }
}

TEST(ColumnText, ShowsUnitsAndScales) {
  const std::vector<std::int64_t> numbers = {0, 5, -1234, 86'399'999, -1};
  const auto text = [&](ColumnView column, std::size_t row) { return column.text(row); };
  const auto of = [&](Type type) { return ColumnView::of(type, numbers.data(), numbers.size()); };
  const auto decimal = [&](int scale, std::size_t row) {
    return of(Type::decimal64).with_scale(scale).text(row);
  };
  EXPECT_EQ(decimal(0, 2), "-1234");
  EXPECT_EQ(decimal(2, 2), "-12.34");
  EXPECT_EQ(decimal(4, 2), "-0.1234");
  EXPECT_EQ(decimal(6, 2), "-0.001234");
  EXPECT_EQ(decimal(2, 0), "0.00");
  EXPECT_EQ(decimal(2, 1), "0.05");
  EXPECT_EQ(decimal(-2, 2), "-123400");
  EXPECT_EQ(decimal(-2, 0), "0");
  const ColumnView times = of(Type::time64).with_time_unit(TimeUnit::millisecond);
  EXPECT_EQ(text(times, 3), "23:59:59.999");
  EXPECT_EQ(text(times, 1), "00:00:00.005");
  EXPECT_EQ(text(times, 4), "-1");
  EXPECT_EQ(text(of(Type::time64).with_time_unit(TimeUnit::second), 1), "00:00:05");
  EXPECT_EQ(text(of(Type::time64).with_time_unit(TimeUnit::nanosecond), 3), "00:00:00.086399999");
  EXPECT_EQ(text(of(Type::time64), 3), "86399999");
  EXPECT_EQ(text(of(Type::duration64).with_time_unit(TimeUnit::microsecond), 2), "-1234 us");
  EXPECT_EQ(text(of(Type::duration64), 2), "-1234");
  const std::vector<std::uint64_t> wide = {
      ~std::uint64_t{0}, ~std::uint64_t{0}, 0, std::uint64_t{1} << 63, 0, 1};
  EXPECT_EQ(text(ColumnView::of(Type::u128, wide.data(), 3), 0),
            "340282366920938463463374607431768211455");
  EXPECT_EQ(text(ColumnView::of(Type::i128, wide.data(), 3), 0), "-1");
  EXPECT_EQ(text(ColumnView::of(Type::i128, wide.data(), 3), 1),
            "-170141183460469231731687303715884105728");
  EXPECT_EQ(text(ColumnView::decimals(Type::decimal128, wide.data(), 3, 3), 2),
            "18446744073709551.616");
  const std::string bytes = "\x12\x34\x56\x78\x9a\xbc\xde\xf0 abcdef\xff";
  EXPECT_EQ(text(ColumnView::of(Type::binary16, bytes.data(), 1), 0),
            "12345678-9abc-def0-2061-6263646566ff");
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc100, 0x7c00, 0x0001};
  EXPECT_EQ(text(ColumnView::of(Type::f16, halves.data(), 4), 1), "-2.5");
}

TEST(ColumnView, RejectsUnitsAndScalesOfOtherTypes) {
  const std::vector<std::int64_t> numbers = {1};
  EXPECT_THROW(static_cast<void>(ColumnView(numbers).with_scale(2)), Error);
  EXPECT_THROW(static_cast<void>(ColumnView(numbers).with_time_unit(TimeUnit::second)), Error);
  EXPECT_THROW(static_cast<void>(ColumnView::decimals(Type::decimal64, numbers.data(), 1, 128)),
               Error);
  EXPECT_THROW(static_cast<void>(ColumnView::decimals(Type::i64, numbers.data(), 1, 2)), Error);
}

TEST(Half, IsTheFloatOfItsBits) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const double wanted = test::half_value(half.bits);
    if (wanted != wanted) {
      EXPECT_NE(half.value(), half.value()) << bits;
      EXPECT_NE(Half(half.value()).value(), Half(half.value()).value()) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(half.value()), wanted) << bits;
      ASSERT_EQ(Half(half.value()).bits, half.bits);
    }
  }
  EXPECT_EQ(Half(65520.0F).bits, 0x7bff);
  EXPECT_EQ(Half(65536.0F).bits, 0x7c00);
  EXPECT_EQ(Half(0x1.8p-25F).bits, 0);
}

TEST(ColumnText, EscapesWhatIsNotPrintableUtf8) {
  using namespace std::string_view_literals;
  const std::vector<std::string_view> keys = {"z\0z"sv, "\x80zz"sv, "\xed\xa0\x80"sv,
                                              "gr\xc3\xbc\xc3\x9f"sv};
  const ColumnView column{std::span(keys)};
  EXPECT_EQ(column.text(0), "\"z\\x00z\"");
  EXPECT_EQ(column.text(1), "\"\\x80zz\"");
  EXPECT_EQ(column.text(2), "\"\\xed\\xa0\\x80\"");
  EXPECT_EQ(column.text(3), "\"gr\xc3\xbc\xc3\x9f\"");
  const std::string long_key(1000, 'x');
  const std::vector<std::string_view> one = {long_key};
  EXPECT_LT(ColumnView{std::span(one)}.text(0).size(), 300U);
}

}  // namespace
}  // namespace rtindex
