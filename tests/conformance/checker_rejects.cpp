// Tests of the checker itself: right answers pass, and each wrong one is reported.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "support/checker.hpp"
#include "support/run.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

// Rows 0 and 3 hold 10, row 1 holds 20, row 2 is null.
struct Example {
  TestColumn column{{Type::i32}, {{Whole{10}}, {Whole{20}}, {std::monostate{}}, {Whole{10}}}};
  TestColumn values = integers(Type::u8, std::vector<Whole>{1, 200, 4, 100});
  Batch batch = ranges(integers(Type::i32, std::vector<Whole>{10, 15, 11, 0, 20}),
                       integers(Type::i32, std::vector<Whole>{10, 25, 19, 99, 10}));
  Matches matches = scan(column.keys(), batch);
  AnswerOptions options{.answers = full_options().answers | Answer::bitmap | Answer::bitmaps,
                        .matched = true,
                        .limit = 2};
  PlainAnswers right;

  Example() {
    right.size = 5;
    right.any = {3, 1, miss_row, 1, miss_row};
    right.first = {0, 1, miss_row, 0, miss_row};
    right.count = {2, 1, 0, 3, 0};
    constexpr std::uint64_t miss = ~std::uint64_t{0};
    right.sum = std::vector<std::uint64_t>{101, 200, miss, 301, miss};
    right.min = std::vector<std::uint64_t>{1, 200, miss, 1, miss};
    right.max = std::vector<std::uint64_t>{100, 200, miss, 200, miss};
    right.offsets = {0, 2, 3, 3, 5, 5};
    right.rows = {3, 0, 1, 3, 1};
    right.matched = {0b01011};
    right.bitmap = {0, 1, 3};
    right.bitmaps = {{0, 3}, {1}, {}, {0, 1, 3}, {}};
  }

  [[nodiscard]] std::string difference(const PlainAnswers& found) const {
    return first_difference(found, options, batch, matches, values);
  }
};

TEST(Oracle, ScansTheColumn) {
  const Example example;
  const Matches wanted = {{0, 3}, {1}, {}, {0, 1, 3}, {}};
  EXPECT_EQ(example.matches, wanted);
}

TEST(Checker, AcceptsRightAnswers) {
  const Example example;
  EXPECT_EQ("", example.difference(example.right));
  PlainAnswers other = example.right;
  other.any = {0, 1, miss_row, 3, miss_row};
  other.rows = {0, 3, 1, 0, 3};
  EXPECT_EQ("", example.difference(other));
}

TEST(Checker, RejectsEveryWrongAnswer) {
  using Change = std::function<void(PlainAnswers&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"size", [](PlainAnswers& g) { g.size = 4; }},
      {"any is another row", [](PlainAnswers& g) { (*g.any)[0] = 1; }},
      {"any is a null row", [](PlainAnswers& g) { (*g.any)[3] = 2; }},
      {"any misses", [](PlainAnswers& g) { (*g.any)[1] = miss_row; }},
      {"any hits", [](PlainAnswers& g) { (*g.any)[2] = 0; }},
      {"any is missing", [](PlainAnswers& g) { g.any.reset(); }},
      {"any is too short", [](PlainAnswers& g) { g.any->pop_back(); }},
      {"first is not the first", [](PlainAnswers& g) { (*g.first)[0] = 3; }},
      {"first hits", [](PlainAnswers& g) { (*g.first)[4] = 0; }},
      {"count is too small", [](PlainAnswers& g) { (*g.count)[3] = 2; }},
      {"count is too large", [](PlainAnswers& g) { (*g.count)[2] = 1; }},
      {"sum", [](PlainAnswers& g) { std::get<0>(*g.sum)[0] = 45; }},
      {"sum of a miss", [](PlainAnswers& g) { std::get<0>(*g.sum)[2] = 0; }},
      {"sum of another class", [](PlainAnswers& g) { g.sum = std::vector<std::int64_t>(5, 1); }},
      {"min", [](PlainAnswers& g) { std::get<0>(*g.min)[0] = 100; }},
      {"max", [](PlainAnswers& g) { std::get<0>(*g.max)[3] = 100; }},
      {"max of a miss", [](PlainAnswers& g) { std::get<0>(*g.max)[4] = 200; }},
      {"bitmap lacks a row", [](PlainAnswers& g) { g.bitmap->pop_back(); }},
      {"bitmap has a null row", [](PlainAnswers& g) { (*g.bitmap)[1] = 2; }},
      {"bitmap is missing", [](PlainAnswers& g) { g.bitmap.reset(); }},
      {"bitmaps lack a row", [](PlainAnswers& g) { (*g.bitmaps)[3].pop_back(); }},
      {"bitmaps of a miss", [](PlainAnswers& g) { (*g.bitmaps)[2] = {0}; }},
      {"bitmaps are missing", [](PlainAnswers& g) { g.bitmaps.reset(); }},
      {"a row that does not match", [](PlainAnswers& g) { g.rows[0] = 1; }},
      {"a row twice", [](PlainAnswers& g) { g.rows[0] = 0; }},
      {"a row too few",
       [](PlainAnswers& g) {
         g.rows.pop_back();
         g.offsets = {0, 2, 3, 3, 4, 4};
       }},
      {"more rows than the limit",
       [](PlainAnswers& g) {
         g.rows.push_back(0);
         g.offsets = {0, 2, 3, 3, 6, 6};
       }},
      {"rows of the next lookup", [](PlainAnswers& g) { (*g.offsets)[1] = 1; }},
      {"offsets that end early", [](PlainAnswers& g) { (*g.offsets)[5] = 4; }},
      {"offsets that go back", [](PlainAnswers& g) { (*g.offsets)[2] = 4; }},
      {"matched where there is no match", [](PlainAnswers& g) { (*g.matched)[0] = 0b01111; }},
      {"not matched where there is one", [](PlainAnswers& g) { (*g.matched)[0] = 0b00011; }},
      {"matched behind the end", [](PlainAnswers& g) { (*g.matched)[0] = 0b101011; }},
  };
  const Example example;
  for (const auto& [name, change] : changes) {
    PlainAnswers wrong = example.right;
    change(wrong);
    EXPECT_NE("", example.difference(wrong)) << name;
  }
}

TEST(Checker, RejectsAnswersThatWereNotRequested) {
  Example example;
  example.options.answers = Answer::any | Answer::rows;
  EXPECT_NE("", example.difference(example.right));
}

TEST(Checker, JudgesFloatsByTheStatedTolerance) {
  const TestColumn column = integers(Type::u8, std::vector<Whole>{1, 1, 2});
  const TestColumn values = floats(Type::f64, std::vector<double>{1e6, -1e6 + 0.25, NAN});
  const Batch batch = points(integers(Type::u8, std::vector<Whole>{1, 2}));
  const Matches matches = scan(column.keys(), batch);
  const AnswerOptions options{.answers = Answer::sum | Answer::max};
  PlainAnswers found;
  found.size = 2;
  found.max = std::vector<double>{1e6, NAN};
  auto difference = [&](double sum, double of_nan) {
    found.sum = std::vector<double>{sum, of_nan};
    return first_difference(found, options, batch, matches, values);
  };
  EXPECT_EQ("", difference(0.25, NAN));
  EXPECT_EQ("", difference(0.25 + 1e-7, NAN));  // a 2e6th of a 1e-12th
  EXPECT_NE("", difference(0.25 + 1e-5, NAN));
  EXPECT_NE("", difference(NAN, NAN));
  EXPECT_NE("", difference(0.25, 0));
  found.max = std::vector<double>{std::nextafter(1e6, 0.0), NAN};
  EXPECT_NE("", difference(0.25, NAN));
}

}  // namespace
}  // namespace rtindex::test
