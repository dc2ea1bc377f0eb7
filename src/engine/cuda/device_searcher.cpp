#include "engine/cuda/device_searcher.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/device_batch.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

void DeviceSearcher::answer(const LookupBatch& batch, const Request& request) const {
  const OnDevice current(gpu_.device);
  DeviceBatch({{*this, batch, request.deleted, nullptr}}, request).run();
}

void DeviceSearcher::find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted,
                                std::uint32_t* rows, std::uint64_t* keys,
                                Counters* counters) const {
  const OnDevice current(gpu_.device);
  const LookupEncoder encoder(batch, encoding());
  Request counted;
  counted.counters = counters;
  const DeviceCounters work(counted, memory());
  LaunchTimes times(nullptr);
  const WorkspaceLease lease;
  Workspace& workspace = *lease;
  const std::span<Lane> lanes = workspace.lanes_for(1);
  SyncLanesOnExit sync(lanes);
  Lane& lane = lanes.front();
  const Queue queue(memory(), lane.stream.get());
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
    find_edges_on_device({batch, first, lookups}, edge, found_rows.data(), found_keys.data(),
                         queue);
    lane.out.copy(rows + first, found_rows.data(), found_rows.bytes(), queue);
    lane.out.copy(keys + first, found_keys.data(), found_keys.bytes(), queue);
    lane.finish();
  }
  sync.release();
  work.finish();
}

void DeviceSearcher::join_on_device(const SearchedLookups&, const JoinRequest&,
                                    cudaStream_t) const {
  fail_not_offered();
}

EncodedColumn DeviceSearcher::column() const {
  const OnDevice current(gpu_.device);
  const PooledStream stream;
  return downloaded(device_column(stream.get()), stream.get());
}

MemoryUsage DeviceSearcher::memory_usage() const {
  MemoryUsage usage;
  usage.parts = memory_entries();
  for (const auto& [name, bytes] : usage.parts) usage.resident += bytes;
  usage.build_peak = std::max(build_peak_, usage.resident);
  return usage;
}

void DeviceSearcher::wait_for_lookups() const {
  check(uses_.wait(), "waiting for lookups before a refit");
}

void DeviceSearcher::finish_build(const PooledStream& stream, const MemoryMeter& meter) {
  build_peak_ = meter.peak();
  stream.wait();
  trim_unused(build_peak_);
}

void DeviceSearcher::trim(cudaStream_t stream, bool unused) const noexcept {
  constexpr std::size_t large = std::size_t{1} << 30;
  if (build_peak_ < large) return;
  // The driver gets back what is released: after this wait, unless a stream still reads it.
  if (unused) static_cast<void>(cudaStreamSynchronize(stream));
  trim_unused(build_peak_);
}

std::string describe_gpu(int device) {
  const Gpu& gpu = gpus()[static_cast<std::size_t>(device)];
  return fmt::format("device: {}, compute capability {}.{}, {}\n", gpu.name, gpu.major, gpu.minor,
                     driver_text());
}

PooledStream build_stream(Stream caller, const std::vector<NamedColumn>& columns) {
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
