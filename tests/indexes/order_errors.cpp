// Questions of order that make no sense for a column are refused.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/run.hpp"

namespace rtindex::test {
namespace {

void expect_invalid(const char* what, const std::function<void()>& call) {
  EXPECT_EQ(error_of(call), ErrorKind::invalid_argument) << what;
}

TEST(OrderErrors, QuestionsThatMakeNoSense) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<int> numbers = {1, 2};
  const std::vector<double> reals = {0.5};
  const Index of_names = build(names, "sorted@cpu");
  Index of_numbers = build(numbers, "sorted@cpu");
  expect_invalid("the closer of two strings", [&] {
    static_cast<void>(of_names.nearest(names, {.direction = Direction::nearest}));
  });
  expect_invalid("strings within a tolerance", [&] {
    static_cast<void>(of_names.nearest(names, {.tolerance = std::int64_t{1}}));
  });
  expect_invalid("integers within half a number",
                 [&] { static_cast<void>(of_numbers.nearest(numbers, {.tolerance = 0.5})); });
  expect_invalid("ranks that are not integers",
                 [&] { static_cast<void>(of_numbers.select(reals)); });
  expect_invalid("prefixes of numbers", [&] { static_cast<void>(of_numbers.starts_with(names)); });
  std::vector<std::uint32_t> rows(2);
  expect_invalid("rows without offsets",
                 [&] { of_numbers.lookup_into(numbers, {}, {.rows = rows.data()}); });
  expect_invalid("parts without a pair", [&] {
    of_numbers.join_in_parts(numbers, JoinKind::inner, 0, [](const JoinedRows&) {});
  });
}

}  // namespace
}  // namespace rtindex::test
