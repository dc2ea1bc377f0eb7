#include "base/checked_cast.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace rtindex::test {
namespace {

struct Animal {
  virtual ~Animal() = default;
};
struct Cat final : Animal {
  int lives = 9;
};
struct Dog final : Animal {};

TEST(CheckedCast, ReturnsTheSameObject) {
  Cat cat;
  Animal& animal = cat;
  EXPECT_EQ(&checked_cast<Cat&>(animal), &cat);
  const Animal& constant = cat;
  EXPECT_EQ(&checked_cast<const Cat&>(constant), &cat);
  static_assert(std::is_same_v<decltype(checked_cast<const Cat&>(constant)), const Cat&>);
}

#ifndef NDEBUG
TEST(CheckedCastDeathTest, AssertsTheClassOfTheObject) {
  const Dog dog;
  const Animal& animal = dog;
  EXPECT_DEATH(static_cast<void>(checked_cast<const Cat&>(animal)), "dynamic_cast");
}
#endif

}  // namespace
}  // namespace rtindex::test
