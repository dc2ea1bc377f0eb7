// Keys of 128 bits need a CPU; on a GPU they are lookups on narrower columns, and values.

#include <gtest/gtest.h>

#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using Keys128OnGpu = GpuIndexTest;

TEST_P(Keys128OnGpu, AreRejectedAsColumns) {
  const std::vector<std::uint64_t> elements = {1, 0, 2, 5};
  const ColumnView column = ColumnView::of(Type::u128, elements.data(), 2);
  const std::vector<int> numbers = {1, 2};
  for (const ColumnView& keys : {column, ColumnView::composite({numbers, column}),
                                 ColumnView::of(Type::binary16, elements.data(), 2)}) {
    try {
      static_cast<void>(build(keys, GetParam()));
      ADD_FAILURE() << "built";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    }
  }
}

TEST_P(Keys128OnGpu, AreLookupsAndValues) {
  const std::vector<std::uint64_t> elements = {7, 0, 7, 1};
  const std::vector<std::int32_t> keys = {7, 7};
  const std::vector<std::uint64_t> prices = {5, 0, 6, 0};
  const ColumnView values = ColumnView::decimals(Type::decimal128, prices.data(), 2, 1);
  const Index index = build(keys, GetParam());
  const Answers found = index.lookup(ColumnView::of(Type::i128, elements.data(), 2),
                                     Answer::count | Answer::sum, values);
  EXPECT_EQ(found.count()[0], 2U);
  EXPECT_EQ(found.sum_as<std::int64_t>()[0], 11);
  EXPECT_EQ(found.count()[1], 0U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, Keys128OnGpu,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda",
                                         "hash@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
