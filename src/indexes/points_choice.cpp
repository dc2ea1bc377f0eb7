#include "indexes/points_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include <rtindex/index.hpp>

#include "base/types.hpp"
#include "indexes/backends.hpp"
#include "storage/mix.hpp"

namespace rtindex {

namespace {

constexpr int cpu_rounds = 3;
constexpr std::size_t cpu_lookups = std::size_t{1} << 16;

// Columns that fit the caches, and those that do not.
struct SampleSizes {
  std::size_t small, large;
  std::size_t bound;  // from so many keys on a column is large
};
constexpr SampleSizes cpu_sizes{std::size_t{1} << 15, std::size_t{1} << 20, std::size_t{1} << 18};
constexpr SampleSizes cpu_string_sizes{std::size_t{1} << 13, std::size_t{1} << 17,
                                       std::size_t{1} << 15};
constexpr SampleSizes gpu_sizes{std::size_t{1} << 17, std::size_t{1} << 23, std::size_t{1} << 20};

[[nodiscard]] PointsSample sample_of(const ColumnView& column, bool on_gpu) {
  PointsSample sample;
  if (column.type() == Type::string)
    sample.keys = PointsSample::Keys::strings;
  else if (is_native(column.type()) && width_of(column.type()) <= sizeof(std::uint32_t))
    sample.keys = PointsSample::Keys::narrow;
  const SampleSizes& sizes = on_gpu                                       ? gpu_sizes
                             : sample.keys == PointsSample::Keys::strings ? cpu_string_sizes
                                                                          : cpu_sizes;
  sample.size = column.size() < sizes.bound ? sizes.small : sizes.large;
  return sample;
}

// "Intel(R) Xeon(R) ..." or the numbers of an Arm core.
[[nodiscard]] std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  std::map<std::string, std::string> first;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    if (value != std::string::npos) first.emplace(name, line.substr(value));
  }
  if (first.contains("model name")) return first["model name"];
  if (first.contains("CPU part"))
    return fmt::format("Arm {} {}", first["CPU implementer"], first["CPU part"]);
  return "this CPU";
}

// Milliseconds of the same lookups in both; rounds take turns, the best one counts.
template <class Element>
[[nodiscard]] PointsCalibration race(const std::vector<Element>& keys,
                                     const std::vector<Element>& lookups, const std::string& rx,
                                     const std::string& hash) {
  const Index indexes[] = {build(keys, rx), build(keys, hash)};
  std::vector<std::uint32_t> rows(lookups.size());
  double best[2] = {std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
  for (int round = 0; round <= cpu_rounds; ++round)
    for (int i = 0; i < 2; ++i) {
      const auto start = std::chrono::steady_clock::now();
      indexes[i].lookup_into(lookups, {}, {.any = rows.data()});
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - start;
      if (round != 0) best[i] = std::min(best[i], time.count());
    }
  return {best[0], best[1]};
}

// Random keys, and hits among them.
template <class Element, class Make>
[[nodiscard]] PointsCalibration race_of(std::size_t size, const std::string& rx, Make&& make) {
  std::vector<Element> keys(size);
  for (std::size_t i = 0; i < size; ++i) keys[i] = make(i);
  std::vector<Element> lookups(cpu_lookups);
  for (std::size_t i = 0; i < lookups.size(); ++i)
    lookups[i] = keys[mix(std::uint64_t{i} + size) % std::max<std::size_t>(1, size)];
  return race(keys, lookups, rx, "hash@cpu");
}

[[nodiscard]] PointsCalibration measure_on_cpu(const PointsSample& sample, const std::string& rx) {
  switch (sample.keys) {
    case PointsSample::Keys::narrow:
      return race_of<std::uint32_t>(
          sample.size, rx, [](std::size_t i) { return mix(static_cast<std::uint32_t>(i)); });
    case PointsSample::Keys::strings:
      return race_of<std::string>(sample.size, rx, [](std::size_t i) {
        return fmt::format("{:016x}{:016x}", mix(std::uint64_t{i}), mix(~std::uint64_t{i}));
      });
    default:
      return race_of<std::uint64_t>(sample.size, rx,
                                    [](std::size_t i) { return mix(std::uint64_t{i}); });
  }
}

}  // namespace

std::string PointsSample::text() const {
  const char* const of = keys == Keys::strings  ? "strings"
                         : keys == Keys::narrow ? "32-bit keys"
                                                : "64-bit keys";
  return fmt::format("2^{} {}", std::bit_width(size) - 1, of);
}

PointsChoice points_choice(const Backend& rx, int device, const ColumnView& column) {
  const bool on_gpu = rx.on_gpu();
  const PointsSample sample = sample_of(column, on_gpu);
  if (on_gpu && !is_native(column.type()))
    return {false, "only columns of native types are measured on a GPU"};
  static std::mutex mutex;
  static std::map<std::string, PointsChoice> chosen;
  const std::lock_guard lock(mutex);
  const std::string name =
      on_gpu && device != 0 ? fmt::format("{}{}", rx.name(), device) : rx.name();
  const std::string key = fmt::format("{} {}", name, sample.text());
  const auto known = chosen.find(key);
  if (known != chosen.end()) return known->second;
  CalibratedPoints of{on_gpu ? gpu_and_driver(device) : cpu_name(), rx.name(), sample.text(), [&] {
                        return on_gpu ? measure_points_on_gpu(device, sample, name)
                                      : measure_on_cpu(sample, name);
                      }};
  return chosen[key] = choose_for_points(of, requested_tracer(), cache_folder());
}

}  // namespace rtindex
