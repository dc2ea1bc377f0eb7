// More rowIDs than 32 bits can number. Needs a GPU with much memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <rtindex/rtindex.hpp>

#include "kinds/optix/library.hpp"
#include "support/cuda/device_copy.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t rows = std::size_t{1} << 24;
constexpr std::size_t lookups = std::size_t{1} << 22;
constexpr std::size_t hits = 1025;  // of each lookup
static_assert(lookups * hits > std::size_t{1} << 32);

class OptixRows : public testing::Test {
 protected:
  void SetUp() override {
    if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
    std::size_t free = 0;
    std::size_t total = 0;
    require(cudaMemGetInfo(&free, &total));
    if (free < std::size_t{40} << 30) GTEST_SKIP() << "needs 40 GiB of GPU memory";
  }
};

std::uint32_t lower_of(std::size_t lookup) {
  return static_cast<std::uint32_t>(lookup * 977 % (rows - hits));
}

// Rows of a lookup in any order; row i has key i.
void expect_rows(const std::uint32_t* on_device, std::size_t lookup) {
  std::vector<std::uint32_t> found(hits);
  require(cudaMemcpy(found.data(), on_device, hits * sizeof(found[0]), cudaMemcpyDeviceToHost));
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i < hits; ++i) ASSERT_EQ(found[i], lower_of(lookup) + i);
}

TEST_F(OptixRows, MoreThanAnArrayHolds) {
  std::vector<std::uint32_t> keys(rows);
  std::iota(keys.begin(), keys.end(), 0);
  const Index index = build(keys, "rx:optix");
  std::vector<std::uint32_t> lower(lookups);
  std::vector<std::uint32_t> upper(lookups);
  for (std::size_t i = 0; i < lookups; ++i) {
    lower[i] = lower_of(i);
    upper[i] = lower[i] + hits - 1;
  }
  const OnGpu low(lower.data(), lookups * sizeof(std::uint32_t));
  const OnGpu high(upper.data(), lookups * sizeof(std::uint32_t));
  const auto on_gpu = [](const OnGpu& memory) {
    return ColumnView::of(Type::u32, memory.data(), lookups).on_device();
  };
  const OnGpu offsets((lookups + 1) * sizeof(std::uint64_t));
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.offsets = offsets.as<std::uint64_t>();
  index.answer_into(Query::range(on_gpu(low), on_gpu(high)), {}, outputs);
  require(cudaDeviceSynchronize());
  const auto ends = offsets.read<std::uint64_t>();
  for (std::size_t i = 0; i <= lookups; ++i) ASSERT_EQ(ends[i], i * hits);

  const OnGpu found(lookups * hits * sizeof(std::uint32_t));
  outputs.rows = found.as<std::uint32_t>();
  outputs.rows_capacity = lookups * hits;
  index.answer_into(Query::range(on_gpu(low), on_gpu(high)), {}, outputs);
  require(cudaDeviceSynchronize());
  for (std::size_t lookup = 0; lookup < lookups; lookup += lookups / 1024 - 1)
    expect_rows(found.as<std::uint32_t>() + lookup * hits, lookup);
}

}  // namespace
}  // namespace rtindex::test
