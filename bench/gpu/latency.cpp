#include "gpu/latency.hpp"

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>

#include <rtindex/rtindex.hpp>

#include "base/cuda/runtime.hpp"
#include "gpu/device_algorithms.hpp"

namespace rtindex::bench {

namespace {

// Microseconds of many calls: until a call returned, and until its work was done.
struct CallTimes {
  Times returned, done;
};

[[nodiscard]] CallTimes time_calls(cudaStream_t stream, const std::function<void()>& call) {
  constexpr int warm_up = 200;
  constexpr int calls = 2000;
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  CallTimes times;
  for (int i = 0; i < warm_up + calls; ++i) {
    const Clock::time_point start = Clock::now();
    call();
    const double returned = since(start);
    cuda::check(cudaStreamSynchronize(stream), "waiting for the GPU");
    const double done = since(start);
    if (i < warm_up) continue;
    times.returned.runs.push_back(returned);
    times.done.runs.push_back(done);
  }
  // The median, so that other work of the machine does not count.
  times.returned.runs = {times.returned.median()};
  times.done.runs = {times.done.median()};
  return times;
}

class CapturedCall {
 public:
  CapturedCall(cudaStream_t stream, const std::function<void()>& call) : stream_(stream) {
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capturing a call");
    call();
    cuda::check(cudaStreamEndCapture(stream, &graph_), "capturing a call");
    cuda::check(cudaGraphInstantiate(&launchable_, graph_, 0), "making a graph");
  }
  ~CapturedCall() {
    static_cast<void>(cudaGraphExecDestroy(launchable_));
    static_cast<void>(cudaGraphDestroy(graph_));
  }
  CapturedCall(const CapturedCall&) = delete;
  CapturedCall& operator=(const CapturedCall&) = delete;
  void replay() const { cuda::check(cudaGraphLaunch(launchable_, stream_), "launching a graph"); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t launchable_ = nullptr;
};

}  // namespace

void measure_latency(GpuReport& report, int key_bits, const std::vector<std::string>& indexes) {
  const GpuColumn column(key_rule(KeySpread::uniform, 4, key_bits));
  const cuda::OwnStream stream;
  fmt::print("\nsmall batches in device memory, `any`, 2^{} uniform 32-bit keys, medians\n",
             key_bits);
  nlohmann::json workload = {{"keys", "uniform 32-bit"}, {"keys_log2", key_bits}};
  const auto add = [&](const std::string& index, const std::string& question,
                       const CallTimes& times, std::uint64_t wrong) {
    report.add(index, question + ", until it returns", "call_us", times.returned, wrong, workload);
    report.add(index, question + ", until it is done", "call_us", times.done, wrong, workload);
  };
  add("an empty kernel", "launch", time_calls(nullptr, [] { mark_profiled_point(); }), 0);
  for (const std::string& spec : indexes) {
    const Index index = build(column.key_view(), spec);
    for (const int bits : {0, 10, 16}) {
      const GpuLookups lookups(std::size_t{1} << bits, 4);
      make_lookups(column.rule, LookupPattern::hits, 1, lookups.count, lookups.keys.data());
      const ColumnView view =
          ColumnView::of(Type::u32, lookups.keys.data(), lookups.count).on_device();
      Outputs outputs;
      outputs.memory_space = MemorySpace::device;
      outputs.any = lookups.sums.as<std::uint32_t>();
      const auto call = [&] {
        index.answer_into(Query::equal(view), {.stream = {stream.get()}}, outputs);
      };
      const auto wrong = [&] {
        return wrong_rows(column.rule, lookups.keys.data(), lookups.count, outputs.any);
      };
      const auto poison = [&] {
        lookups.sums.poison();
        cuda::check(cudaDeviceSynchronize(), "filling memory");
      };
      workload["lookups"] = lookups.count;
      poison();
      const CallTimes calls = time_calls(stream.get(), call);
      add(spec, fmt::format("batch of 2^{}", bits), calls, wrong());
      const CapturedCall captured(stream.get(), call);
      poison();
      const CallTimes replays = time_calls(stream.get(), [&] { captured.replay(); });
      add(spec, fmt::format("graph, batch of 2^{}", bits), replays, wrong());
    }
  }
}

}  // namespace rtindex::bench
