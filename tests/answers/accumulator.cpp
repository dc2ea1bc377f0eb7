#include "answers/accumulator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "answers/request.hpp"

namespace rtindex {
namespace {

constexpr AnswerSet all = Answer::any | Answer::first | Answer::count |
                          (Answer::sum | Answer::min | AnswerSet(Answer::max)) |
                          AnswerSet(Answer::rows);

// Feeds one lookup's hits and returns the answers.
template <class T>
Answers fold(const std::vector<T>& values, const std::vector<std::uint32_t>& hits,
             AnswerOptions options) {
  options.values = values;
  AnswersAccess access(options, 1);
  visit_class(access.request().value_class(), [&]<class Class>() {
    Accumulator<Class> accumulator(access.request(), 0);
    accumulator.start(0);
    for (const std::uint32_t hit : hits)
      if (accumulator.hit(hit)) break;
    accumulator.finish(0);
  });
  return access.finish();
}

TEST(Accumulator, FoldsHitsInAnyOrder) {
  const std::vector<std::uint8_t> values = {200, 3, 100};
  for (const std::vector<std::uint32_t>& hits :
       {std::vector<std::uint32_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    const Answers answers = fold(values, hits, {.answers = all, .matched = true});
    EXPECT_EQ(answers.first()[0], 0U);
    EXPECT_EQ(answers.count()[0], 3U);
    EXPECT_EQ(answers.sum_as<std::uint64_t>()[0], 303U);
    EXPECT_EQ(answers.min_as<std::uint64_t>()[0], 3U);
    EXPECT_EQ(answers.max_as<std::uint64_t>()[0], 200U);
    EXPECT_EQ(answers.rows(0).size(), 3U);
    EXPECT_LT(answers.any()[0], 3U);
    EXPECT_TRUE(answers.matched(0));
  }
}

TEST(Accumulator, ReturnsMissValuesWithoutAHit) {
  const Answers unsigned_ =
      fold(std::vector<std::uint32_t>{1}, {}, {.answers = all, .matched = true});
  EXPECT_EQ(unsigned_.any()[0], miss_row);
  EXPECT_EQ(unsigned_.first()[0], miss_row);
  EXPECT_EQ(unsigned_.count()[0], 0U);
  EXPECT_EQ(unsigned_.sum_as<std::uint64_t>()[0], ~std::uint64_t{0});
  EXPECT_FALSE(unsigned_.matched(0));
  const Answers signed_ = fold(std::vector<int>{1}, {}, {.answers = all});
  EXPECT_EQ(signed_.min_as<std::int64_t>()[0], std::numeric_limits<std::int64_t>::min());
  const Answers real = fold(std::vector<float>{1}, {}, {.answers = all});
  EXPECT_TRUE(std::isnan(real.max_as<double>()[0]));
  const Answers custom = fold(std::vector<float>{1}, {}, {.answers = all, .miss = {.f64 = -1}});
  EXPECT_EQ(custom.sum_as<double>()[0], -1);
}

TEST(Accumulator, SumsWrapAround) {
  const std::vector<std::uint64_t> top = {~std::uint64_t{0}, 3};
  EXPECT_EQ(fold(top, {0, 1}, {.answers = Answer::sum}).sum_as<std::uint64_t>()[0], 2U);
  const std::vector<std::int64_t> low = {std::numeric_limits<std::int64_t>::min(), -1};
  EXPECT_EQ(fold(low, {0, 1}, {.answers = Answer::sum}).sum_as<std::int64_t>()[0],
            std::numeric_limits<std::int64_t>::max());
}

TEST(Accumulator, NanIsTheGreatestValue) {
  const std::vector<double> values = {1, std::nan(""), std::numeric_limits<double>::infinity()};
  for (const std::vector<std::uint32_t>& hits :
       {std::vector<std::uint32_t>{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}) {
    const Answers answers = fold(values, hits, {.answers = Answer::min | Answer::max});
    EXPECT_EQ(answers.min_as<double>()[0], 1);
    EXPECT_TRUE(std::isnan(answers.max_as<double>()[0]));
  }
  EXPECT_TRUE(std::isnan(fold(values, {1}, {.answers = Answer::min}).min_as<double>()[0]));
}

TEST(Accumulator, StopsOnceNoHitCanChangeTheAnswer) {
  auto stops = [](AnswerOptions options, int hits_before) {
    const std::vector<std::uint32_t> values = {1, 2, 3, 4};
    options.values = values;
    AnswersAccess access(options, 1);
    Accumulator<std::uint64_t> accumulator(access.request(), 0);
    accumulator.start(0);
    for (int i = 0; i < hits_before; ++i)
      EXPECT_FALSE(accumulator.hit(static_cast<std::uint32_t>(i)));
    return accumulator.hit(3);
  };
  EXPECT_TRUE(stops({.answers = Answer::any}, 0));
  EXPECT_TRUE(stops({.answers = {}, .matched = true}, 0));
  EXPECT_FALSE(stops({.answers = Answer::first}, 3));
  EXPECT_FALSE(stops({.answers = Answer::any | Answer::count}, 3));
  EXPECT_FALSE(stops({.answers = Answer::rows}, 3));
  EXPECT_TRUE(stops({.answers = Answer::rows, .limit = 2}, 1));
  EXPECT_FALSE(stops({.answers = Answer::rows | Answer::sum, .limit = 2}, 3));
}

TEST(Accumulator, IgnoresDeletedRows) {
  const std::vector<double> values = {1, std::numeric_limits<double>::infinity(), 4, 16};
  const std::uint32_t deleted = 0b1011;  // all but row 2
  const auto fold_valid = [&](const std::vector<std::uint32_t>& hits, AnswerOptions options) {
    options.values = values;
    AnswersAccess access(options, 1);
    access.request().deleted = {&deleted, 4};
    Accumulator<double> accumulator(access.request(), 0);
    accumulator.start(0);
    for (const std::uint32_t hit : hits) {
      const bool done = accumulator.hit(hit);
      EXPECT_TRUE(hit == 2 || !done) << "a deleted row ends no lookup";
      if (done) break;
    }
    accumulator.finish(0);
    return access.finish();
  };
  for (const AnswerOptions& options : {AnswerOptions{.answers = all, .matched = true, .limit = 1},
                                       AnswerOptions{.answers = all, .matched = true}}) {
    const Answers answers = fold_valid({0, 1, 2, 3}, options);
    EXPECT_EQ(answers.any()[0], 2U);
    EXPECT_EQ(answers.first()[0], 2U);
    EXPECT_EQ(answers.count()[0], 1U);
    EXPECT_EQ(answers.sum_as<double>()[0], 4);
    EXPECT_EQ(answers.min_as<double>()[0], 4);
    EXPECT_EQ(answers.max_as<double>()[0], 4);
    ASSERT_EQ(answers.rows(0).size(), 1U);
    EXPECT_EQ(answers.rows(0)[0], 2U);
    EXPECT_TRUE(answers.matched(0));
    const Answers none = fold_valid({3, 0, 1}, options);
    EXPECT_EQ(none.any()[0], miss_row);
    EXPECT_EQ(none.count()[0], 0U);
    EXPECT_TRUE(std::isnan(none.sum_as<double>()[0]));
    EXPECT_TRUE(none.rows(0).empty());
    EXPECT_FALSE(none.matched(0));
  }
  EXPECT_EQ(fold_valid({0, 2}, {.answers = Answer::any}).any()[0], 2U);
}

}  // namespace
}  // namespace rtindex
