// The mapping of native keys, which host and device share, against the comparison of plain values.

#include "keys/native_map.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <rtindex/error.hpp>

#include "base/types.hpp"
#include "keys/codec.hpp"
#include "support/interval_oracle.hpp"
#include "support/lookups.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

class NativeMapOf : public testing::TestWithParam<std::string> {
 protected:
  // Encodes by the mapping with types at run time, as devices do.
  [[nodiscard]] Interval encoded(const ColumnView& lower, const ColumnView& upper, std::size_t i,
                                 RangeEnds ends) const {
    return encode_interval(map, lower.data(), element_type(lower.type()), upper.data(),
                           element_type(upper.type()), i, ends);
  }

  const TestColumn column = workload_named(GetParam()).column();
  const std::unique_ptr<KeyCodec> codec = KeyCodec::for_column(column.view());
  const NativeMap map = codec->native_map().value();
  const EncodedColumn keys = codec->encode(column.view());
};

TEST_P(NativeMapOf, EncodesLookupsAsTheRowsOfAScan) {
  Random random(77);
  const ColumnView none;
  for (const Batch& batch : interesting_batches(column, 20, random))
    for (unsigned which = 0; which < 16; ++which) {
      const RangeEnds ends{(which & 1) != 0, (which & 2) != 0};
      const ColumnView lower = (which & 4) != 0 ? none : batch.lower.view();
      const ColumnView upper = (which & 8) != 0 ? none : batch.upper.view();
      std::vector<Interval> all(batch.size());
      codec->encode_lookups(lower, upper, ends, 0, batch.size(), all.data(), nullptr);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const Key* const low = (which & 4) != 0 ? nullptr : &batch.lower.keys()[i];
        const Key* const high = (which & 8) != 0 ? nullptr : &batch.upper.keys()[i];
        ASSERT_NO_FATAL_FAILURE(expect_interval(column, keys, low, high, ends, all[i]))
            << batch.text(i) << " ends " << which;
        if (!lower.valid(i) || !upper.valid(i)) continue;
        const Interval own = encoded(lower, upper, i, ends);
        if (are_same(own, all[i])) continue;
        ASSERT_NO_FATAL_FAILURE(expect_interval(column, keys, low, high, ends, own))
            << batch.text(i) << " ends " << which;
      }
    }
}

TEST_P(NativeMapOf, EncodesPoints) {
  Random random(79);
  for (const Batch& batch : interesting_batches(column, 40, random)) {
    const ColumnView points = batch.lower.view();
    std::vector<Interval> all(batch.size());
    codec->encode_lookups(points, points, {}, 0, batch.size(), all.data(), nullptr);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Key* const key = &batch.lower.keys()[i];
      ASSERT_NO_FATAL_FAILURE(expect_interval(column, keys, key, key, {}, all[i])) << batch.text(i);
      if (!points.valid(i) || codec->empty()) continue;
      const EncodedEnds own = encode_ends(map, points.data(), element_type(points.type()), i);
      std::uint8_t checks = check_none;
      ASSERT_NO_FATAL_FAILURE(expect_interval(column, keys, key, key, {},
                                              interval_between(own.lower, own.upper, checks)))
          << batch.text(i);
      ASSERT_EQ(checks, check_none);
    }
  }
}

// The new key of an update, or none where the codec rejects it.
std::optional<std::uint64_t> encoded_by(const KeyCodec& codec, const ColumnView& key) {
  try {
    std::uint64_t encoded = 0;
    static_cast<void>(codec.encode_update(key, &encoded));
    return encoded;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// A column of one key encodes it as 0; its base is the ordered_bits() of the key.
TEST_P(NativeMapOf, ConvertsNewKeysThatFitTheType) {
  Random random(78);
  for (const Batch& batch : interesting_batches(column, 40, random)) {
    const ColumnView lookups = batch.lower.view();
    const auto* bytes = static_cast<const std::byte*>(lookups.data());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!lookups.valid(i)) continue;
      const Key& key = batch.lower.keys()[i];
      const NewKey found = convert_key(map, lookups.data(), element_type(lookups.type()), i);
      const auto updated = encoded_by(
          *codec, ColumnView::of(lookups.type(), bytes + i * width_of(lookups.type()), 1));
      ASSERT_EQ(found.fits, fits(key, column.shape())) << batch.text(i);
      ASSERT_EQ(updated.has_value(), found.fits) << batch.text(i);
      if (!found.fits) continue;
      const TestColumn alone(column.shape(), {key});
      ASSERT_EQ(found.bits, KeyCodec::for_column(alone.view())->native_base()) << batch.text(i);
      ASSERT_EQ(*updated, found.bits - map.base) << batch.text(i);
    }
  }
}

std::vector<std::string> native_workloads() {
  std::vector<std::string> names;
  for (const auto& list : {integer_workloads(), float_workloads()})
    for (const Workload& workload : list) names.push_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Keys, NativeMapOf, testing::ValuesIn(native_workloads()),
                         [](const auto& item) { return item.param; });

// An element of type `From` in type `To`.
template <class From>
ClampedBits converted(Type to, Type from, From value, bool up) {
  return convert_end({.column = element_type(to)}, &value, element_type(from), 0, up);
}

TEST(NativeMap, ClampsIntegersOfAnyWidth) {
  using Range = ClampedBits::Range;
  for (const bool up : {false, true}) {
    EXPECT_EQ(converted<std::int32_t>(Type::u8, Type::i32, 256, up).range, Range::above);
    EXPECT_EQ(converted<std::int64_t>(Type::u8, Type::i64, 255, up).bits, 255U);
    EXPECT_EQ(converted<std::int32_t>(Type::u8, Type::i32, -1, up).range, Range::below);
    EXPECT_EQ(converted<std::uint64_t>(Type::i64, Type::u64, ~std::uint64_t{0}, up).range,
              Range::above);
    EXPECT_EQ(converted<std::int8_t>(Type::u64, Type::i8, -1, up).range, Range::below);
    EXPECT_EQ(converted<std::int64_t>(Type::i8, Type::i64, -129, up).range, Range::below);
    EXPECT_EQ(converted<std::int64_t>(Type::i8, Type::i64, -128, up).bits, 0U);
  }
}

TEST(NativeMap, RoundsFloatsWithoutCrossingTheValue) {
  for (const double value : {0.1, -0.1, 1e300, -1e300, 1e-50, -1e-50, 0x1.ffffffp127, 5e-324, 0.0,
                             -0.0, 0x1p-149, 0x1.8p-149, std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), 16777217.0}) {
    const float up = round_to_float(value, true);
    const float down = round_to_float(value, false);
    EXPECT_GE(static_cast<double>(up), value);
    EXPECT_LE(static_cast<double>(down), value);
    // Nothing lies between them but the value itself.
    EXPECT_TRUE(up == down ? static_cast<double>(up) == value
                           : std::nextafter(down, up) == up || (down == 0 && up > 0))
        << value;
  }
  EXPECT_EQ(converted(Type::f32, Type::f64, std::nan(""), true).bits,
            ordered_bits(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(converted(Type::f64, Type::f32, 0.1F, true).bits,
            ordered_bits(static_cast<double>(0.1F)));
}

}  // namespace
}  // namespace rtindex::test
