// More rowIDs than positions of 32 bits tell apart. Takes a GPU with much memory.

#include <gtest/gtest.h>

#include <numeric>

#include <rtindex/rtindex.hpp>

#include "cuda/device_copy.hpp"
#include "tracers/optix/library.hpp"

namespace rtindex::test {
namespace {

constexpr std::size_t rows = std::size_t{1} << 24;
constexpr std::size_t lookups = 258;

class OptixRows : public testing::Test {
 protected:
  void SetUp() override {
    if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
    std::size_t free = 0;
    std::size_t total = 0;
    require(cudaMemGetInfo(&free, &total));
    if (free < std::size_t{40} << 30) GTEST_SKIP() << "takes 40 GiB of GPU memory";
  }
};

// All rows, each once.
void expect_all(const std::uint32_t* on_device) {
  std::vector<std::uint32_t> found(rows);
  require(cudaMemcpy(found.data(), on_device, rows * sizeof(found[0]), cudaMemcpyDeviceToHost));
  std::vector<bool> seen(rows, false);
  for (const std::uint32_t row : found) {
    ASSERT_LT(row, rows);
    ASSERT_FALSE(seen[row]);
    seen[row] = true;
  }
}

TEST_F(OptixRows, MoreThanAnArrayHolds) {
  std::vector<std::uint32_t> keys(rows);
  std::iota(keys.begin(), keys.end(), 0);
  const Index index = build(keys, "rx:optix");
  const std::vector<std::uint32_t> lower(lookups, 0);
  const std::vector<std::uint32_t> upper(lookups, static_cast<std::uint32_t>(rows));
  const OnGpu low(lower.data(), lookups * sizeof(std::uint32_t));
  const OnGpu high(upper.data(), lookups * sizeof(std::uint32_t));
  const auto on_gpu = [](const OnGpu& memory) {
    return ColumnView::of(Type::u32, memory.data(), lookups).on_device();
  };
  const OnGpu offsets((lookups + 1) * sizeof(std::uint64_t));
  Outputs outputs;
  outputs.place = Place::device;
  outputs.offsets = offsets.as<std::uint64_t>();
  index.range_into(on_gpu(low), on_gpu(high), {}, outputs);
  require(cudaDeviceSynchronize());
  for (std::size_t i = 0; i <= lookups; ++i) ASSERT_EQ(offsets.read<std::uint64_t>()[i], i * rows);

  const OnGpu found(lookups * rows * sizeof(std::uint32_t));
  outputs.rows = found.as<std::uint32_t>();
  outputs.rows_capacity = lookups * rows;
  index.range_into(on_gpu(low), on_gpu(high), {}, outputs);
  require(cudaDeviceSynchronize());
  for (const std::size_t lookup : {std::size_t{0}, std::size_t{100}, lookups - 1})
    expect_all(found.as<std::uint32_t>() + lookup * rows);
}

}  // namespace
}  // namespace rtindex::test
