#include "indexes/cuda/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/runtime.hpp"
#include "base/cuda/transfer.hpp"
#include "storage/mix.hpp"
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
double time_lookups(const std::string& spec, const ColumnView& keys, const ColumnView& lookups,
                    const Outputs& outputs, const OwnStream& stream) {
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

// Times lookups of some of the keys with both indexes.
template <class Key>
std::pair<double, double> time_both(int device, const std::vector<Key>& keys,
                                    const std::vector<Key>& wanted, const std::string& first,
                                    const std::string& second) {
  const OnDevice current(device);
  const OwnStream stream;
  const auto memory = current_memory();
  const DeviceArray<Key> column(memory, keys.size(), stream.get());
  const DeviceArray<Key> lookups(memory, wanted.size(), stream.get());
  const DeviceArray<std::uint32_t> rows(memory, wanted.size(), stream.get());
  copy_to_device(column.data(), keys.data(), column.bytes(), stream.get());
  copy_to_device(lookups.data(), wanted.data(), lookups.bytes(), stream.get());
  stream.wait();
  constexpr Type type = sizeof(Key) == 4 ? Type::u32 : Type::u64;
  const Outputs outputs{.any = rows.data(), .memory_space = MemorySpace::device};
  const auto time = [&](const std::string& spec) {
    return time_lookups(spec, ColumnView::of(type, column.data(), keys.size()).on_device(),
                        ColumnView::of(type, lookups.data(), wanted.size()).on_device(), outputs,
                        stream);
  };
  const double first_ms = time(first);
  return {first_ms, time(second)};
}

Calibration measure(int device) {
  const auto [native, optix] =
      time_both(device, shuffled(key_count, 2654435761U), shuffled(lookup_count, 2246822519U),
                fmt::format("rx:native@cuda{}", device), fmt::format("rx:optix@cuda{}", device));
  return {native, optix};
}

template <class Key>
PointsCalibration measure_points_of(int device, std::size_t size, const std::string& rx) {
  std::vector<Key> keys(size);
  for (std::size_t i = 0; i < size; ++i) keys[i] = mix(static_cast<Key>(i));
  std::vector<Key> wanted(lookup_count);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    wanted[i] = keys[mix(std::uint64_t{i} + size) % size];
  const auto [rx_ms, hash_ms] =
      time_both(device, keys, wanted, rx, fmt::format("hash@cuda{}", device));
  return {rx_ms, hash_ms};
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

std::string gpu_and_driver(int device) {
  return fmt::format("{}, driver {}", gpus().at(static_cast<std::size_t>(device)).name,
                     driver_version());
}

PointsCalibration measure_points(int device, const PointsSample& sample, const std::string& rx) {
  return sample.keys == PointsSample::Keys::narrow
             ? measure_points_of<std::uint32_t>(device, sample.size, rx)
             : measure_points_of<std::uint64_t>(device, sample.size, rx);
}

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
