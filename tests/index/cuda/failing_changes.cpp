// Changes that run out of GPU memory, at every allocation in turn, leave the index as it was.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/failing_memory.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint32_t row_total = 5000;

class FailingChanges : public GpuIndexTest {
 protected:
  void SetUp() override {
    GpuIndexTest::SetUp();
    if (IsSkipped()) return;
    for (std::uint32_t row = 0; row < row_total; ++row) {
      keys_.push_back(row * 7919 % 4001);
      values_.push_back(row);
    }
  }

  [[nodiscard]] static bool includes() { return !GetParam().starts_with("hash"); }

  [[nodiscard]] Index built() const {
    BuildOptions options;
    options.device_memory = memory_;
    if (includes()) options.include = ColumnView(values_);
    return build(keys_, GetParam(), options);
  }

  // The results of lookups, as numbers.
  [[nodiscard]] static std::vector<std::uint64_t> digest(const Index& index) {
    std::vector<std::uint32_t> lookups(9000);
    for (std::uint32_t key = 0; key < lookups.size(); ++key) lookups[key] = key;
    AnswerSet wanted = Answer::first | Answer::count;
    if (includes()) wanted = wanted | Answer::sum;
    const Answers answers = index.lookup(lookups, wanted);
    std::vector<std::uint64_t> numbers = {index.size(), index.valid()};
    for (const std::uint32_t row : answers.first()) numbers.push_back(row);
    for (const std::uint32_t count : answers.count()) numbers.push_back(count);
    if (includes())
      for (const std::uint64_t sum : answers.sum_as<std::uint64_t>()) numbers.push_back(sum);
    return numbers;
  }

  // Repeats a change with one more allocation each time, until it succeeds.
  void expect_whole_or_not_at_all(Index& index, const std::function<void(Index&)>& change) {
    const std::vector<std::uint64_t> before = digest(index);
    int failures = 0;
    for (long allocations = 0;; ++allocations) {
      const std::size_t used = memory_->used;
      memory_->left = allocations;
      bool failed = false;
      try {
        change(index);
      } catch (const Error& error) {
        failed = true;
        ASSERT_NE(std::string(error.what()).find("out of GPU memory"), std::string::npos)
            << error.what();
      }
      memory_->left = FailingMemory::unlimited;
      if (!failed) break;
      ++failures;
      ASSERT_EQ(memory_->used, used) << allocations << " allocations";
      ASSERT_EQ(digest(index), before) << allocations << " allocations";
      ASSERT_LT(allocations, 2000);
    }
    EXPECT_GT(failures, 0);
    EXPECT_NE(digest(index), before);
  }

  std::shared_ptr<FailingMemory> memory_ = std::make_shared<FailingMemory>();
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> values_;
};

TEST_P(FailingChanges, LeaveTheIndexUnchanged) {
  {
    Index index = built();
    const std::vector<std::uint32_t> some = {3, 4002, 8000, 8000, 17};
    const std::vector<std::uint32_t> own = {1, 2, 3, 4, 5};
    const ColumnView more_values = includes() ? ColumnView(own) : ColumnView();
    const auto insert = [&](Index& changed) { changed.insert(some, more_values); };
    expect_whole_or_not_at_all(index, insert);  // a delta
    expect_whole_or_not_at_all(index, insert);  // merged with it
    expect_whole_or_not_at_all(index, [&](Index& changed) {
      changed.update(std::vector<std::uint32_t>{4999, 0, 5003},
                     std::vector<std::uint64_t>{1, 2, 3});
    });
    expect_whole_or_not_at_all(index, [&](Index& changed) {
      changed.erase(std::vector<std::uint32_t>{4998, 5001, 1});
    });
    expect_whole_or_not_at_all(index, [&](Index& changed) {
      static_cast<void>(changed.erase_keys(std::vector<std::uint32_t>{10, 20, 8000}));
    });
    if (includes())
      expect_whole_or_not_at_all(index, [&](Index& changed) {
        changed.set_included(std::vector<std::uint32_t>{9, 8, 7},
                             std::vector<std::uint32_t>{90, 80, 70});
      });
    if (HasFatalFailure()) return;
    // A merge changes no answer.
    const std::vector<std::uint64_t> before = digest(index);
    for (long allocations = 0;; ++allocations) {
      memory_->left = allocations;
      bool failed = false;
      try {
        index.merge();
      } catch (const Error&) {
        failed = true;
      }
      memory_->left = FailingMemory::unlimited;
      ASSERT_EQ(digest(index), before) << allocations << " allocations";
      if (!failed) break;
    }
  }
  require(cudaDeviceSynchronize());
  EXPECT_EQ(memory_->used, 0U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, FailingChanges,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda,bucket=16"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
