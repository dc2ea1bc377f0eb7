// Null values, means and their validity on a GPU, with answers in host and in device memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/buffer.hpp"
#include "support/cuda/gpu_test.hpp"

namespace rtindex::test {
namespace {

// Key i / 2 for row i. The values of key 1 are null, and one of key 2.
class NullValues : public GpuIndexTest {
 protected:
  std::vector<std::uint32_t> keys_ = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
  std::vector<std::int64_t> values_ = {5, 6, 99, 99, 99, -7, 1, 2, 3, 4};
  std::vector<std::uint8_t> valid_ = {0b11100011, 0b11};
  std::vector<std::uint32_t> lookups_ = {4, 1, 0, 2, 9};

  [[nodiscard]] ColumnView nullable() const {
    return ColumnView(values_).with_validity(valid_.data());
  }
  // Sums, means and validity in a memory space.
  struct Found {
    std::vector<std::int64_t> sum;
    std::vector<double> mean;
    std::uint8_t matched = 0;
    std::uint8_t validity = 0;
  };
  [[nodiscard]] Found find(const Index& index, MemorySpace space, const ColumnView& values,
                           bool wants_matched, bool wants_mean) const {
    const PlacedColumn lookups(space, lookups_);
    const PlacedColumn placed(space, values);
    Buffer sum(space, 8 * lookups_.size());
    Buffer mean(space, 8 * lookups_.size());
    Buffer matched(space, 1);
    Buffer validity(space, 1);
    Outputs outputs;
    outputs.memory_space = space;
    outputs.sum = sum.as<void>();
    if (wants_mean) outputs.mean = mean.as<double>();
    if (wants_matched) outputs.matched = matched.as<std::uint8_t>();
    outputs.validity = validity.as<std::uint8_t>();
    AnswerOptions options;
    options.values = placed.view();
    options.miss = {.u64 = 0, .i64 = -1, .f64 = -2};
    index.answer_into(Query::equal(lookups.view()), options, outputs);
    require(cudaStreamSynchronize(nullptr));
    return {sum.read<std::int64_t>(), mean.read<double>(), matched.read<std::uint8_t>().front(),
            validity.read<std::uint8_t>().front()};
  }
};

TEST_P(NullValues, AreSkipped) {
  const Index index = build(keys_, GetParam());
  for (const MemorySpace space : memory_spaces)
    for (const bool wants_matched : {false, true})
      for (const bool wants_mean : {false, true}) {
        const Found found = find(index, space, nullable(), wants_matched, wants_mean);
        EXPECT_EQ(found.sum, (std::vector<std::int64_t>{7, -1, 11, -7, -1}));
        if (wants_mean) {
          EXPECT_EQ(found.mean, (std::vector<double>{3.5, -2, 5.5, -7, -2}));
        }
        if (wants_matched) {
          EXPECT_EQ(found.matched, 0b01111);
        }
        EXPECT_EQ(found.validity, 0b01101);
      }
}

TEST_P(NullValues, ReportOnlyMissesForValuesWithoutNulls) {
  const Index index = build(keys_, GetParam());
  for (const MemorySpace space : memory_spaces)
    for (const bool wants_matched : {false, true}) {
      const Found found = find(index, space, values_, wants_matched, false);
      EXPECT_EQ(found.sum, (std::vector<std::int64_t>{7, 198, 11, 92, -1}));
      if (wants_matched) {
        EXPECT_EQ(found.matched, 0b01111);
      }
      EXPECT_EQ(found.validity, 0b01111);
    }
}

TEST_P(NullValues, AreSkippedInEverySegment) {
  Index index = build(keys_, GetParam());
  const std::vector<std::uint32_t> more = {1, 2, 7};
  index.insert(more);
  index.erase(std::vector<std::uint32_t>{8});
  values_.insert(values_.end(), {10, 20, 30});
  valid_[1] = 0b00111;  // rows 8, 9 and 10
  const Found found = find(index, MemorySpace::device, nullable(), true, true);
  EXPECT_EQ(found.sum, (std::vector<std::int64_t>{4, 10, 11, -7, -1}));
  EXPECT_EQ(found.mean, (std::vector<double>{4, 10, 5.5, -7, -2}));
  EXPECT_EQ(found.validity, 0b01111);
}

// Two included columns, one with nulls, in host or device memory.
class NullIncluded : public GpuIndexTest {
 protected:
  using Sums = std::vector<std::int64_t>;

  [[nodiscard]] static Sums sums(const Index& index, const std::string& name) {
    const std::vector<std::uint32_t> lookups = {0, 1, 2, 3};
    const Answers found =
        index.lookup(lookups, {.answers = Answer::sum, .included = name, .miss = {.i64 = -1}});
    const auto span = found.sum_as<std::int64_t>();
    return {span.begin(), span.end()};
  }
};

TEST_P(NullIncluded, MovesThroughChangesAndFiles) {
  const std::vector<std::uint32_t> keys = {2, 1, 0, 1};
  const std::vector<std::int32_t> price = {10, 20, 30, 40};
  const std::vector<std::int64_t> pieces = {1, 2, 3, 4};
  const std::uint8_t valid = 0b1001;  // the pieces of rows 1 and 2 are null
  for (const MemorySpace space : memory_spaces) {
    const PlacedColumn key_column(space, keys);
    const PlacedColumn prices(space, price);
    const PlacedColumn counts(space, ColumnView(pieces).with_validity(&valid));
    Index index = build(key_column.view(), GetParam(),
                        {.include = std::vector<IncludedColumn>{{"price", prices.view()},
                                                                {"pieces", counts.view()}}});
    EXPECT_EQ(sums(index, "price"), (Sums{30, 60, 10, -1}));
    EXPECT_EQ(sums(index, "pieces"), (Sums{-1, 4, 1, -1}));
    // By name, in another order; the new pieces have no nulls.
    const std::vector<std::uint32_t> new_keys = {3, 0};
    const std::vector<std::int32_t> new_price = {50, 60};
    const std::vector<std::int64_t> new_pieces = {5, 6};
    const PlacedColumn more_keys(space, new_keys);
    const PlacedColumn more_prices(space, new_price);
    const PlacedColumn more_counts(space, new_pieces);
    index.insert(more_keys.view(), std::vector<IncludedColumn>{{"pieces", more_counts.view()},
                                                               {"price", more_prices.view()}});
    EXPECT_EQ(sums(index, "price"), (Sums{90, 60, 10, 50}));
    EXPECT_EQ(sums(index, "pieces"), (Sums{6, 4, 1, 5}));
    // Rows 1 and 5 swap between null and valid; their prices and keys are kept.
    const std::vector<std::uint32_t> rows = {5, 1};
    const std::vector<std::int64_t> set = {0, 7};
    const std::uint8_t second_alone = 0b10;
    const PlacedColumn row_column(space, rows);
    const PlacedColumn set_column(space, ColumnView(set).with_validity(&second_alone));
    index.set_included(row_column.view(), set_column.view(), "pieces");
    EXPECT_EQ(sums(index, "price"), (Sums{90, 60, 10, 50}));
    EXPECT_EQ(sums(index, "pieces"), (Sums{-1, 11, 1, 5}));
    // An update keeps all values.
    const std::vector<std::uint32_t> moved = {1};
    const std::vector<std::uint32_t> moved_key = {2};
    index.update(moved, moved_key);
    EXPECT_EQ(sums(index, "pieces"), (Sums{-1, 4, 8, 5}));
    const Index copy = index.copy();  // writes and reads a file in memory
    EXPECT_EQ(sums(copy, "price"), (Sums{90, 40, 30, 50}));
    EXPECT_EQ(sums(copy, "pieces"), (Sums{-1, 4, 8, 5}));
    index.merge();
    EXPECT_EQ(sums(index, "price"), (Sums{90, 40, 30, 50}));
    EXPECT_EQ(sums(index, "pieces"), (Sums{-1, 4, 8, 5}));
  }
}

// The index has no nulls until a change adds one, which a merge keeps.
TEST_P(NullIncluded, MayComeWithAnInsert) {
  const std::vector<std::uint32_t> keys = {0, 1, 2};
  const std::vector<std::int64_t> values = {1, 2, 3};
  Index index = build(keys, GetParam(), {.include = values});
  const std::vector<std::uint32_t> more = {0, 3};
  const std::vector<std::int64_t> more_values = {9, 9};
  const std::uint8_t first_alone = 0b01;
  index.insert(more, ColumnView(more_values).with_validity(&first_alone));
  EXPECT_EQ(sums(index, ""), (Sums{10, 2, 3, -1}));
  index.merge();
  EXPECT_EQ(sums(index, ""), (Sums{10, 2, 3, -1}));
  EXPECT_EQ(index.lookup(std::vector{3U}, Answer::count).count()[0], 1U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, NullIncluded,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda",
                                         "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

INSTANTIATE_TEST_SUITE_P(Cuda, NullValues,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
