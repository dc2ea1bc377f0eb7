// The encoding of lookups for devices, run on the host against the codec.

#include "keys/runtime_bounds.hpp"

#include <gtest/gtest.h>

#include <optional>

#include <rtindex/error.hpp>

#include "base/types.hpp"
#include "keys/codec.hpp"
#include "support/lookups.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

class RuntimeBounds : public testing::TestWithParam<std::string> {};

TEST_P(RuntimeBounds, EncodeLikeTheCodec) {
  const TestColumn column = workload_named(GetParam()).column();
  const auto codec = KeyCodec::for_column(column.view());
  const NativeMap map{element_type(codec->type()), codec->native_base().value(), codec->span(),
                      codec->empty()};
  Random random(77);
  std::size_t compared = 0;
  for (const Batch& batch : interesting_batches(column, 40, random)) {
    const ColumnView lower = batch.lower.view();
    const ColumnView upper = batch.upper.view();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!lower.valid(i) || !upper.valid(i)) continue;
      Interval wanted{};
      codec->encode_lookups(lower, upper, {}, i, 1, &wanted, nullptr);
      const Interval found = encode_interval(map, lower.data(), element_type(lower.type()),
                                             upper.data(), element_type(upper.type()), i);
      ASSERT_EQ(wanted.empty(), found.empty()) << batch.text(i);
      if (wanted.empty()) continue;
      ASSERT_EQ(wanted.lower, found.lower) << batch.text(i);
      ASSERT_EQ(wanted.upper, found.upper) << batch.text(i);
      ++compared;
    }
  }
  EXPECT_TRUE(codec->empty() || compared != 0);
}

TEST_P(RuntimeBounds, EncodeOpenAndMissingEndsLikeTheCodec) {
  const TestColumn column = workload_named(GetParam()).column();
  const auto codec = KeyCodec::for_column(column.view());
  const NativeMap map{element_type(codec->type()), codec->native_base().value(), codec->span(),
                      codec->empty()};
  Random random(79);
  const ColumnView none;
  for (const Batch& batch : interesting_batches(column, 20, random))
    for (unsigned which = 0; which < 16; ++which) {
      const RangeEnds ends{(which & 1) != 0, (which & 2) != 0};
      const ColumnView lower = (which & 4) != 0 ? none : batch.lower.view();
      const ColumnView upper = (which & 8) != 0 ? none : batch.upper.view();
      for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!lower.valid(i) || !upper.valid(i)) continue;
        Interval wanted{};
        codec->encode_lookups(lower, upper, ends, i, 1, &wanted, nullptr);
        const Interval found = encode_interval(map, lower.data(), element_type(lower.type()),
                                               upper.data(), element_type(upper.type()), i, ends);
        ASSERT_EQ(wanted.empty(), found.empty()) << batch.text(i) << " ends " << which;
        if (wanted.empty()) continue;
        ASSERT_EQ(wanted.lower, found.lower) << batch.text(i) << " ends " << which;
        ASSERT_EQ(wanted.upper, found.upper) << batch.text(i) << " ends " << which;
      }
    }
}

// The new key of an update, or none where the codec refuses it.
std::optional<std::uint64_t> encoded_by(const KeyCodec& codec, const ColumnView& key) {
  try {
    std::uint64_t encoded = 0;
    static_cast<void>(codec.encode_update(key, &encoded));
    return encoded;
  } catch (const Error&) {
    return std::nullopt;
  }
}

TEST_P(RuntimeBounds, PlaceNewKeysLikeTheCodec) {
  const TestColumn column = workload_named(GetParam()).column();
  const auto codec = KeyCodec::for_column(column.view());
  const NativeMap map{element_type(codec->type()), codec->native_base().value(), codec->span(),
                      codec->empty()};
  Random random(78);
  for (const Batch& batch : interesting_batches(column, 40, random)) {
    const ColumnView keys = batch.lower.view();
    const auto* bytes = static_cast<const std::byte*>(keys.data());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (!keys.valid(i)) continue;
      const auto wanted =
          encoded_by(*codec, ColumnView::of(keys.type(), bytes + i * width_of(keys.type()), 1));
      const NewKey found = place_new_key(map, keys.data(), element_type(keys.type()), i);
      ASSERT_EQ(found.fits, wanted.has_value()) << batch.text(i);
      if (wanted) {
        ASSERT_EQ(found.bits - map.base, *wanted) << batch.text(i);
      }
    }
  }
}

std::vector<std::string> native_workloads() {
  std::vector<std::string> names;
  for (const auto& list : {integer_workloads(), float_workloads()})
    for (const Workload& workload : list) names.push_back(workload.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Keys, RuntimeBounds, testing::ValuesIn(native_workloads()),
                         [](const auto& item) { return item.param; });

}  // namespace
}  // namespace rtindex::test
