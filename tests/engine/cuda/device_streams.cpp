// Neither changing nor destroying an index waits for the streams that read it; its memory is freed
// after them. A refit in place does wait for them.

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/cuda/spin.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

constexpr std::uint32_t size = 100'000;
constexpr double long_seconds = 2;
constexpr double short_seconds = 0.2;

// A stream that does not synchronise with the default stream.
class TestStream {
 public:
  TestStream() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~TestStream() { destroy(); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void wait() const { require(cudaStreamSynchronize(stream_)); }
  void destroy() {
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
    stream_ = nullptr;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

class DeviceStreams : public GpuIndexTest {
 protected:
  void SetUp() override {
    GpuIndexTest::SetUp();
    if (IsSkipped()) return;
    keys_.resize(size);
    for (std::uint32_t row = 0; row < size; ++row) keys_[row] = key_of(row);
    column_.emplace(ColumnView(keys_));
    rows_.emplace(size * sizeof(std::uint32_t));
  }

  // A permutation of the numbers below `size`.
  static std::uint32_t key_of(std::uint32_t row) {
    return static_cast<std::uint32_t>(std::uint64_t{row} * 7919 % size);
  }

  [[nodiscard]] std::optional<Index> built() const { return build(column_->view(), GetParam()); }

  // Queues lookups of all keys.
  void look_up(const Index& index, const TestStream& stream) const {
    look_up(index, stream, *rows_);
  }
  void look_up(const Index& index, const TestStream& stream, const OnGpu& rows) const {
    Outputs outputs;
    outputs.any = rows.as<std::uint32_t>();
    outputs.memory_space = MemorySpace::device;
    index.answer_into(Query::equal(column_->view()), {.stream = {stream.get()}}, outputs);
  }

  // Swaps the keys of the first rows, from host memory.
  static void change(Index& index) {
    const std::vector<std::uint32_t> rows = {0, 1};
    index.update(rows, std::vector<std::uint32_t>{key_of(1), key_of(0)});
  }

  void expect_all_found() const { expect_all_found(*rows_); }
  static void expect_all_found(const OnGpu& rows) {
    const auto found = rows.read<std::uint32_t>();
    for (std::uint32_t row = 0; row < size; ++row) ASSERT_EQ(found[row], row);
  }

  // Every kernel has run once, because loading one may wait for the GPU; memory is at hand.
  void warm_up(const TestStream& stream) const {
    std::optional<Index> index = built();
    look_up(*index, stream);
    stream.wait();
    static_cast<void>(index->lookup(keys_, Answer::any));
    for (int i = 0; i < 3; ++i) change(*index);
    static_cast<void>(index->lookup(keys_, Answer::any));
    index->merge();
    look_up(*index, stream);
    stream.wait();
  }

  std::vector<std::uint32_t> keys_;
  std::optional<ColumnOnGpu> column_;
  std::optional<OnGpu> rows_;
};

TEST_P(DeviceStreams, OfOthersDoNotDelayAnUpdate) {
  const TestStream stream;
  warm_up(stream);
  std::optional<Index> index = built();
  look_up(*index, stream);
  const SpinningKernel unrelated(long_seconds);
  change(*index);
  EXPECT_TRUE(unrelated.is_running());
  stream.wait();
  expect_all_found();
}

TEST_P(DeviceStreams, OfOthersDoNotDelayTheDestructionOfAnIndex) {
  const TestStream stream;
  warm_up(stream);
  std::optional<Index> index = built();
  static_cast<void>(index->lookup(keys_, Answer::any));  // uses pinned memory
  const SpinningKernel unrelated(long_seconds);
  look_up(*index, stream);
  index.reset();
  EXPECT_TRUE(unrelated.is_running());
  stream.wait();
  EXPECT_TRUE(unrelated.is_running());
  expect_all_found();
}

TEST_P(DeviceStreams, ThatReadAnIndexDoNotDelayItsDestruction) {
  const TestStream stream;
  warm_up(stream);
  std::optional<Index> index = built();
  const SpinningKernel before(long_seconds, stream.get());
  look_up(*index, stream);
  index.reset();
  EXPECT_TRUE(before.is_running());
  // Another index must not get the memory of the first one before its lookups are done.
  std::vector<std::uint32_t> others(size);
  std::iota(others.begin(), others.end(), 0);
  const Index other = build(others, GetParam());
  stream.wait();
  expect_all_found();
}

TEST_P(DeviceStreams, ThatReadAnIndexDoNotDelayItsChanges) {
  const bool is_refitted = GetParam().find("update=refit") != std::string::npos;
  const TestStream stream;
  warm_up(stream);
  std::optional<Index> index = built();
  {
    const SpinningKernel before(is_refitted ? short_seconds : long_seconds, stream.get());
    look_up(*index, stream);
    for (int i = 0; i < 3; ++i) change(*index);
    index->merge();
    EXPECT_EQ(before.is_running(), !is_refitted);
  }
  stream.wait();
  expect_all_found();
  look_up(*index, stream);
  stream.wait();
  const auto found = rows_->read<std::uint32_t>();
  EXPECT_EQ(found[0], 1U);
  EXPECT_EQ(found[1], 0U);
}

// The handle of a destroyed stream is invalid, or that of another stream; its work goes on.
TEST_P(DeviceStreams, MayBeDestroyedBeforeTheIndex) {
  TestStream stream;
  warm_up(stream);
  std::optional<Index> index = built();
  {
    const SpinningKernel before(short_seconds, stream.get());
    look_up(*index, stream);
    stream.destroy();
    const TestStream next;
    const OnGpu others(size * sizeof(std::uint32_t));
    look_up(*index, next, others);
    next.wait();
    index.reset();
  }
  require(cudaDeviceSynchronize());
  expect_all_found();
}

TEST_P(DeviceStreams, MayBeMany) {
  std::optional<Index> index = built();
  std::vector<OnGpu> outputs;
  for (int i = 0; i < 200; ++i) outputs.emplace_back(size * sizeof(std::uint32_t));
  for (const OnGpu& rows : outputs) {
    const TestStream stream;
    look_up(*index, stream, rows);
  }
  index.reset();
  require(cudaDeviceSynchronize());
  for (const OnGpu& rows : outputs) expect_all_found(rows);
}

INSTANTIATE_TEST_SUITE_P(Cuda, DeviceStreams,
                         testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda",
                                         "rx:optix@cuda", "rx:optix@cuda,bucket=16",
                                         "rx:optix@cuda,update=refit"),
                         [](const auto& item) { return test_name(item.param); });

}  // namespace
}  // namespace rtindex::test
