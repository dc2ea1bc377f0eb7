// Columns, lookups, values and answers in device memory, against the full scan.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "support/cuda/answer_calls.hpp"
#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/lookups.hpp"
#include "support/run.hpp"
#include "support/specs.hpp"
#include "support/workloads.hpp"

namespace rtindex::test {
namespace {

std::vector<std::string> device_specs() {
  // One case, whose skip reports the reason.
  if (cuda::unusable()) return {"rx:native@cuda"};
  std::vector<std::string> specs;
  for (const IndexInfo& index : indexes())
    if (index.spec.ends_with("@cuda") && index.available)
      for (const std::string& spec : specs_of(index.spec)) specs.push_back(spec);
  return specs;
}

std::vector<std::string> every_workload() {
  if (cuda::unusable()) return {"dense_u32"};
  std::vector<std::string> names;
  for (const auto& list : {all_workloads(), workloads_128()})
    for (const Workload& workload : list) names.push_back(workload.name);
  return names;
}

// One call with everything on the GPU, checked.
std::string check_on_gpu(const Index& index, const Batch& batch, const Matches& matches,
                         const TestColumn& values, const ColumnOnGpu& device_values,
                         cudaStream_t stream, AnswerSet also = {}) {
  const ColumnOnGpu lower(batch.lower.view());
  const ColumnOnGpu upper(batch.upper.view());
  const Query query = batch.kind == QueryKind::equal ? Query::equal(lower.view())
                                                     : Query::range(lower.view(), upper.view());
  AnswerOptions options = full_options();
  options.answers = options.answers | also;
  options.values = device_values.view();
  options.stream = {stream};
  return first_difference(every_answer_in(MemorySpace::device, index, query, options), options,
                          batch, matches, values);
}

using Case = std::tuple<std::string, std::string>;

class DeviceData : public GpuTestWithParam<Case> {};

TEST_P(DeviceData, AnswersLikeTheScan) {
  const auto& [spec, workload] = GetParam();
  const TestColumn column = workload_named(workload).column();
  const ColumnOnGpu device_column(column.view());
  Random random(column.size() + 5);
  const Index index = build(device_column.view(), spec);
  const Index from_host = build(column.view(), spec);
  // All but the time and the memory of the build: the host's column is copied first.
  const auto without_costs = [](std::string text) {
    text.resize(std::min(text.size(), text.find("memory: ")));
    const std::size_t times = text.find("times: ");
    return times == std::string::npos ? text : text.erase(times, text.find('\n', times) - times);
  };
  // Hashes of strings have a seed of their own in every index.
  if (index.describe().find("hashed") == std::string::npos) {
    EXPECT_EQ(without_costs(index.describe()), without_costs(from_host.describe()));
  }
  EXPECT_EQ(index.memory_usage().resident, from_host.memory_usage().resident);
  for (const Batch& batch : interesting_batches(column, 16, random)) {
    if (!supports(index, Answer::any, batch.kind)) continue;
    const TestColumn values = values_of(random.pick(value_types()), column.size(), random);
    const ColumnOnGpu device_values(values.view());
    const Matches matches = scan(column.keys(), batch);
    ASSERT_EQ("", check_on_gpu(index, batch, matches, values, device_values, nullptr));
    ASSERT_EQ("",
              check_on_gpu(index, batch, matches, values, device_values, nullptr, Answer::last));
    const TestColumn some_null = with_null_values(values, random);
    const ColumnOnGpu device_nulls(some_null.view());
    ASSERT_EQ("", check_on_gpu(index, batch, matches, some_null, device_nulls, nullptr,
                               Answer::last | Answer::mean));
    // Lookups of the GPU with answers for the host, and the other way round.
    AnswerOptions options = full_options();
    options.values = device_values.view();
    const ColumnOnGpu lower(batch.lower.view());
    const ColumnOnGpu upper(batch.upper.view());
    const Answers mixed = batch.kind == QueryKind::equal
                              ? index.lookup(lower.view(), options)
                              : index.range(lower.view(), upper.view(), options);
    ASSERT_EQ("", first_difference(plain_answers(mixed, options), options, batch, matches, values));
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceData,
                         testing::Combine(testing::ValuesIn(device_specs()),
                                          testing::ValuesIn(every_workload())),
                         [](const auto& item) {
                           return test_name(std::get<0>(item.param)) + "_" +
                                  std::get<1>(item.param);
                         });

class DeviceCalls : public GpuTestWithParam<std::string> {};

TEST_P(DeviceCalls, RunOnSeveralStreamsAtOnce) {
  const TestColumn column = workload_named("sparse_u64").column();
  Random random(8);
  const TestColumn values = values_of(Type::i32, column.size(), random);
  std::vector<Batch> batches = own_batches(column, 60, random);
  const Index index = build(ColumnOnGpu(column.view()).view(), GetParam());
  std::erase_if(batches,
                [&](const Batch& batch) { return !supports(index, Answer::any, batch.kind); });
  std::vector<Matches> matches;
  for (const Batch& batch : batches) matches.push_back(scan(column.keys(), batch));
  constexpr int threads = 4;
  std::vector<std::string> differences(threads);
  std::vector<std::thread> workers;
  for (std::size_t worker = 0; worker < threads; ++worker)
    workers.emplace_back([&, worker] {
      cudaStream_t stream = nullptr;
      require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      const ColumnOnGpu device_values(values.view());
      for (int round = 0; round < 10; ++round)
        for (std::size_t i = 0; i < batches.size() && differences[worker].empty(); ++i)
          differences[worker] =
              check_on_gpu(index, batches[i], matches[i], values, device_values, stream);
      require(cudaStreamDestroy(stream));
    });
  for (std::thread& worker : workers) worker.join();
  for (const std::string& difference : differences) EXPECT_EQ("", difference);
}

// A stream that waits for the host: a call that synchronised with it would never return.
TEST_P(DeviceCalls, ReturnBeforeTheirWorkIsDone) {
  std::vector<std::uint32_t> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 3);
  const ColumnOnGpu column{ColumnView(keys)};
  const ColumnOnGpu values{ColumnView(keys)};
  const Index index = build(column.view(), GetParam());
  const OnGpu sums(8 * keys.size());
  Outputs outputs;
  outputs.sum = sums.data();
  outputs.memory_space = MemorySpace::device;
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const AnswerOptions options{.values = values.view(), .stream = {stream}};
  index.answer_into(Query::equal(column.view()), options,
                    outputs);  // memory pools are warm from now on
  require(cudaStreamSynchronize(stream));
  std::atomic<bool> go = false;
  require(cudaLaunchHostFunc(
      stream, [](void* flag) { static_cast<std::atomic<bool>*>(flag)->wait(false); }, &go));
  index.answer_into(Query::equal(column.view()), options, outputs);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  go = true;
  go.notify_all();
  require(cudaStreamSynchronize(stream));
  const auto found = sums.read<std::uint64_t>();
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(found[i], keys[i]);
  require(cudaStreamDestroy(stream));
}

TEST_P(DeviceCalls, WriteOnlyTheRowsThatFit) {
  const std::vector<std::uint32_t> keys(100, 7);
  const ColumnOnGpu column{ColumnView(keys)};
  const Index index = build(column.view(), GetParam());
  const ColumnOnGpu lookups{ColumnView(std::vector<std::uint32_t>{7})};
  const OnGpu offsets(16);
  const OnGpu rows(keys.size() * sizeof(std::uint32_t));
  Outputs outputs;
  outputs.offsets = offsets.as<std::uint64_t>();
  outputs.rows = rows.as<std::uint32_t>();
  outputs.rows_capacity = 40;
  outputs.memory_space = MemorySpace::device;
  index.answer_into(Query::equal(lookups.view()), {}, outputs);
  require(cudaDeviceSynchronize());
  EXPECT_EQ(offsets.read<std::uint64_t>(), (std::vector<std::uint64_t>{0, 100}));
  const auto found = rows.read<std::uint32_t>();
  for (std::size_t i = 0; i < 40; ++i) EXPECT_LT(found[i], 100U);
  for (std::size_t i = 40; i < 100; ++i) EXPECT_EQ(found[i], 0xa5a5a5a5U);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceCalls, testing::ValuesIn(device_specs()),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
