#include "keys/ordered_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace rtindex {
namespace {

template <class T>
class OrderedBits : public testing::Test {
 protected:
  // Ascending, without duplicates.
  static std::vector<T> boundary_values() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      const T tiny = Limits::denorm_min();
      const T one = 1;
      return {-Limits::infinity(),
              Limits::lowest(),
              -one - Limits::epsilon(),
              -one,
              -Limits::min(),
              std::nextafter(-Limits::min(), T{0}),
              -2 * tiny,
              -tiny,
              T{0},
              tiny,
              2 * tiny,
              std::nextafter(Limits::min(), T{0}),
              Limits::min(),
              one,
              one + Limits::epsilon(),
              Limits::max(),
              Limits::infinity(),
              Limits::quiet_NaN()};
    } else {
      std::vector<T> values;
      for (const T value : {Limits::min(), Limits::max(), T{0}})
        for (int step = -2; step <= 2; ++step)
          values.push_back(
              static_cast<T>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(step)));
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      return values;
    }
  }
};

using Natives =
    testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(OrderedBits, Natives);

TYPED_TEST(OrderedBits, KeepTheOrder) {
  const std::vector<TypeParam> values = this->boundary_values();
  for (std::size_t i = 1; i < values.size(); ++i)
    EXPECT_LT(ordered_bits(values[i - 1]), ordered_bits(values[i]))
        << values[i - 1] << " and " << values[i];
}

TYPED_TEST(OrderedBits, ComeBack) {
  for (const TypeParam value : this->boundary_values()) {
    const auto back = from_ordered_bits<TypeParam>(ordered_bits(value));
    EXPECT_TRUE(back == value || (back != back && value != value)) << value;
  }
}

TYPED_TEST(OrderedBits, FitTheType) {
  for (const TypeParam value : this->boundary_values()) {
    if constexpr (sizeof(TypeParam) < 8) {
      EXPECT_LT(ordered_bits(value), std::uint64_t{1} << (8 * sizeof(TypeParam)));
    }
  }
}

TEST(OrderedBitsOfFloats, MakeEqualsOne) {
  EXPECT_EQ(ordered_bits(-0.0F), ordered_bits(0.0F));
  EXPECT_EQ(ordered_bits(-0.0), ordered_bits(0.0));
  EXPECT_EQ(ordered_bits(std::nanf("1")), ordered_bits(-std::nanf("2")));
  EXPECT_EQ(ordered_bits(std::nan("1")), ordered_bits(-std::nan("2")));
  EXPECT_FALSE(std::signbit(from_ordered_bits<double>(ordered_bits(-0.0))));
}

TEST(Comparable, IntegersFloatsDatesAndTimestampsAmongThemselves) {
  EXPECT_TRUE(comparable(Type::u8, Type::i64));
  EXPECT_TRUE(comparable(Type::boolean, Type::u64));
  EXPECT_TRUE(comparable(Type::f32, Type::f64));
  EXPECT_TRUE(comparable(Type::date32, Type::date32));
  EXPECT_FALSE(comparable(Type::i32, Type::f32));
  EXPECT_FALSE(comparable(Type::date32, Type::i32));
  EXPECT_FALSE(comparable(Type::date32, Type::timestamp64));
  EXPECT_FALSE(comparable(Type::timestamp64, Type::i64));
}

}  // namespace
}  // namespace rtindex
