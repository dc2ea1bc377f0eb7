// The user's own memory, and too little of it.

#include <gtest/gtest.h>

#include <atomic>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

// Counts allocations and fails beyond a limit.
class CountingMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t bytes, Stream) noexcept override {
    if (used + bytes > limit) return nullptr;
    void* memory = nullptr;
    if (cudaMalloc(&memory, bytes) != cudaSuccess) return nullptr;
    used += bytes;
    ++calls;
    return memory;
  }
  void release(void* memory, std::size_t bytes, Stream) noexcept override {
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFree(memory));
    used -= bytes;
  }

  std::atomic<std::size_t> used = 0;
  std::atomic<std::size_t> limit = ~std::size_t{0};
  std::atomic<int> calls = 0;
};

class DeviceMemoryHook : public GpuIndexTest {
 protected:
  void SetUp() override {
    GpuIndexTest::SetUp();
    if (IsSkipped()) return;
    memory_ = std::make_shared<CountingMemory>();
    for (std::size_t i = 0; i < keys_.size(); ++i)
      keys_[i] = static_cast<std::uint32_t>(i * 2654435761U);
  }
  [[nodiscard]] Index built() const { return build(keys_, GetParam(), {.device_memory = memory_}); }

  std::shared_ptr<CountingMemory> memory_;
  std::vector<std::uint32_t> keys_ = std::vector<std::uint32_t>(std::size_t{1} << 16);
};

TEST_P(DeviceMemoryHook, ServesEveryAllocationOfAnIndex) {
  {
    const Index index = built();
    EXPECT_GT(memory_->calls, 0);
    EXPECT_GE(memory_->used, index.memory_usage().resident);
    const int calls = memory_->calls;
    const Answers answers = index.lookup(keys_, Answer::any);
    EXPECT_GT(memory_->calls, calls);
    for (std::size_t i = 0; i < keys_.size(); ++i) ASSERT_EQ(answers.any()[i], i);
  }
  EXPECT_EQ(memory_->used, 0U);
}

TEST_P(DeviceMemoryHook, ReportsTooLittleMemoryAndLeavesIndexesUsable) {
  const Index index = built();
  memory_->limit = memory_->used + 1000;
  try {
    const Index other = built();
    FAIL() << "built without memory";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("out of GPU memory"), std::string::npos)
        << error.what();
  }
  const std::size_t used = memory_->used;
  EXPECT_THROW(static_cast<void>(index.lookup(keys_, Answer::count)), Error);
  EXPECT_EQ(memory_->used, used);
  memory_->limit = ~std::size_t{0};
  const Answers answers = index.lookup(keys_, Answer::any);
  for (std::size_t i = 0; i < keys_.size(); ++i) ASSERT_EQ(answers.any()[i], i);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceMemoryHook,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda", "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
