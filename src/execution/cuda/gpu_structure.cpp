#include "execution/cuda/gpu_structure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "storage/cuda/device_pointers.hpp"

namespace rtindex::cuda {

void GpuStructure::run(const LookupBatch& batch, const Request& request) const {
  const OnDevice current(device_);
  BatchRunner({target_of(batch, request.dead, nullptr)}, memory_, request).run();
}

void GpuStructure::run(std::span<const Segment> segments, const ColumnView& lower,
                       const ColumnView& upper, LookupKind kind, const Request& request) {
  const auto& main = static_cast<const GpuStructure&>(*segments.front().structure);
  const OnDevice current(main.device_);
  std::vector<SegmentTarget> targets;
  const auto add = [&](const Segment& segment) {
    const auto& structure = static_cast<const GpuStructure&>(*segment.structure);
    targets.push_back(structure.target_of(LookupBatch(*segment.codec, lower, upper, kind),
                                          bits_of(segment.dead), segment.dead));
  };
  for (const Segment& segment : segments)
    if (segment.keys() != 0) add(segment);
  if (targets.empty()) add(segments.front());  // the answers of an index without a key
  BatchRunner(std::move(targets), main.memory_, request).run();
}

MemoryUsage GpuStructure::memory_usage() const {
  MemoryUsage usage;
  usage.parts = memory_parts();
  for (const auto& [name, bytes] : usage.parts) usage.resident += bytes;
  usage.build_peak = std::max(build_peak_, usage.resident);
  return usage;
}

void GpuStructure::wait_for_lookups() const {
  check(uses_.wait(), "waiting for lookups before a refit");
}

void GpuStructure::finish_build(const PooledStream& stream, const MemoryMeter& meter) {
  build_peak_ = meter.peak();
  stream.wait();
  trim_unused(build_peak_);
}

void GpuStructure::give_back(cudaStream_t stream, bool unused) const noexcept {
  constexpr std::size_t large = std::size_t{1} << 30;
  if (build_peak_ < large) return;
  // Memory counts as unused once its release is complete: at once, if nobody reads it any more.
  if (unused) static_cast<void>(cudaStreamSynchronize(stream));
  trim_unused(build_peak_);
}

std::string describe_gpu(int device) {
  const Gpu& gpu = gpus()[static_cast<std::size_t>(device)];
  return fmt::format("device: {}, compute capability {}.{}, {}\n", gpu.name, gpu.major, gpu.minor,
                     driver_text());
}

PooledStream build_stream(Stream caller, std::initializer_list<NamedColumn> columns) {
  PooledStream stream;
  bool on_device = false;
  for (const auto& [column, name] : columns) {
    require_on_device(column, name);
    on_device = on_device || (column.given() && column.memory_space() == MemorySpace::device);
  }
  if (on_device) wait_for(stream.get(), static_cast<cudaStream_t>(caller.handle));
  return stream;
}

}  // namespace rtindex::cuda
