#include "indexes/cuda/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <rtindex/index.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"
#include "base/cuda/transfer.hpp"
#include "tracers/optix/library.hpp"

namespace rtindex::cuda {

namespace {

// More keys than a cache holds as triangles, and a batch that takes a few milliseconds.
constexpr std::uint32_t key_count = 1U << 22;
constexpr std::uint32_t lookup_count = 1U << 22;
constexpr int rounds = 3;

// The version of the kernel's driver, or of CUDA where that is not available.
std::string driver_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  return file >> version ? version : driver_text();
}

// An odd factor makes each number below a power of two appear once, in an order that looks random.
std::vector<std::uint32_t> shuffled(std::uint32_t count, std::uint32_t factor) {
  std::vector<std::uint32_t> numbers(count);
  for (std::uint32_t i = 0; i < count; ++i) numbers[i] = (i * factor + 12345) % count;
  return numbers;
}

// The best of a few runs, in milliseconds, of point lookups that lie on the GPU.
double time_lookups(const std::string& spec, const std::vector<std::uint32_t>& keys,
                    const ColumnView& lookups, const Outputs& outputs, const OwnStream& stream) {
  const Index index = build(keys, spec);
  const LookupOptions options{.stream = {stream.get()}};
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round <= rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    index.lookup_into(lookups, options, outputs);
    stream.wait();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (round != 0) best = std::min(best, time.count());
  }
  return best;
}

Calibration measure(int device) {
  const OnDevice current(device);
  const OwnStream stream;
  const auto keys = shuffled(key_count, 2654435761U);
  const auto wanted = shuffled(lookup_count, 2246822519U);
  const DeviceArray<std::uint32_t> lookups(current_memory(), lookup_count, stream.get());
  const DeviceArray<std::uint32_t> rows(current_memory(), lookup_count, stream.get());
  copy_to_device(lookups.data(), wanted.data(), lookups.bytes(), stream.get());
  stream.wait();
  const ColumnView view = ColumnView::of(Type::u32, lookups.data(), lookup_count).on_device();
  const Outputs outputs{.any = rows.data(), .memory_space = MemorySpace::device};
  const auto time = [&](const char* tracer) {
    return time_lookups(fmt::format("rx:{}@cuda{}", tracer, device), keys, view, outputs, stream);
  };
  return {time("native"), time("optix")};
}

CalibratedGpu calibrated_gpu(int device) {
  return {gpus()[static_cast<std::size_t>(device)].name, driver_version(),
          [device]() -> std::optional<unsigned> {
            if (optix::unusable()) return std::nullopt;
            return optix::context_of(device).rtcore_version;
          },
          [device] { return measure(device); }};
}

}  // namespace

TracerChoice tracer_choice(int device) {
  if (device >= static_cast<int>(gpus().size())) return {"native", "no such GPU"};
  static std::mutex mutex;
  static std::map<int, TracerChoice> chosen;
  const std::lock_guard lock(mutex);
  const auto known = chosen.find(device);
  if (known != chosen.end()) return known->second;
  return chosen[device] = choose_tracer(calibrated_gpu(device), requested_tracer(), cache_folder());
}

}  // namespace rtindex::cuda
