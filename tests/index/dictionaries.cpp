// Dictionary columns on every index of a CPU, against the same columns decoded.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/random.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

std::string dictionary_error(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
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

// Element i is values[indices[i]]: of every width, in parallel blocks, with nulls of both kinds.
template <class Index>
void expect_gathered(std::size_t width, Random& random) {
  constexpr std::size_t size = 150'003;
  constexpr std::size_t distinct = 100;
  const Type type = width == 1   ? Type::u8
                    : width == 2 ? Type::f16
                    : width == 4 ? Type::date32
                    : width == 8 ? Type::f64
                                 : Type::binary16;
  std::vector<std::uint64_t> memory(distinct * width / 8 + 2);
  for (std::uint64_t& word : memory) word = random.below(~std::uint64_t{0});
  const auto* const bytes = reinterpret_cast<const char*>(memory.data()) + (width == 16 ? 1 : 0);
  std::vector<std::uint8_t> valid_values((distinct + 7) / 8, 0b1011'0111);
  std::vector<Index> indices(size);
  std::vector<std::uint8_t> valid((size + 10) / 8, 0xff);
  for (std::size_t i = 0; i < size; ++i) {
    indices[i] = static_cast<Index>(random.below(distinct));
    if (!random.one_in(9)) continue;
    valid[(i + 3) / 8] = static_cast<std::uint8_t>(valid[(i + 3) / 8] & ~(1U << (i + 3) % 8));
    indices[i] = static_cast<Index>(distinct + random.below(20));  // of a null: no position
  }
  const ColumnView values =
      ColumnView::of(type, bytes, distinct).with_validity(valid_values.data());
  for (const bool has_nulls : {false, true}) {
    const ColumnView all = ColumnView(indices).with_validity(valid.data(), 3);
    const std::size_t first = has_nulls ? 5 : 0;
    std::vector<Index> plain = indices;
    for (Index& index : plain) index = static_cast<Index>(index % distinct);
    const ColumnView column = has_nulls
                                  ? ColumnView::dictionary(all, values).slice(first, size - first)
                                  : ColumnView::dictionary(plain, values.with_validity(nullptr));
    ASSERT_EQ(column.type(), type);
    ASSERT_EQ(column.nullable(), has_nulls);
    const auto* const found = static_cast<const char*>(column.data());
    for (std::size_t i = 0; i < column.size(); ++i) {
      const std::size_t index =
          static_cast<std::make_unsigned_t<Index>>(has_nulls ? indices[first + i] : plain[i]);
      const bool is_valid = !has_nulls || (all.valid(first + i) && values.valid(index));
      ASSERT_EQ(column.valid(i), is_valid) << "row " << i;
      if (is_valid) {
        ASSERT_EQ(std::memcmp(found + i * width, bytes + index * width, width), 0) << "row " << i;
      }
    }
  }
}

TEST(Dictionaries, GatherElementsOfEveryWidth) {
  Random random(11);
  for (const std::size_t width : {1, 2, 4, 8, 16}) {
    SCOPED_TRACE(width);
    expect_gathered<std::int8_t>(width, random);
    expect_gathered<std::uint64_t>(width, random);
  }
  expect_gathered<std::uint8_t>(8, random);
  expect_gathered<std::int16_t>(8, random);
  expect_gathered<std::uint16_t>(8, random);
  expect_gathered<std::int32_t>(8, random);
  expect_gathered<std::uint32_t>(8, random);
  expect_gathered<std::int64_t>(8, random);
}

TEST_P(Dictionaries, InTuplesAnswerLikeDecodedColumns) {
  Random random(4);
  const AnswerOptions all{.answers = Answer::first | Answer::count};
  for (const std::string& start : {std::string("a"), std::string(90, 'x')})
    for (const std::size_t distinct : {3, 400, 3000}) {
      SCOPED_TRACE(distinct);
      const Pair keys(1500, distinct, start, random);
      const Pair lookups(700, distinct, start, random);
      std::vector<std::int16_t> days(1500);
      for (std::int16_t& day : days) day = static_cast<std::int16_t>(random.below(5));
      const auto with_days = [&](const ColumnView& strings) {
        return ColumnView::composite({strings, ColumnView(days).slice(0, strings.size())});
      };
      Index index = build(with_days(keys.dictionary()), GetParam());
      Index plain = build(with_days(keys.decoded()), GetParam());
      const auto expect_alike = [&] {
        EXPECT_EQ(index.valid(), plain.valid());
        const Answers wanted = plain.lookup(with_days(lookups.decoded()), all);
        for (const ColumnView& column : {lookups.dictionary(), lookups.decoded()}) {
          const Answers found = index.lookup(with_days(column), all);
          ASSERT_TRUE(std::ranges::equal(found.first(), wanted.first()));
          ASSERT_TRUE(std::ranges::equal(found.count(), wanted.count()));
          if (!index.supports(Answer::count, QueryKind::range)) continue;
          ASSERT_TRUE(
              std::ranges::equal(index.range(with_days(column), {}, all).count(),
                                 plain.range(with_days(lookups.decoded()), {}, all).count()));
        }
      };
      expect_alike();
      // A few rows, whose dictionary is larger.
      index.insert(with_days(lookups.dictionary()).slice(7, 4));
      plain.insert(with_days(lookups.decoded()).slice(7, 4));
      expect_alike();
      index.merge();
      plain.merge();
      expect_alike();
    }
}

TEST(Dictionaries, AsLeadingColumnsOfIntervals) {
  Random random(5);
  for (const std::string& start : {std::string("a"), std::string(90, 'x')}) {
    const Pair groups(1500, 40, start, random);
    const Pair wanted(300, 40, start, random);
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < groups.indices.size(); ++i) {
      starts.push_back(static_cast<std::int64_t>(random.below(100)));
      ends.push_back(starts.back() + static_cast<std::int64_t>(random.below(9)));
    }
    const auto index_by = [&](const ColumnView& by) {
      return build(ColumnView::intervals(starts, ends, Ends::closed, {by}), "rx:native@cpu");
    };
    const auto counts_by = [&](const Index& index, const ColumnView& by) {
      const ColumnView keys = ColumnView::composite({by, ColumnView(starts).slice(0, by.size())});
      return index.answer(Query::contains(keys), {.answers = Answer::count}).count();
    };
    const Index plain = index_by(groups.decoded());
    const Index index = index_by(groups.dictionary());
    const std::vector<std::uint32_t> counts = counts_by(plain, wanted.decoded());
    EXPECT_GT(std::ranges::count_if(counts, [](std::uint32_t count) { return count != 0; }), 50);
    EXPECT_EQ(counts_by(index, wanted.decoded()), counts);
    EXPECT_EQ(counts_by(index, wanted.dictionary()), counts);
  }
}

TEST(Dictionaries, OfNumbersAreValueColumns) {
  const std::vector<std::int64_t> amounts = {10, -3, 500};
  const std::uint8_t validity = 0b011;
  const std::vector<std::int8_t> codes = {1, 0, 2, 0, 1};
  const ColumnView values = ColumnView::dictionary(
      codes, ColumnView::decimals(Type::decimal64, amounts.data(), 3, 2).with_validity(&validity));
  const std::vector<int> keys = {1, 1, 1, 2, 3};
  const std::vector<int> lookups = {1, 2, 3};
  const std::vector<std::int64_t> sums = {7, 10, -3};
  const Index included = build(keys, "sorted@cpu", {.include = values});
  EXPECT_EQ(included.included().front().scale, 2);
  EXPECT_EQ(included.lookup(lookups, Answer::sum).sum_as<std::int64_t>(), sums);
  const Index index = build(keys, "sorted@cpu");
  EXPECT_EQ(index.lookup(lookups, Answer::sum, values).sum_as<std::int64_t>(), sums);
  const std::vector<std::string> words = {"a", "b", "c"};
  const std::string message = dictionary_error([&] {
    static_cast<void>(index.lookup(lookups, Answer::sum, ColumnView::dictionary(codes, words)));
  });
  EXPECT_NE(message.find("the value column is string"), std::string::npos) << message;
}

TEST(Dictionaries, RejectWhatIsNoDictionary) {
  const std::vector<std::string> values = {"a", "b"};
  const auto expect = [](const ColumnView& indices, const ColumnView& of, const char* part) {
    const std::string message =
        dictionary_error([&] { static_cast<void>(ColumnView::dictionary(indices, of)); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(std::vector<int>{0, 2}, values, "index 2 of row 1 is outside of the dictionary of 2");
  expect(std::vector<int>{-1}, values, "index -1 of row 0 is outside");
  expect(std::vector<std::uint64_t>{std::uint64_t{1} << 32}, values, "index 4294967296 of row 0");
  expect(std::vector<double>{0}, values, "as integers, got float64");
  expect(std::vector<int>{0}, ColumnView::composite({values}), "composites");
  expect(ColumnView(std::vector<int>{0}).on_device(), values, "cannot lie in device");
  // The first of several rows, whichever thread finds one.
  std::vector<std::int16_t> indices(300'000, 1);
  for (const std::size_t row : {80'000, 150'000, 299'999}) indices[row] = -5;
  expect(indices, values, "index -5 of row 80000 is outside");
}

}  // namespace
}  // namespace rtindex::test
