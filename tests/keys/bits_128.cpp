// The order of keys of 128 bits, at the ends of their types.

#include "keys/bits_128.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "keys/codec.hpp"

namespace rtindex::test {
namespace {

constexpr Uint128 top = ~Uint128{0};
constexpr Uint128 half = Uint128{1} << 127;

std::vector<Uint128> ordered(const std::vector<Uint128>& elements, Type type) {
  std::vector<Uint128> bits;
  const ColumnView column = ColumnView::of(type, elements.data(), elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    bits.push_back(ordered_bits_128(column, i, type).bits);
    EXPECT_EQ(to_uint128(from_ordered_bits_128(bits.back(), type)), elements[i]);
  }
  return bits;
}

TEST(Bits128, FollowTheOrderOfTheirType) {
  const std::vector<Uint128> signed_keys = {half, half + 1, top - 1, top, 0, 1, half - 1};
  EXPECT_TRUE(std::ranges::is_sorted(ordered(signed_keys, Type::i128)));
  EXPECT_TRUE(std::ranges::is_sorted(ordered(signed_keys, Type::decimal128)));
  const std::vector<Uint128> keys = {0, 1, Uint128{1} << 64, half - 1, half, top};
  EXPECT_TRUE(std::ranges::is_sorted(ordered(keys, Type::u128)));
  // The first byte in memory is the highest.
  const std::vector<Uint128> bytes = {
      0, Uint128{1} << 120, Uint128{1} << 64, Uint128{1} << 8, 1, 0x80, top};
  EXPECT_TRUE(std::ranges::is_sorted(ordered(bytes, Type::binary16)));
}

TEST(Bits128, ClampOtherIntegers) {
  using Range = ClampedBits::Range;
  const std::vector<Uint128> wide = {0, top, half, half - 1};
  const ColumnView as_unsigned = ColumnView::of(Type::u128, wide.data(), wide.size());
  const ColumnView as_signed = ColumnView::of(Type::i128, wide.data(), wide.size());
  EXPECT_EQ(ordered_bits_128(as_unsigned, 1, Type::i128).range, Range::above);
  EXPECT_EQ(ordered_bits_128(as_unsigned, 2, Type::i128).range, Range::above);
  EXPECT_EQ(ordered_bits_128(as_unsigned, 3, Type::i128).range, Range::inside);
  EXPECT_EQ(ordered_bits_128(as_signed, 1, Type::u128).range, Range::below);
  EXPECT_TRUE(ordered_bits_128(as_signed, 3, Type::u128).bits == half - 1);
  const std::vector<std::int8_t> narrow = {-1, 5};
  EXPECT_TRUE(ordered_bits_128(narrow, 0, Type::i128).bits == half - 1);
  EXPECT_EQ(ordered_bits_128(narrow, 0, Type::u128).range, Range::below);
  EXPECT_TRUE(ordered_bits_128(narrow, 1, Type::u128).bits == 5);
}

TEST(Bits128, OutsideOf64BitsAreOutsideOfNarrowColumns) {
  using Range = ClampedBits::Range;
  const std::vector<Uint128> keys = {Uint128{1} << 64, (Uint128{1} << 64) - 1, half,
                                     top << 63,        (top << 63) - 1,        top};
  const auto clamped = [&](std::size_t i, Type lookup, Type column) {
    return clamp_integer(load_integer(keys.data(), i, element_type(lookup)), element_type(column))
        .range;
  };
  EXPECT_EQ(clamped(0, Type::i128, Type::u64), Range::above);
  EXPECT_EQ(clamped(1, Type::i128, Type::u64), Range::inside);
  EXPECT_EQ(clamped(1, Type::i128, Type::i64), Range::above);
  EXPECT_EQ(clamped(2, Type::i128, Type::i64), Range::below);
  EXPECT_EQ(clamped(2, Type::u128, Type::i64), Range::above);
  EXPECT_EQ(clamped(3, Type::i128, Type::i64), Range::inside);
  EXPECT_EQ(clamped(4, Type::i128, Type::i64), Range::below);
  EXPECT_EQ(clamped(4, Type::i128, Type::u8), Range::below);
  EXPECT_EQ(clamped(5, Type::i128, Type::i8), Range::inside);
  EXPECT_EQ(clamped(5, Type::u128, Type::u64), Range::above);
}

TEST(Bits128, HaveDistances) {
  const auto distance = [](Integer128 a, Integer128 b) {
    const KeyDistance found = distance_between(a, b);
    EXPECT_FALSE(found.exceeds(distance_between(b, a)));
    return to_uint128({found.whole, found.high});
  };
  EXPECT_TRUE(distance({false, 5}, {false, 7}) == 2);
  EXPECT_TRUE(distance({true, top}, {false, 1}) == 2);
  EXPECT_TRUE(distance({true, half}, {false, half - 1}) == top);
  EXPECT_TRUE(distance({true, half}, {false, top}) == top);  // beyond 128 bits
  EXPECT_TRUE(distance({true, top}, {true, half}) == half - 1);
  EXPECT_FALSE(
      distance_between(Integer128{true, half}, Integer128{false, top}).exceeds(any_distance));

  // From beyond 64 bits to a key of 64 bits.
  const std::vector<Uint128> lookups = {Uint128{1} << 64, (top << 63) - 1, top};
  const auto to_key = [&](std::size_t i, Type lookup, std::uint64_t key, Type column) {
    const KeyDistance found =
        distance_to(lookups.data(), element_type(lookup), i, key, element_type(column));
    return to_uint128({found.whole, found.high});
  };
  EXPECT_TRUE(to_key(0, Type::u128, ~std::uint64_t{0}, Type::u64) == 1);
  EXPECT_TRUE(to_key(0, Type::i128, 0, Type::u64) == Uint128{1} << 64);
  EXPECT_TRUE(to_key(1, Type::i128, 0, Type::i64) == 1);
  EXPECT_TRUE(to_key(2, Type::u128, 0, Type::i64) == top);
  EXPECT_TRUE(to_key(2, Type::u128, 0, Type::u64) == top);
}

TEST(Bits128, ThatSpan64BitsAreEncodedWhole) {
  const Uint128 start = half + 12345;
  std::vector<Uint128> keys = {start, start + ~std::uint64_t{0}};
  const auto codec = KeyCodec::for_column(ColumnView::of(Type::u128, keys.data(), 2));
  EXPECT_FALSE(codec->has_residual());
  EXPECT_EQ(codec->span(), ~std::uint64_t{0});
  ++keys[1];
  EXPECT_TRUE(KeyCodec::for_column(ColumnView::of(Type::u128, keys.data(), 2))->has_residual());
}

}  // namespace
}  // namespace rtindex::test
