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
        if (wants_mean) EXPECT_EQ(found.mean, (std::vector<double>{3.5, -2, 5.5, -7, -2}));
        if (wants_matched) EXPECT_EQ(found.matched, 0b01111);
        EXPECT_EQ(found.validity, 0b01101);
      }
}

TEST_P(NullValues, AreThoseOfMissesWhereNoneAreGiven) {
  const Index index = build(keys_, GetParam());
  for (const MemorySpace space : memory_spaces)
    for (const bool wants_matched : {false, true}) {
      const Found found = find(index, space, values_, wants_matched, false);
      EXPECT_EQ(found.sum, (std::vector<std::int64_t>{7, 198, 11, 92, -1}));
      if (wants_matched) EXPECT_EQ(found.matched, 0b01111);
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

INSTANTIATE_TEST_SUITE_P(Cuda, NullValues,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
