// Names of choices in texts: each parses to its value, and others are rejected.

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/run.hpp"

namespace rtindex::test {
namespace {

template <class Enum, class Named>
void expect_names(const std::vector<Enum>& values, Named&& named) {
  for (const Enum value : values) EXPECT_EQ(named(name_of(value)), value) << name_of(value);
  for (const std::string_view unknown : {"", "unknown", "Inner", "[ ]", "any "})
    EXPECT_EQ(error_of([&] { static_cast<void>(named(unknown)); }), ErrorKind::invalid_argument)
        << unknown;
}

TEST(Names, RoundTripAndRejectOthers) {
  expect_names<Ends>({Ends::closed, Ends::right_open, Ends::left_open, Ends::open}, ends_named);
  expect_names<Direction>({Direction::backward, Direction::forward, Direction::nearest},
                          direction_named);
  expect_names<JoinKind>({JoinKind::inner, JoinKind::left, JoinKind::semi, JoinKind::anti},
                         join_named);
}

}  // namespace
}  // namespace rtindex::test
