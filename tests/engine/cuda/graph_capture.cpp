// Lookups in device memory can be captured into a CUDA graph, and replayed with other lookups in
// the same buffers.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <rtindex/rtindex.hpp>

#include "support/cuda/device_copy.hpp"
#include "support/cuda/gpu_test.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/specs.hpp"

namespace rtindex::test {
namespace {

class CapturedGraph {
 public:
  // Captures what `work` queues on the stream.
  CapturedGraph(cudaStream_t stream, cudaStreamCaptureMode mode, const std::function<void()>& work)
      : stream_(stream) {
    require(cudaStreamBeginCapture(stream, mode));
    work();
    require(cudaStreamEndCapture(stream, &graph_));
    require(cudaGraphInstantiate(&launchable_, graph_, 0));
  }
  ~CapturedGraph() {
    static_cast<void>(cudaGraphExecDestroy(launchable_));
    static_cast<void>(cudaGraphDestroy(graph_));
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;

  void replay() const {
    require(cudaGraphLaunch(launchable_, stream_));
    require(cudaStreamSynchronize(stream_));
  }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t launchable_ = nullptr;
};

using Param = std::tuple<std::string, cudaStreamCaptureMode>;

class GraphCapture : public GpuTestWithParam<Param> {
 protected:
  static constexpr std::size_t count = 1000;

  void SetUp() override {
    NeedsGpu::SetUp();
    if (IsSkipped()) return;
    if (!is_available(spec())) GTEST_SKIP() << spec() << " is not available";
    require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (std::uint32_t& key : keys_) key = static_cast<std::uint32_t>(random_.below(1 << 16));
    column_.emplace(ColumnView(keys_));
    for (std::optional<OnGpu>* const memory : {&lookups_, &firsts_, &counts_})
      memory->emplace(count * sizeof(std::uint32_t));
    outputs_.memory_space = MemorySpace::device;
  }
  void TearDown() override {
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
  }

  [[nodiscard]] static const std::string& spec() { return std::get<0>(GetParam()); }

  // Other lookups in the same memory: their first rows and their counts.
  struct Expected {
    std::vector<std::uint32_t> firsts, counts;
  };
  [[nodiscard]] Expected next_lookups() {
    std::vector<std::uint32_t> wanted(count);
    for (std::uint32_t& key : wanted) key = static_cast<std::uint32_t>(random_.below(1 << 16));
    require(cudaMemcpy(lookups_->data(), wanted.data(), count * sizeof(wanted[0]),
                       cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    Expected expected;
    for (const std::uint32_t key : wanted) {
      const auto first = std::find(keys_.begin(), keys_.end(), key);
      expected.firsts.push_back(
          first == keys_.end() ? miss_row : static_cast<std::uint32_t>(first - keys_.begin()));
      expected.counts.push_back(
          static_cast<std::uint32_t>(std::count(keys_.begin(), keys_.end(), key)));
    }
    return expected;
  }

  void look_up(const Index& index) const {
    index.answer_into(Query::equal(ColumnView::of(Type::u32, lookups_->data(), count).on_device()),
                      {.stream = {stream_}}, outputs_);
  }

  // A call without capture first: it loads the kernels, which a capture may not allow.
  void expect_replays(const Index& index, const std::function<void(const Expected&)>& check) {
    Expected expected = next_lookups();
    look_up(index);
    require(cudaStreamSynchronize(stream_));
    check(expected);
    const CapturedGraph graph(stream_, std::get<1>(GetParam()), [&] { look_up(index); });
    for (int round = 0; round < 5; ++round) {
      expected = next_lookups();
      graph.replay();
      check(expected);
    }
  }

  Random random_{11};
  std::vector<std::uint32_t> keys_ = std::vector<std::uint32_t>(20'000);
  std::optional<ColumnOnGpu> column_;
  std::optional<OnGpu> lookups_;
  std::optional<OnGpu> firsts_;
  std::optional<OnGpu> counts_;
  Outputs outputs_;
  cudaStream_t stream_ = nullptr;
};

TEST_P(GraphCapture, OfFirstRowsOfRepeatedKeys) {
  const Index index = build(column_->view(), spec());
  outputs_.first = firsts_->as<std::uint32_t>();
  outputs_.count = counts_->as<std::uint32_t>();
  expect_replays(index, [&](const Expected& expected) {
    ASSERT_EQ(firsts_->read<std::uint32_t>(), expected.firsts);
    ASSERT_EQ(counts_->read<std::uint32_t>(), expected.counts);
  });
}

TEST_P(GraphCapture, OfRowsOfUniqueKeys) {
  for (std::size_t i = 0; i < keys_.size(); ++i)
    keys_[i] = static_cast<std::uint32_t>(i * 7919 % (1 << 16));
  column_.emplace(ColumnView(keys_));
  const Index index = build(column_->view(), spec());
  outputs_.any = firsts_->as<std::uint32_t>();
  expect_replays(index, [&](const Expected& expected) {
    ASSERT_EQ(firsts_->read<std::uint32_t>(), expected.firsts);
  });
}

// A graph keeps reading the version that it was captured with, as long as a snapshot holds it.
TEST_P(GraphCapture, OfASnapshotOutlivesChanges) {
  Index index = build(column_->view(), spec());
  const Index snapshot = index.snapshot();
  outputs_.first = firsts_->as<std::uint32_t>();
  Expected expected = next_lookups();
  look_up(snapshot);
  require(cudaStreamSynchronize(stream_));
  const CapturedGraph graph(stream_, std::get<1>(GetParam()), [&] { look_up(snapshot); });
  std::vector<std::uint32_t> rows(1000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  index.erase(rows);
  index.merge();
  graph.replay();
  ASSERT_EQ(firsts_->read<std::uint32_t>(), expected.firsts);
}

// Strings of one length that differ only after their first 64 bits.
TEST_P(GraphCapture, OfStrings) {
  constexpr std::size_t width = 44;
  const auto text_of = [](std::uint32_t key) {
    const std::uint64_t high = key * 0x9E37'79B9'7F4A'7C15;
    return fmt::format("https://example.org/{:08x}{:016x}", high >> 32, high * (key | 1));
  };
  const auto bytes_of = [&](const std::vector<std::uint32_t>& keys) {
    std::string bytes;
    for (const std::uint32_t key : keys) bytes += text_of(key);
    return bytes;
  };
  const std::string bytes = bytes_of(keys_);
  ASSERT_EQ(bytes.size(), keys_.size() * width);
  const ColumnOnGpu column(ColumnView::fixed_strings(bytes.data(), width, keys_.size()));
  const Index index = build(column.view(), spec());
  std::vector<std::int32_t> offsets(count + 1);
  for (std::size_t i = 0; i <= count; ++i) offsets[i] = static_cast<std::int32_t>(i * width);
  const OnGpu on_gpu(offsets.data(), offsets.size() * sizeof(offsets[0]));
  const OnGpu texts(count * width);
  const ColumnView lookups =
      ColumnView::strings(std::span(on_gpu.as<const std::int32_t>(), count + 1),
                          texts.as<const char>())
          .on_device();
  outputs_.first = firsts_->as<std::uint32_t>();
  outputs_.count = counts_->as<std::uint32_t>();
  const auto next = [&] {
    Expected expected = next_lookups();
    const std::string wanted = bytes_of(lookups_->read<std::uint32_t>());
    require(cudaMemcpy(texts.data(), wanted.data(), wanted.size(), cudaMemcpyHostToDevice));
    require(cudaDeviceSynchronize());
    return expected;
  };
  const auto look_up_strings = [&] {
    index.answer_into(Query::equal(lookups), {.stream = {stream_}}, outputs_);
  };
  Expected expected = next();
  look_up_strings();
  require(cudaStreamSynchronize(stream_));
  ASSERT_EQ(firsts_->read<std::uint32_t>(), expected.firsts);
  const CapturedGraph graph(stream_, std::get<1>(GetParam()), look_up_strings);
  for (int round = 0; round < 3; ++round) {
    expected = next();
    graph.replay();
    ASSERT_EQ(firsts_->read<std::uint32_t>(), expected.firsts);
    ASSERT_EQ(counts_->read<std::uint32_t>(), expected.counts);
  }
}

// Launches of a pipeline wait for each other, which a graph cannot repeat.
class RayCapture : public GraphCapture {};

TEST_P(RayCapture, IsRejectedWithThePlan) {
  const Index index = build(column_->view(), spec());
  outputs_.first = firsts_->as<std::uint32_t>();
  const auto find_nearest = [&] {
    const ColumnView keys = ColumnView::of(Type::u32, lookups_->data(), count).on_device();
    index.answer_into(Query::nearest(keys), {.stream = {stream_}}, outputs_);
  };
  for (int round = 0; round < 2; ++round) {
    const Expected expected = next_lookups();
    look_up(index);
    require(cudaStreamSynchronize(stream_));
    ASSERT_EQ(firsts_->read<std::uint32_t>(), expected.firsts);
    find_nearest();
    require(cudaStreamSynchronize(stream_));
    const CapturedGraph graph(stream_, std::get<1>(GetParam()), [&] {
      expect_error([&] { look_up(index); }, "cast rays");
      expect_error(find_nearest, "cast rays");
    });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cuda, RayCapture,
    testing::Combine(testing::Values("rx:optix@cuda", "rx:optix@cuda,bucket=16"),
                     testing::Values(cudaStreamCaptureModeRelaxed, cudaStreamCaptureModeGlobal)),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) +
             (std::get<1>(item.param) == cudaStreamCaptureModeRelaxed ? "_relaxed" : "_global");
    });

INSTANTIATE_TEST_SUITE_P(
    Cuda, GraphCapture,
    testing::Combine(testing::Values("rx:native@cuda", "sorted@cuda", "btree@cuda", "hash@cuda"),
                     testing::Values(cudaStreamCaptureModeRelaxed, cudaStreamCaptureModeGlobal)),
    [](const auto& item) {
      return test_name(std::get<0>(item.param)) +
             (std::get<1>(item.param) == cudaStreamCaptureModeRelaxed ? "_relaxed" : "_global");
    });

}  // namespace
}  // namespace rtindex::test
