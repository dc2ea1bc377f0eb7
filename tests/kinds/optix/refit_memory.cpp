// A refit that runs out of GPU memory at any point leaves the index as it was.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "kinds/optix/library.hpp"

namespace rtindex::test {
namespace {

// Allocates a number of times, then fails.
class RationedMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes, Stream) noexcept override {
    if (left-- <= 0) return nullptr;
    void* memory = nullptr;
    return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : nullptr;
  }
  void release(void* memory, std::size_t, Stream) noexcept override {
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFree(memory));
  }

  static constexpr int plenty = 1 << 30;
  std::atomic<int> left = plenty;
};

class OptixRefitMemory : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (optix::unusable()) GTEST_SKIP() << *optix::unusable();
    memory_ = std::make_shared<RationedMemory>();
  }

  std::shared_ptr<RationedMemory> memory_;
};

TEST_P(OptixRefitMemory, KeepsAnswersIfARefitRunsOutOfMemory) {
  constexpr std::uint32_t rows = 4000;
  std::vector<std::uint64_t> keys(rows);
  std::vector<std::uint64_t> new_keys(rows);
  std::vector<std::uint32_t> all(rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    keys[row] = std::uint64_t{row} * 1000003 % (std::uint64_t{1} << 20);
    new_keys[row] = (std::uint64_t{1} << 20) - 1 - keys[row];
    all[row] = row;
  }
  // Rows of 2^10 places: rays need the directory of occupied rows, which an update makes anew.
  Index index =
      build(keys, "rx:optix,bits=10+23+23,split=1500," + GetParam(), {.device_memory = memory_});
  const std::vector<std::uint64_t> low = {0};
  const std::vector<std::uint64_t> high = {~std::uint64_t{0}};
  int failures = 0;
  for (int allowed = 0;; ++allowed) {
    memory_->left = allowed;
    bool done = true;
    try {
      index.update(all, new_keys);
    } catch (const Error&) {
      done = false;
    }
    memory_->left = RationedMemory::plenty;
    const auto& now = done ? new_keys : keys;
    const Answers found = index.lookup(now, Answer::any);
    for (std::uint32_t row = 0; row < rows; ++row)
      ASSERT_EQ(now[found.any()[row]], now[row]) << "after " << allowed << " allocations";
    ASSERT_EQ(index.range(low, high, Answer::count).count()[0], rows);
    if (done) break;
    ++failures;
    ASSERT_LT(allowed, 1000);
  }
  EXPECT_GT(failures, 3);
}

INSTANTIATE_TEST_SUITE_P(Optix, OptixRefitMemory,
                         testing::Values("update=refit", "update=refit,primitive=aabb",
                                         "update=rebuild"),
                         [](const auto& item) {
                           std::string name;
                           for (const char c : item.param)
                             if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
                           return name;
                         });

}  // namespace
}  // namespace rtindex::test
