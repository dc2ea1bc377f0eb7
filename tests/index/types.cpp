// Units, scales and dictionaries on every index of a CPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"
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

class Dictionaries : public testing::TestWithParam<std::string> {};

// A dictionary column and the same column decoded answer alike.
struct Pair {
  std::vector<std::string> values;
  std::vector<std::uint16_t> indices;
  std::vector<std::uint8_t> valid_values, valid;
  std::vector<std::string> plain;
  std::vector<std::uint8_t> plain_valid;

  Pair(std::size_t size, std::size_t distinct, const std::string& start, Random& random)
      : valid_values((distinct + 7) / 8, 0xff),
        valid((size + 7) / 8, 0xff),
        plain_valid((size + 7) / 8, 0) {
    for (std::size_t i = 0; i < distinct; ++i)
      values.push_back(start + std::to_string(random.below(distinct)));  // some repeat
    valid_values[0] = 0b1111'1011;
    for (std::size_t i = 0; i < size; ++i) {
      indices.push_back(static_cast<std::uint16_t>(random.below(distinct)));
      const bool is_null = random.one_in(7);
      if (is_null) valid[i / 8] = static_cast<std::uint8_t>(valid[i / 8] & ~(1U << i % 8));
      if (is_null && random.one_in(2)) indices.back() = 60000;
      plain.push_back(is_null ? "" : values[indices.back()]);
      if (!is_null && indices.back() != 2)
        plain_valid[i / 8] = static_cast<std::uint8_t>(plain_valid[i / 8] | 1U << i % 8);
    }
  }

  [[nodiscard]] ColumnView dictionary() const {
    return ColumnView::dictionary(ColumnView(indices).with_validity(valid.data()),
                                  ColumnView(values).with_validity(valid_values.data()));
  }
  [[nodiscard]] ColumnView decoded() const {
    return ColumnView(plain).with_validity(plain_valid.data());
  }
};

TEST_P(Dictionaries, OfStringsAnswerLikeDecodedColumns) {
  Random random(3);
  const AnswerOptions all{.answers = Answer::first | Answer::count, .matched = true};
  for (const std::string& start : {std::string("a"), std::string(90, 'x')})
    for (const std::size_t distinct : {3, 50, 2000}) {
      SCOPED_TRACE(distinct);
      const Pair keys(1500, distinct, start, random);
      const Pair lookups(700, distinct, start, random);
      Index index = build(keys.dictionary(), GetParam());
      Index plain = build(keys.decoded(), GetParam());
      const auto expect_alike = [&] {
        EXPECT_EQ(index.valid(), plain.valid());
        for (const ColumnView& column : {lookups.dictionary(), lookups.decoded()}) {
          const Answers found = index.lookup(column, all);
          const Answers wanted = plain.lookup(lookups.decoded(), all);
          ASSERT_TRUE(std::ranges::equal(found.first(), wanted.first()));
          ASSERT_TRUE(std::ranges::equal(found.count(), wanted.count()));
          ASSERT_TRUE(std::ranges::equal(found.matched_bitmap(), wanted.matched_bitmap()));
          if (!index.supports(Answer::count, QueryKind::range)) continue;
          ASSERT_TRUE(std::ranges::equal(index.range(column, {}, all).count(),
                                         plain.range(lookups.decoded(), {}, all).count()));
        }
      };
      expect_alike();
      index.insert(lookups.dictionary());
      plain.insert(lookups.decoded());
      expect_alike();
      EXPECT_EQ(index.erase_keys(lookups.dictionary().slice(10, 5)),
                plain.erase_keys(lookups.decoded().slice(10, 5)));
      expect_alike();
      index.merge();
      plain.merge();
      expect_alike();
    }
}

TEST_P(Dictionaries, OfNumbersAndInTuples) {
  const std::vector<double> numbers = {2.5, -1.0, 2.5};
  const std::vector<std::int64_t> indices = {2, 1, 0, 1};
  const ColumnView column = ColumnView::dictionary(indices, numbers);
  EXPECT_EQ(column.type(), Type::f64);
  const Index index = build(column, GetParam());
  const Answers found =
      index.lookup(std::vector<double>{2.5, -1.0, 0.0}, {.answers = Answer::count});
  EXPECT_TRUE(std::ranges::equal(found.count(), std::vector<std::uint32_t>{2, 2, 0}));

  const std::vector<std::string> cities = {"Bonn", "Mainz", "Bonn"};
  const std::vector<std::uint8_t> places = {0, 1, 2, 1};
  const ColumnView tuples = ColumnView::composite({ColumnView::dictionary(places, cities), column});
  const std::vector<std::string> city = {"Bonn", "Mainz"};
  const std::vector<double> number = {2.5, -1.0};
  const Answers of_tuples =
      build(tuples, GetParam())
          .lookup(ColumnView::composite({city, number}), {.answers = Answer::count});
  EXPECT_TRUE(std::ranges::equal(of_tuples.count(), std::vector<std::uint32_t>{2, 2}));
}

TEST_P(Dictionaries, WithoutAValidRow) {
  const std::vector<std::string> values = {"a", "b"};
  const std::vector<std::uint8_t> indices = {0, 1, 1};
  const std::uint8_t valid = 0;
  const ColumnView column =
      ColumnView::dictionary(ColumnView(indices).with_validity(&valid), values);
  Index index = build(column, GetParam());
  EXPECT_EQ(index.valid(), 0U);
  EXPECT_EQ(index.lookup(values, Answer::count).count()[0], 0U);
  index.insert(values);
  EXPECT_EQ(index.lookup(values, Answer::count).count()[0], 1U);
  EXPECT_EQ(build(ColumnView::dictionary(std::vector<int>{}, values), GetParam()).size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Index, Dictionaries, testing::ValuesIn(host_specs()),
                         [](const auto& item) { return test_name(item.param); });

TEST(Dictionaries, RejectWhatIsNoDictionary) {
  const std::vector<std::string> values = {"a", "b"};
  const auto make = [&](const ColumnView& indices, const ColumnView& of) {
    return error_of([&] { static_cast<void>(ColumnView::dictionary(indices, of)); });
  };
  EXPECT_TRUE(says(make(std::vector<int>{0, 2}, values), "index 2 of row 1 is outside"));
  EXPECT_TRUE(says(make(std::vector<int>{-1}, values), "index -1 of row 0 is outside"));
  EXPECT_TRUE(says(make(std::vector<double>{0}, values), "as integers, got float64"));
  EXPECT_TRUE(says(make(std::vector<int>{0}, ColumnView::composite({values})), "composites"));
  EXPECT_TRUE(
      says(make(ColumnView(std::vector<int>{0}).on_device(), values), "cannot lie in device"));
}

}  // namespace
}  // namespace rtindex::test
