// The rules of aggregation, on the host. Device code calls the same functions.

#include "answers/aggregate.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "answers/values.hpp"

namespace rtindex {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Equal bit by bit, so that -0.0 differs from 0.0; any NaN equals any other.
template <class Class>
bool same(Class a, Class b) {
  if constexpr (std::is_same_v<Class, double>)
    if (std::isnan(a) && std::isnan(b)) return true;
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <class Class>
void expect_same(const ValueAggregate<Class>& found, const ValueAggregate<Class>& expected) {
  EXPECT_TRUE(same(found.sum, expected.sum)) << found.sum << " for " << expected.sum;
  EXPECT_TRUE(same(found.min, expected.min)) << found.min << " for " << expected.min;
  EXPECT_TRUE(same(found.max, expected.max)) << found.max << " for " << expected.max;
}

template <class Class>
ValueAggregate<Class> aggregate_of(const std::vector<Class>& values) {
  ValueAggregate<Class> aggregate;
  for (const Class value : values) aggregate.add(value);
  return aggregate;
}

// Every way to cut the values in two and merge the parts, in both orders.
template <class Class>
void expect_merged(const std::vector<Class>& values, const ValueAggregate<Class>& expected) {
  expect_same(aggregate_of(values), expected);
  for (std::size_t cut = 0; cut <= values.size(); ++cut) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto head = aggregate_of(std::vector<Class>(values.begin(), middle));
    const auto tail = aggregate_of(std::vector<Class>(middle, values.end()));
    auto forwards = head;
    forwards.merge(tail);
    expect_same(forwards, expected);
    auto backwards = tail;
    backwards.merge(head);
    expect_same(backwards, expected);
  }
}

TEST(Aggregate, FoldsAndMergesEveryClass) {
  expect_merged<std::uint64_t>({7, 3, 200}, {210, 3, 200});
  expect_merged<std::int64_t>({-5, 3, -7}, {-9, -7, 3});
  expect_merged<double>({0.5, -2, 8}, {6.5, -2, 8});
}

TEST(Aggregate, OfOneValueEqualsThatValue) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
    expect_merged<std::uint64_t>({value}, {value, value, value});
  for (const std::int64_t value : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                   std::int64_t{0}, std::numeric_limits<std::int64_t>::max()})
    expect_merged<std::int64_t>({value}, {value, value, value});
  for (const double value : {-infinity, -1.5, -0.0, 0.0, std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::max(), infinity, nan})
    expect_merged<double>({value}, {value, value, value});
}

TEST(Aggregate, MergesWithAnEmptyOne) {
  ValueAggregate<double> empty;
  empty.merge({});
  empty.add(-0.0);
  expect_same(empty, ValueAggregate<double>::of(-0.0));
}

TEST(Aggregate, IntegerSumsWrapAround) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  expect_merged<std::uint64_t>({~std::uint64_t{0}, 3}, {2, 3, ~std::uint64_t{0}});
  expect_merged<std::int64_t>({lowest, -1}, {highest, lowest, -1});
  expect_merged<std::int64_t>({highest, highest}, {-2, highest, highest});
}

TEST(Aggregate, NanIsGreaterThanEveryNumber) {
  EXPECT_TRUE(less(infinity, nan));
  EXPECT_FALSE(less(nan, infinity));
  EXPECT_FALSE(less(nan, nan));
  expect_merged<double>({1, nan, 2}, {nan, 1, nan});
  expect_merged<double>({nan, infinity}, {nan, infinity, nan});
  expect_merged<double>({nan, -infinity}, {nan, -infinity, nan});
  expect_merged<double>({nan, nan}, {nan, nan, nan});
}

TEST(Aggregate, InfinitiesOfBothSignsHaveNoSum) {
  expect_merged<double>({infinity, -infinity, 1}, {nan, -infinity, infinity});
}

TEST(Aggregate, ZerosOfBothSignsAreEqual) {
  EXPECT_FALSE(less(-0.0, 0.0));
  EXPECT_FALSE(less(0.0, -0.0));
  expect_merged<double>({-0.0, -0.0}, {-0.0, -0.0, -0.0});
  EXPECT_TRUE(same(aggregate_of<double>({-0.0, 0.0}).sum, 0.0));
  EXPECT_TRUE(same(aggregate_of<double>({0.0, -0.0}).sum, 0.0));
}

template <class Class, class Operation>
void expect_identity(const std::vector<Class>& values, Operation operation) {
  const auto identity = Operation::template identity<Class>();
  for (const Class value : values) {
    EXPECT_TRUE(same(operation(identity, value), value)) << value;
    if (value == value) {
      EXPECT_EQ(operation(value, identity), value);
    }
  }
}

TEST(Aggregate, OperationsHaveAnIdentity) {
  const std::vector<std::uint64_t> unsigned_ = {0, 1, ~std::uint64_t{0}};
  const std::vector<std::int64_t> signed_ = {std::numeric_limits<std::int64_t>::min(), -1, 0,
                                             std::numeric_limits<std::int64_t>::max()};
  const std::vector<double> real = {-infinity, -1, -0.0, 0.0, 1, infinity, nan};
  const auto check = [&](auto operation) {
    expect_identity(unsigned_, operation);
    expect_identity(signed_, operation);
    expect_identity(real, operation);
  };
  check(Sum{});
  check(Min{});
  check(Max{});
  EXPECT_EQ(Min::identity<std::uint32_t>(), miss_row);
}

TEST(Aggregate, RowsAreCountedAndTheSmallestIsFirst) {
  RowAggregate rows;
  EXPECT_FALSE(rows.matched());
  EXPECT_EQ(rows.any, miss_row);
  EXPECT_EQ(rows.first, miss_row);
  for (const std::uint32_t row : {30U, 20U, 40U}) rows.add(row);
  EXPECT_TRUE(rows.matched());
  EXPECT_EQ(rows.count, 3U);
  EXPECT_EQ(rows.first, 20U);
  EXPECT_TRUE(rows.any == 20 || rows.any == 30 || rows.any == 40);
}

TEST(Aggregate, RowsAreCollectedUpToTheLimit) {
  CollectedRows none;
  EXPECT_TRUE(none.full());
  CollectedRows two{2};
  EXPECT_EQ(two.add(), 0U);
  EXPECT_FALSE(two.full());
  EXPECT_EQ(two.add(), 1U);
  EXPECT_TRUE(two.full());
  EXPECT_EQ(two.count, 2U);
}

TEST(Aggregate, ReturnsTheMissValueOfTheClassForMisses) {
  const MissValues standard;
  EXPECT_EQ(miss_as<std::uint64_t>(standard), ~std::uint64_t{0});
  EXPECT_EQ(miss_as<std::int64_t>(standard), std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(std::isnan(miss_as<double>(standard)));
  const MissValues own{.u64 = 1, .i64 = -2, .f64 = 0.5};
  EXPECT_EQ(miss_as<std::uint64_t>(own), 1U);
  EXPECT_EQ(miss_as<std::int64_t>(own), -2);
  EXPECT_EQ(miss_as<double>(own), 0.5);
}

TEST(Aggregate, ReturnsTheMissValueWithoutValues) {
  const ValueAggregate<std::int64_t> values{1, 2, 3};
  expect_same(values.or_miss(true, -1), values);
  expect_same(values.or_miss(false, -1), ValueAggregate<std::int64_t>::of(-1));
}

TEST(Aggregate, WritesOnlyRequestedValues) {
  std::vector<double> sum = {10, 11};
  std::vector<double> max = {20, 21};
  const Outputs out{.sum = sum.data(), .max = max.data()};
  write_values<double>(out, 0, {1, 2, 3});
  write_values<double>(out, 1, ValueAggregate<double>::of(-1));
  EXPECT_EQ(sum, (std::vector<double>{1, -1}));
  EXPECT_EQ(max, (std::vector<double>{3, -1}));
}

// One column of each type, with its least and its greatest element.
template <class T>
void expect_class(Type type, ValueClass value_class, const std::vector<T>& elements,
                  const std::vector<value_class_t<T>>& values) {
  EXPECT_EQ(class_of(type), value_class);
  const Values<value_class_t<T>> column{elements.data(), type};
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(column[i], values[i]) << name_of(type);
    EXPECT_EQ(to_class(elements[i]), values[i]) << name_of(type);
  }
}

template <class T>
void expect_integers(Type type, ValueClass value_class) {
  using Limits = std::numeric_limits<T>;
  expect_class<T>(type, value_class, {Limits::min(), 1, Limits::max()},
                  {Limits::min(), 1, Limits::max()});
}

TEST(Aggregate, EveryTypeHasItsClass) {
  expect_class<Bool8>(Type::boolean, ValueClass::u64, {{0}, {1}, {200}}, {0, 1, 1});
  expect_integers<std::uint8_t>(Type::u8, ValueClass::u64);
  expect_integers<std::uint16_t>(Type::u16, ValueClass::u64);
  expect_integers<std::uint32_t>(Type::u32, ValueClass::u64);
  expect_integers<std::uint64_t>(Type::u64, ValueClass::u64);
  expect_integers<std::int8_t>(Type::i8, ValueClass::i64);
  expect_integers<std::int16_t>(Type::i16, ValueClass::i64);
  expect_integers<std::int32_t>(Type::i32, ValueClass::i64);
  expect_integers<std::int64_t>(Type::i64, ValueClass::i64);
  expect_integers<std::int32_t>(Type::date32, ValueClass::i64);
  expect_integers<std::int64_t>(Type::timestamp64, ValueClass::i64);
  expect_class<float>(Type::f32, ValueClass::f64, {-0.5F, 0.25F}, {-0.5, 0.25});
  expect_class<double>(Type::f64, ValueClass::f64, {-1e300, 1e-300}, {-1e300, 1e-300});
}

TEST(Aggregate, ClassesAreVisitedByTheirType) {
  const auto size_of = [](ValueClass value_class) {
    return visit_class(value_class, []<class Class>() {
      return std::is_same_v<Class, double> ? 2 : std::is_signed_v<Class> ? 1 : 0;
    });
  };
  EXPECT_EQ(size_of(ValueClass::u64), 0);
  EXPECT_EQ(size_of(ValueClass::i64), 1);
  EXPECT_EQ(size_of(ValueClass::f64), 2);
}

}  // namespace
}  // namespace rtindex
