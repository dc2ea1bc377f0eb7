// Changes whose columns lie in device memory, against a plain table.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/changing_index.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

using Rows = std::vector<std::uint32_t>;
using Keys = std::vector<std::uint64_t>;

std::vector<std::string> device_indexes() {
  // One case, whose skip reports the reason.
  if (cuda::unusable()) return {"rx:native@cuda"};
  std::vector<std::string> specs;
  for (const std::string& index : usable_indexes())
    if (index.ends_with("@cuda")) specs.push_back(index);
  return specs;
}

// Puts the columns of changes onto the GPU, and keeps the latest.
ChangingIndex::ToMemory on_gpu() {
  return [kept = std::make_shared<std::deque<ColumnOnGpu>>()](const ColumnView& column) {
    kept->emplace_back(column);
    if (kept->size() > 2) kept->pop_front();  // a change has two columns at most
    return kept->back().view();
  };
}

// An update whose rows and keys are on the GPU.
void send_from_gpu(Index& index, const Rows& rows, const ColumnView& new_keys) {
  const ColumnOnGpu device_rows{ColumnView(rows)};
  const ColumnOnGpu device_keys(new_keys);
  index.update(device_rows.view(), device_keys.view());
}

class DeviceUpdates : public GpuTestWithParam<std::tuple<std::string, std::string>> {};

// Keys of every comparable type, near and far, below the smallest and null.
TEST_P(DeviceUpdates, AndOtherChanges) {
  const auto& [index, workload] = GetParam();
  for (const std::string& spec : delta_specs(index)) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(some_rows(workload), spec, {.seed = 92, .to_memory = on_gpu()});
    for (int step = 0; step < 12; ++step) {
      ASSERT_NO_THROW(changing.random_change()) << "step " << step;
      ASSERT_EQ("", changing.difference()) << "step " << step;
    }
  }
}

TEST_P(DeviceUpdates, InterleavedWithLookups) {
  const auto& [index, workload] = GetParam();
  for (const std::string& spec : update_specs(index)) {
    SCOPED_TRACE(spec);
    ChangingIndex changing(some_rows(workload), spec, {.seed = 91, .to_memory = on_gpu()});
    for (int step = 0; step < 12; ++step) {
      ASSERT_NO_THROW(changing.random_update()) << "step " << step;
      ASSERT_EQ("", changing.difference()) << "step " << step;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cuda, DeviceUpdates,
    testing::Combine(testing::ValuesIn(device_indexes()),
                     testing::Values("dense_u32", "sparse_u64", "dense_high_u64", "extremes_i64",
                                     "nulls_dense_u32", "all_null_u32", "every_i8", "bools",
                                     "dates", "duplicates_x256", "single_u64", "empty_u32",
                                     "uniform_f32", "special_f64", "sparse_i128", "edges_u128",
                                     "decimals_128", "nulls_binary_uuids", "int_i128_int")),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) + "_" + std::get<1>(item.param);
    });

class DeviceUpdateCalls : public GpuTestWithParam<std::string> {};

TEST_P(DeviceUpdateCalls, AreRejectedLikeThoseOfTheHost) {
  const std::vector<std::uint32_t> keys = {10, 20, 30};
  Index index = build(keys, GetParam());
  const auto sentence = [](const std::function<void()>& update) -> std::string {
    try {
      update();
      return "no error";
    } catch (const Error& error) {
      return error.what();
    }
  };
  const auto expect_same = [&](const Rows& rows, const ColumnView& new_keys) {
    const std::string host = sentence([&] { index.update(rows, new_keys); });
    EXPECT_NE(host, "no error");
    EXPECT_EQ(host, sentence([&] { send_from_gpu(index, rows, new_keys); }));
  };
  expect_same({0, 2, 0}, std::vector<int>{1, 2, 3});
  expect_same({0, 3}, std::vector<int>{1, 2});
  expect_same({0xffffffffU}, std::vector<int>{1});
  expect_same({0, 1}, std::vector<int>{1});
  expect_same({0, 1}, std::vector<int>{40, -1});
  expect_same({0}, Keys{std::uint64_t{1} << 32});
  expect_same({0}, std::vector<float>{1});
  expect_same({}, std::vector<float>{});
  const auto found = index.lookup(keys, Answer::first);
  for (std::uint32_t row = 0; row < 3; ++row) EXPECT_EQ(found.first()[row], row);
}

// Many blocks of threads: every row gets its own key, and one wrong row is found.
TEST_P(DeviceUpdateCalls, OfManyRows) {
  constexpr std::uint32_t size = 100'003;
  std::vector<std::uint32_t> keys(size);
  for (std::uint32_t row = 0; row < size; ++row) keys[row] = row;
  Index index = build(keys, GetParam());
  Rows rows(size);
  std::vector<std::uint32_t> new_keys(size);
  for (std::uint32_t i = 0; i < size; ++i) {
    rows[i] = static_cast<std::uint32_t>(std::uint64_t{i} * 7919 % size);
    new_keys[i] = size - 1 - rows[i];
  }
  Rows twice = rows;
  twice.back() = rows[4711];
  EXPECT_THROW(send_from_gpu(index, twice, new_keys), Error);
  send_from_gpu(index, rows, new_keys);
  const auto found = index.lookup(keys, Answer::any);
  for (std::uint32_t key = 0; key < size; ++key) ASSERT_EQ(found.any()[key], size - 1 - key);
}

// The keys arrive on the caller's stream, once the host lets them.
TEST_P(DeviceUpdateCalls, WaitForTheCallersStream) {
  const std::vector<std::uint32_t> keys = {10, 20, 30};
  const Rows rows = {0, 1, 2};
  const std::vector<std::uint32_t> wanted = {30, 10, 20};
  Index index = build(keys, GetParam());
  const ColumnOnGpu device_rows{ColumnView(rows)};
  const ColumnOnGpu source{ColumnView(wanted)};
  const ColumnOnGpu arriving{ColumnView(keys)};
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  std::atomic<bool> go = false;
  std::atomic<bool> started = false;
  require(cudaLaunchHostFunc(
      stream, [](void* flag) { static_cast<std::atomic<bool>*>(flag)->wait(false); }, &go));
  require(cudaMemcpyAsync(const_cast<void*>(arriving.view().data()), source.view().data(),
                          wanted.size() * sizeof(wanted[0]), cudaMemcpyDeviceToDevice, stream));
  std::atomic<bool> done = false;
  std::string thrown;
  std::thread updating([&] {
    started = true;
    started.notify_all();
    try {
      index.update(device_rows.view(), arriving.view(), Stream{stream});
    } catch (const std::exception& error) {
      thrown = error.what();
    }
    done = true;
  });
  started.wait(false);
  // Long enough for an update that does not wait to be over.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(done);
  go = true;
  go.notify_all();
  updating.join();
  require(cudaStreamDestroy(stream));
  EXPECT_EQ("", thrown);
  const auto found = index.lookup(wanted, Answer::first);
  for (std::uint32_t row = 0; row < 3; ++row) EXPECT_EQ(found.first()[row], row);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceUpdateCalls, testing::ValuesIn(device_indexes()),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
