// Builds, lookups, joins and copies that run out of GPU memory, at every allocation in turn: each
// throws out_of_memory and leaves nothing behind, and the index answers as before.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/calls.hpp"
#include "support/counts.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/failing_memory.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

class FailingCalls : public GpuIndexTest {
 protected:
  // Calls with one more allocation each time, until the call succeeds.
  void fail_every_allocation(const std::string& name, const std::function<void()>& call) {
    for (long allocations = 0;; ++allocations) {
      const std::size_t used = memory_->used;
      memory_->left = allocations;
      bool failed = false;
      try {
        call();
      } catch (const Error& error) {
        failed = true;
        ASSERT_EQ(error.kind(), ErrorKind::out_of_memory) << name << ": " << error.what();
      }
      memory_->left = FailingMemory::unlimited;
      if (!failed) return;
      require(cudaDeviceSynchronize());
      ASSERT_EQ(memory_->used, used) << name << ", " << allocations << " allocations";
      ASSERT_LT(allocations, 2000) << name;
      add_count("allocations on a GPU that failed", name, 1);
    }
  }

  [[nodiscard]] BuildOptions options() const {
    BuildOptions options;
    options.device_memory = memory_;
    return options;
  }

  std::shared_ptr<FailingMemory> memory_ = std::make_shared<FailingMemory>();
};

TEST_P(FailingCalls, LeaveTheIndexUnchanged) {
  for (const char* const workload :
       {"nulls_sparse_u64", "nulls_same_head_strings", "nulls_in_parts"}) {
    SCOPED_TRACE(workload);
    const TestColumn column = workload_named(workload).column();
    const ColumnView keys = column.view();
    std::optional<Index> index;
    fail_every_allocation("build", [&] { index.emplace(build(keys, GetParam(), options())); });
    if (HasFatalFailure()) return;
    index->erase(std::vector<std::uint32_t>{1, 3});
    for (const Call& call : every_call(*index, column)) {
      call.make(*index);
      const Digest digest = call.digest();
      fail_every_allocation(call.name, [&] { call.make(*index); });
      if (HasFatalFailure()) return;
      EXPECT_EQ(call.digest(), digest) << call.name;
    }
  }
  require(cudaDeviceSynchronize());
  EXPECT_EQ(memory_->used, 0U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, FailingCalls,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda,bucket=16", "rx:optix@cuda"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
