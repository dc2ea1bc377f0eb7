#include "engine/cuda/gpu_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "engine/cuda/neighbour_runner.hpp"
#include "engine/neighbours.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

void GpuStructure::run(const LookupBatch& batch, const Request& request) const {
  const OnDevice current(device_);
  BatchRunner({target_of(batch, request.deleted, nullptr)}, memory_, request).run();
}

std::vector<Segment> GpuStructure::searched(std::span<const Segment> segments) {
  std::vector<Segment> result;
  for (const Segment& segment : segments)
    if (segment.keys() != 0) result.push_back(segment);
  if (result.empty()) result.push_back(segments.front());  // of an index without a key
  return result;
}

std::vector<SegmentTarget> GpuStructure::targets_of(std::span<const Segment> segments,
                                                    const ColumnView& lower,
                                                    const ColumnView& upper, QueryKind kind,
                                                    RangeEnds ends) {
  std::vector<SegmentTarget> targets;
  for (const Segment& segment : segments) {
    const auto& structure = static_cast<const GpuStructure&>(*segment.structure);
    targets.push_back(structure.target_of(LookupBatch(*segment.codec, lower, upper, kind, ends),
                                          bits_of(segment.deleted), segment.deleted));
  }
  return targets;
}

void GpuStructure::run(std::span<const Segment> segments, const ColumnView& lower,
                       const ColumnView& upper, QueryKind kind, const Request& request) {
  const auto& main = static_cast<const GpuStructure&>(*segments.front().structure);
  const OnDevice current(main.device_);
  const auto answer_from = [&](std::span<const Segment> some) {
    BatchRunner(targets_of(some, lower, upper, kind, request.ends), main.memory_, request).run();
  };
  if (segments.size() == 1) return answer_from(segments);
  answer_from(searched(segments));
}

std::vector<PackedMap> GpuStructure::maps_of(std::span<const Segment> segments) {
  std::vector<PackedMap> maps;
  for (const Segment& segment : searched(segments)) {
    const KeyCodec& codec = *segment.codec;
    if (const auto native = codec.native_map())
      maps.push_back(packed_map(*native));
    else if (const auto map = codec.packed_map())
      maps.push_back(*map);
    else
      return {};
  }
  return maps;
}

bool GpuStructure::encodes_on_host(std::span<const Segment> segments) {
  const std::vector<Segment> all = searched(segments);
  return std::any_of(all.begin(), all.end(), [](const Segment& segment) {
    const KeyCodec& codec = *segment.codec;
    const auto& structure = static_cast<const GpuStructure&>(*segment.structure);
    return !codec.native_base() && structure.target().full == nullptr && !codec.packed_map();
  });
}

void GpuStructure::find_neighbours(std::span<const Segment> segments, const ColumnView& keys,
                                   const NearestOptions& nearest, const Request& request,
                                   std::span<void* const> key_parts) {
  const auto& main = static_cast<const GpuStructure&>(*segments.front().structure);
  const OnDevice current(main.device_);
  require_batch_size(keys.size());
  require_on_device(keys, "keys");
  require_on_device(request.outputs, keys.size());
  const KeyDistance farthest = require_nearest(*segments.front().codec, nearest);
  const std::vector<Segment> all = searched(segments);
  const std::vector<PackedMap> maps = maps_of(segments);
  std::deque<SideTargets> sides;
  const auto add = [&](Edge edge) {
    SideTargets& side = sides.emplace_back();
    side.range = neighbour_range(keys, edge, nearest.exact);
    side.targets =
        targets_of(all, side.range.lower, side.range.upper, QueryKind::range, side.range.ends);
  };
  if (nearest.direction != Direction::forward) add(Edge::last);
  if (nearest.direction != Direction::backward) add(Edge::first);
  NeighbourRunner runner(sides, maps, keys, nearest, farthest, main.memory_, request);
  if (key_parts.empty()) return runner.run();
  NeighbourOutputs outputs;
  outputs.rows = request.outputs.any;
  outputs.matched = request.outputs.matched;
  std::copy(key_parts.begin(), key_parts.end(), std::begin(outputs.key_parts));
  runner.run(outputs);
}

void GpuStructure::find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted,
                              std::uint32_t* rows, std::uint64_t* keys, Counters* counters) const {
  const OnDevice current(device_);
  const SegmentTarget target = target_of(batch, deleted, nullptr);
  const LookupEncoder encoder(batch, target.structure.span, target.structure.full);
  Request counted;
  counted.counters = counters;
  const DeviceCounters work(counted, memory_);
  LaunchTimes times(nullptr);
  const WorkspaceLease lease;
  Workspace& workspace = *lease;
  const std::span<Lane> lanes = workspace.lanes_for(1);
  SyncLanesOnExit sync(lanes);
  Lane& lane = lanes.front();
  const Queue queue(memory_, lane.stream.get());
  for (std::size_t first = 0; first < batch.size(); first += piece_lookups) {
    const std::size_t count = std::min(piece_lookups, batch.size() - first);
    const LookupElements elements =
        elements_on_device(batch, first, count, encoder.reads_tuples(), lane.in, queue);
    LookupBuffers buffers;
    DeviceLookups lookups = encoder.encode(first, count, elements, buffers, lane.in, queue);
    lookups.deleted = deleted;
    lookups.counters = work.get();
    lookups.times = &times;
    const DeviceArray<std::uint32_t> found_rows(queue, count);
    const DeviceArray<std::uint64_t> found_keys(queue, count);
    target.structure.answerer.find_edges(batch, first, lookups, edge, found_rows.data(),
                                         found_keys.data(), queue);
    lane.out.copy(rows + first, found_rows.data(), found_rows.bytes(), queue);
    lane.out.copy(keys + first, found_keys.data(), found_keys.bytes(), queue);
    lane.finish();
  }
  sync.release();
  work.finish();
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
    on_device = on_device || (column.has_value() && column.memory_space() == MemorySpace::device);
  }
  if (on_device) wait_for(stream.get(), static_cast<cudaStream_t>(caller.handle));
  return stream;
}

}  // namespace rtindex::cuda
