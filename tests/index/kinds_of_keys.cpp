// What a call accepts as keys, and what the accessors of a temporary return.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rtindex/rtindex.hpp>

namespace rtindex::test {
namespace {

using Rows = std::vector<std::uint32_t>;

Index make_index() { return build(std::vector<std::int64_t>{26, 25, 29, 23, 29}, "sorted@cpu"); }

TEST(KindsOfKeys, AreScalarsAndLists) {
  const Index index = make_index();
  EXPECT_EQ(index.lookup(25).any(), Rows{1});
  EXPECT_EQ(index.lookup({29, 5, 23}, Answer::count).count(), (Rows{2, 0, 1}));
  EXPECT_EQ(index.range(25, 26, Answer::count).count(), Rows{2});
  EXPECT_EQ(index.range({23, 27}, {25, 30}, Answer::count).count(), (Rows{2, 2}));
  EXPECT_EQ(index.nearest({28, 22}, {}, Answer::any).any(), (Rows{0, miss_row}));
  EXPECT_EQ(index.nearest(28, {.direction = Direction::forward}, Answer::count).count(), Rows{2});
  EXPECT_EQ(index.answer(Query::equal(29), Answer::first | Answer::count).count(), Rows{2});
  EXPECT_EQ(index.answer(Query::equal({29}), Answer::last).last(), Rows{4});
  EXPECT_EQ(index.rank({0, 29}), (Rows{0, 3}));
}

TEST(KindsOfKeys, AreStringsInAnyContiguousRange) {
  const std::array<std::string, 3> names = {"b", "a", "c"};
  const std::array<std::string_view, 2> keys = {"c", "x"};
  const Index index = build(names, "sorted@cpu");
  EXPECT_EQ(index.lookup(keys).any(), (Rows{2, miss_row}));
  EXPECT_EQ(index.lookup({"a", "b"}).any(), (Rows{1, 0}));
  EXPECT_EQ(index.lookup(std::string("a")).any(), Rows{1});
}

TEST(KindsOfKeys, AreStringsOfAnyType) {
  const Index index = build(std::array<const char*, 4>{"b", "", "a", "ab"}, "sorted@cpu");
  const char* const text = "ab";
  std::array<char, 8> buffer = {'a'};
  EXPECT_EQ(index.lookup("b").any(), Rows{0});
  EXPECT_EQ(index.lookup("").any(), Rows{1});
  EXPECT_EQ(index.lookup("x").any(), Rows{miss_row});
  EXPECT_EQ(index.lookup(text).any(), Rows{3});
  EXPECT_EQ(index.lookup(buffer.data()).any(), Rows{2});
  EXPECT_EQ(index.lookup(std::string_view("abc").substr(0, 2)).any(), Rows{3});
  EXPECT_EQ(index.lookup(std::string_view()).any(), Rows{1});
  EXPECT_EQ(index.lookup(std::string_view("a\0", 2)).any(), Rows{miss_row});
  EXPECT_EQ(index.lookup(std::vector<const char*>{"a", "", "b"}).any(), (Rows{2, 1, 0}));
  const char* const texts[] = {"ab", "c"};  // NOLINT(modernize-avoid-c-arrays): of a C program
  EXPECT_EQ(index.lookup(texts).any(), (Rows{3, miss_row}));
  EXPECT_EQ(index.range("a", std::string_view("b"), Answer::count).count(), Rows{3});
  EXPECT_EQ(index.answer(Query::prefix("a"), Answer::count).count(), Rows{2});
  const std::array<const char*, 2> missing = {"a", nullptr};
  EXPECT_THROW(static_cast<void>(index.lookup(missing)), Error);
}

TEST(KindsOfKeys, AreStringsInSlicesAndComposites) {
  const std::vector<const char*> names = {"Ulm", "", "Bonn"};
  const ColumnView view = names;
  EXPECT_EQ(view.slice(1, 2).string(1), "Bonn");
  EXPECT_EQ(view.slice(1, 2).string(0), "");
  const Index index =
      build(ColumnView::composite({names, std::vector<int>{1, 2, 3}}), "sorted@cpu");
  EXPECT_EQ(index.lookup(ColumnView::composite({"Bonn", 3})).any(), Rows{2});
  Index changed = build(names, "sorted@cpu");
  changed.insert("Köln");
  EXPECT_EQ(changed.lookup("Köln").any(), Rows{3});
}

TEST(KindsOfKeys, AreTimesOfChrono) {
  using namespace std::chrono;
  const sys_days day = 2024y / February / 29;
  const std::vector<sys_seconds> times = {day, day + 12h};
  const Index index = build(times, "sorted@cpu");
  EXPECT_EQ(index.type(), Type::timestamp64);
  EXPECT_EQ(index.time_unit(), TimeUnit::second);
  EXPECT_EQ(index.lookup(sys_seconds(day + 12h)).any(), Rows{1});
  EXPECT_EQ(index.range({times[0]}, {times[1]}, Answer::count).count(), Rows{2});
  EXPECT_THROW(static_cast<void>(index.lookup(sys_time<milliseconds>(day))), Error);
  const Index waits = build(std::vector<milliseconds>{5ms, -3ms}, "sorted@cpu");
  EXPECT_EQ(waits.type(), Type::duration64);
  EXPECT_EQ(waits.lookup({milliseconds(-3)}).any(), Rows{1});
  EXPECT_EQ(build(std::vector<sys_days>{day}, "sorted@cpu").lookup(day).any(), Rows{0});
  using Date = sys_time<duration<std::int32_t, days::period>>;
  const Index dates = build(std::vector<Date>{day}, "sorted@cpu");
  EXPECT_EQ(dates.type(), Type::date32);
  EXPECT_EQ(dates.lookup(Date(day)).any(), Rows{0});
}

TEST(KindsOfKeys, AccessorsOfTemporariesOwnTheirElements) {
  const Index index = make_index();
  static_assert(std::is_same_v<decltype(index.lookup(29).any()), Rows>);
  static_assert(std::is_same_v<decltype(index.lookup(29).offsets()), std::vector<std::uint64_t>>);
  static_assert(std::is_same_v<decltype(index.lookup(29).sum()), Aggregates>);
  const std::vector<std::int64_t> values = {1, 2, 3, 4, 5};
  const AnswerSet all = Answer::any | Answer::rows | Answer::sum | Answer::mean;
  const auto ask = [&] {
    return index.lookup({29, 5}, {.answers = all, .values = values, .matched = true});
  };
  const auto any = ask().any();
  const auto offsets = ask().offsets();
  const auto rows = ask().rows();
  const auto first = ask().rows(0);
  const auto sums = ask().sum_as<std::int64_t>();
  const auto means = ask().mean();
  const auto matched = ask().matched_bitmap();
  const auto valid = ask().validity_bitmap();
  EXPECT_EQ(any[1], miss_row);
  EXPECT_EQ(offsets, (std::vector<std::uint64_t>{0, 2, 2}));
  EXPECT_EQ(rows, (Rows{2, 4}));
  EXPECT_EQ(first, rows);
  EXPECT_EQ(sums[0], 8);
  EXPECT_EQ(means[0], 4.0);
  EXPECT_EQ(matched, std::vector<std::uint8_t>{1});
  EXPECT_EQ(valid, matched);
  EXPECT_THROW(static_cast<void>(ask().count()), Error);
}

TEST(KindsOfKeys, RowsOfChangesAreIntegersOfAnyType) {
  Index index = build(std::vector<int>{1, 2, 3, 4, 5, 6}, "sorted@cpu",
                      {.include = std::vector<int>{1, 2, 3, 4, 5, 6}});
  index.erase(0);
  index.erase(std::vector<std::uint64_t>{1});
  index.update(std::vector<std::int8_t>{2, 3}, {30, 40});
  index.set_included(std::vector<std::int64_t>{4}, 50);
  EXPECT_EQ(index.lookup({1, 2, 30, 40, 5}, Answer::sum).sum_as<std::int64_t>()[4], 50);
  EXPECT_EQ(index.lookup({1, 2, 30, 40}, Answer::count).count(), (Rows{0, 0, 1, 1}));
  EXPECT_THROW(index.erase(-1), Error);
  EXPECT_THROW(index.erase(1LL << 32), Error);
  EXPECT_THROW(index.erase(0.0), Error);
  EXPECT_EQ(index.valid(), 4U);
}

}  // namespace
}  // namespace rtindex::test
