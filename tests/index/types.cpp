// Units and scales on every index of a CPU.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/specs.hpp"

namespace rtindex::test {
namespace {

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(Types, ScalesOfDecimalsMustAgree) {
  const std::vector<std::int64_t> prices = {100, 250, 999};
  const auto decimals = [&](int scale) {
    return ColumnView::decimals(Type::decimal64, prices.data(), prices.size(), scale);
  };
  Index index = build(decimals(2), "sorted@cpu", {.include = decimals(3)});
  EXPECT_EQ(index.scale(), 2);
  EXPECT_EQ(index.included().front().scale, 3);
  EXPECT_EQ(index.lookup(decimals(2)).any()[1], 1U);
  EXPECT_TRUE(says(error_of([&] { static_cast<void>(index.lookup(decimals(4))); }),
                   "have the scale 2 and those of the lookups 4"));
  EXPECT_TRUE(says(error_of([&] { index.insert(decimals(0), decimals(3)); }), "scale"));
  EXPECT_TRUE(says(error_of([&] { index.insert(decimals(2), decimals(2)); }),
                   "have the scale 3 and the new ones 2"));
  EXPECT_TRUE(says(error_of([&] { static_cast<void>(index.lookup(prices)); }),
                   "int64 keys cannot be compared with a decimal64 column"));
  const Index integers = build(std::vector<std::int64_t>{7}, "sorted@cpu");
  EXPECT_TRUE(says(error_of([&] { static_cast<void>(integers.lookup(0.5)); }),
                   "float64 keys cannot be compared with an int64 column"));
  EXPECT_EQ(index.size(), 3U);
  index.insert(decimals(2), decimals(3));
  EXPECT_EQ(index.lookup(decimals(2), {.answers = Answer::sum}).sum_as<std::int64_t>()[2], 1998);
  const Index loaded = deserialize(index.serialize());
  EXPECT_EQ(loaded.scale(), 2);
  EXPECT_EQ(loaded.included().front().scale, 3);
  EXPECT_EQ(index.snapshot().scale(), 2);

  const Index pairs = build(ColumnView::composite({prices, decimals(5)}), "sorted@cpu");
  EXPECT_EQ(pairs.part_scales(), (std::vector<int>{0, 5}));
  EXPECT_EQ(pairs.copy().part_scales(), (std::vector<int>{0, 5}));
  EXPECT_TRUE(says(error_of([&] {
                     static_cast<void>(pairs.lookup(ColumnView::composite({prices, decimals(6)})));
                   }),
                   "scale 5"));
}

TEST(Types, UnitsOfTimesAndDurationsMustAgree) {
  const std::vector<std::int64_t> ticks = {5, 1};
  for (const Type type : {Type::time64, Type::duration64}) {
    const auto times = [&](TimeUnit unit) {
      return ColumnView::of(type, ticks.data(), ticks.size()).with_time_unit(unit);
    };
    const Index index = build(times(TimeUnit::microsecond), "sorted@cpu");
    EXPECT_EQ(index.time_unit(), TimeUnit::microsecond);
    EXPECT_EQ(index.lookup(times(TimeUnit::unspecified)).any()[1], 1U);
    EXPECT_TRUE(
        says(error_of([&] { static_cast<void>(index.lookup(times(TimeUnit::nanosecond))); }),
             "counts time in us and the lookups in ns"));
  }
}

TEST(Types, DecimalsOf128BitsAreValuesIfTheyFit64) {
  constexpr std::uint64_t minus = ~std::uint64_t{0};
  const std::vector<std::uint64_t> elements = {150, 0, minus - 24, minus, 3, 1};
  const auto values = [&](std::size_t first, std::size_t count) {
    return ColumnView::decimals(Type::decimal128, elements.data(), 3, 2).slice(first, count);
  };
  const std::vector<int> keys = {1, 1};
  const AnswerOptions sum{.answers = Answer::sum, .values = values(0, 2)};
  const Index plain = build(keys, "sorted@cpu");
  EXPECT_EQ(plain.lookup(std::vector<int>{1}, sum).sum_as<std::int64_t>()[0], 125);
  std::int64_t into = 0;
  plain.answer_into(Query::equal(std::vector<int>{1}), {.values = values(0, 2)}, {.sum = &into});
  EXPECT_EQ(into, 125);
  EXPECT_TRUE(says(error_of([&] {
                     static_cast<void>(
                         plain.lookup(keys, {.answers = Answer::sum, .values = values(1, 2)}));
                   }),
                   "value 184467440737095516.19 of row 1 does not fit 64 bits"));

  Index included = build(keys, "sorted@cpu", {.include = values(0, 2)});
  EXPECT_EQ(included.included().front().type, Type::decimal64);
  EXPECT_EQ(included.included().front().scale, 2);
  included.insert(std::vector<int>{1}, values(0, 1));
  included.set_included(std::vector<std::uint32_t>{1}, values(0, 1));
  EXPECT_EQ(included.lookup(std::vector<int>{1}, Answer::sum).sum_as<std::int64_t>()[0], 450);
  EXPECT_THROW(included.insert(std::vector<int>{1}, values(2, 1)), Error);
  EXPECT_EQ(included.size(), 3U);
}

TEST(Types, IntegersOf128BitsAreValuesIfTheyFit64) {
  constexpr std::uint64_t minus = ~std::uint64_t{0};
  // -25, 2^64 - 25, and 2^64 + 7
  const std::vector<std::uint64_t> elements = {minus - 24, minus, minus - 24, 0, 7, 1};
  const std::vector<int> keys = {1};
  const std::uint8_t none = 0;
  for (const Type type : {Type::i128, Type::u128}) {
    SCOPED_TRACE(name_of(type));
    const std::size_t fits = type == Type::i128 ? 0 : 1;
    const ColumnView all = ColumnView::of(type, elements.data(), 3);
    const auto sum_of = [&](const Answers& found) {
      return type == Type::u128 ? found.sum_as<std::uint64_t>()[0]
                                : static_cast<std::uint64_t>(found.sum_as<std::int64_t>()[0]);
    };
    Index plain = build(keys, "sorted@cpu");
    for (std::size_t row = 0; row < 3; ++row) {
      const AnswerOptions sum{.answers = Answer::sum | Answer::min, .values = all.slice(row, 1)};
      if (row == fits) {
        EXPECT_EQ(sum_of(plain.lookup(keys, sum)), elements[2 * row]);
        std::uint64_t into = 0;
        plain.answer_into(Query::equal(keys), {.values = all.slice(row, 1)}, {.max = &into});
        EXPECT_EQ(into, elements[2 * row]);
      } else {
        const std::string error = error_of([&] { static_cast<void>(plain.lookup(keys, sum)); });
        EXPECT_TRUE(says(error, "of row 0 does not fit 64 bits: cast the values to float64"));
        EXPECT_FALSE(says(error, "digits"));
        EXPECT_THROW(static_cast<void>(build(keys, "sorted@cpu", {.include = sum.values})), Error);
      }
      const ColumnView null = sum.values.with_validity(&none);
      const Answers none_found =
          plain.lookup(keys, {.answers = Answer::sum, .values = null, .matched = true});
      EXPECT_EQ(none_found.matched_bitmap()[0], 1);
      EXPECT_EQ(none_found.validity_bitmap()[0], 0);
    }
    Index included = build(keys, "sorted@cpu", {.include = all.slice(fits, 1)});
    EXPECT_EQ(included.included().front().type, type == Type::i128 ? Type::i64 : Type::u64);
    included.insert(keys, all.slice(fits, 1));
    EXPECT_THROW(included.insert(keys, all.slice(2, 1)), Error);
    EXPECT_THROW(included.set_included(std::vector<std::uint32_t>{0}, all.slice(2, 1)), Error);
    EXPECT_EQ(sum_of(included.lookup(keys, Answer::sum)), 2 * elements[2 * fits]);
  }
  const Index plain = build(keys, "sorted@cpu");
  const ColumnView text = ColumnView::of(Type::binary16, elements.data(), 1);
  EXPECT_TRUE(says(error_of([&] {
                     static_cast<void>(
                         plain.lookup(keys, {.answers = Answer::sum, .values = text}));
                   }),
                   "the value column is binary16"));
}

TEST(Types, KeysOf128BitsFitABuffer) {
  const std::vector<std::uint64_t> elements = {7, 1, 9, 1};
  const ColumnView column = ColumnView::of(Type::u128, elements.data(), 2);
  const std::vector<std::uint64_t> lookups = {8, 1};
  std::vector<std::uint64_t> key(2);
  build(column, "sorted@cpu")
      .answer_into(Query::nearest(ColumnView::of(Type::u128, lookups.data(), 1),
                                  {.direction = Direction::forward}),
                   {}, {.key = key.data()});
  EXPECT_EQ(key, (std::vector<std::uint64_t>{9, 1}));
}

}  // namespace
}  // namespace rtindex::test
