#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "answers/cuda/joins.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/batch_runner.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/device_neighbours.hpp"
#include "engine/cuda/device_segments.hpp"
#include "engine/cuda/neighbour_runner.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

namespace {

// The part of a request that points_of() does not have: the neighbours.
[[nodiscard]] Request neighbours_of(const Request& request) {
  Request neighbours = request;
  neighbours.answers = Answer::any;
  neighbours.outputs = {};
  neighbours.outputs.any = request.outputs.any;
  neighbours.outputs.key = request.outputs.key;
  neighbours.outputs.matched = request.outputs.matched;
  neighbours.outputs.memory_space = request.outputs.memory_space;
  neighbours.row_counts = nullptr;
  neighbours.chunk_rows = nullptr;
  return neighbours;
}

// Outputs with one element for each lookup, in host memory, for a caller whose buffers are on the
// GPU.
class OutputsOnHost {
 public:
  OutputsOnHost(const Outputs& wanted, std::size_t lookups, std::size_t key_bytes) {
    const auto add = [&](auto& own, auto* on_device, std::size_t bytes) {
      if (on_device == nullptr) return;
      buffers_.push_back({on_device, std::vector<std::uint8_t>(bytes, 0)});
      own = reinterpret_cast<std::decay_t<decltype(own)>>(buffers_.back().bytes.data());
    };
    add(outputs_.any, wanted.any, 4 * lookups);
    add(outputs_.first, wanted.first, 4 * lookups);
    add(outputs_.last, wanted.last, 4 * lookups);
    add(outputs_.count, wanted.count, 4 * lookups);
    add(outputs_.sum, wanted.sum, 8 * lookups);
    add(outputs_.min, wanted.min, 8 * lookups);
    add(outputs_.max, wanted.max, 8 * lookups);
    add(outputs_.mean, wanted.mean, 8 * lookups);
    add(outputs_.key, wanted.key, key_bytes * lookups);
    add(outputs_.validity, wanted.validity, (lookups + 7) / 8);
    add(outputs_.matched, wanted.matched, (lookups + 7) / 8);
  }

  [[nodiscard]] const Outputs& outputs() const { return outputs_; }
  void copy_to_gpu(cudaStream_t stream) const {
    for (const Buffer& buffer : buffers_)
      copy_to_device(buffer.on_device, buffer.bytes.data(), buffer.bytes.size(), stream);
    check(cudaStreamSynchronize(stream), "copying to the GPU");
  }

 private:
  struct Buffer {
    void* on_device;
    std::vector<std::uint8_t> bytes;
  };

  Outputs outputs_;
  std::vector<Buffer> buffers_;
};

}  // namespace

void DeviceBatchRunner::answer_nearest(std::span<const Segment> segments, const BatchQuery& query,
                                       const Request& request) const {
  if (segments.front().codec->are_intervals()) return nearest_intervals(segments, query, request);
  if (request.join != nullptr) return join_nearest(segments, query, request);
  const bool is_native = segments.front().codec->native_base().has_value();
  const bool to_device = request.outputs.memory_space == MemorySpace::device;
  const bool on_device = query.lower.memory_space() == MemorySpace::device;
  const std::vector<PackedMap> maps = maps_of(segments);
  const bool can_join = !maps.empty() && NeighbourRunner::can_join(maps);
  Plan plan = plan_of(segments, query, request);
  plan.on_gpu = true;
  plan.on_callers_stream = to_device && on_device;
  plan.casts_rays = casts_rays(segments);
  plan.orders_on_host = false;
  plan.fetches_lookups = on_device && !can_join;
  plan.measures = request.counters != nullptr || request.ray_ms != nullptr;
  reject_capture(plan, request.stream);
  if (request.plan != nullptr) *request.plan = plan.describe();
  if (can_join && to_device && (is_native || on_device))
    nearest_on_device(segments, query, request);
  else if (can_join && is_native)
    nearest_native(segments, query, request);
  else
    nearest_on_host(segments, query, request);
}

void DeviceBatchRunner::join_nearest(std::span<const Segment> segments, const BatchQuery& query,
                                     const Request& request) const {
  const Queue queue(gpu_.memory, static_cast<cudaStream_t>(request.stream.handle));
  const std::size_t size = query.lower.size();
  require_on_device(request.join->outputs);
  const DeviceArray<std::uint32_t> rows(queue, size);
  Request neighbours = request;
  neighbours.join = nullptr;
  neighbours.answers = Answer::any;
  neighbours.outputs = {.any = rows.data(), .memory_space = MemorySpace::device};
  answer_nearest(segments, query, neighbours);
  const CountedJoin join(*request.join, queue);
  join_rows(rows.data(), size, join.get(), queue);
  join.finish(queue);
}

// All answers go to device memory.
void DeviceBatchRunner::nearest_on_device(std::span<const Segment> segments,
                                          const BatchQuery& query, const Request& request) const {
  const Request points = points_of(request);
  Request neighbours = neighbours_of(request);
  if (points.answers.empty()) return find_neighbours(segments, query, neighbours, {});
  const Queue queue(gpu_.memory, static_cast<cudaStream_t>(request.stream.handle));
  const std::size_t size = query.lower.size();
  const KeysOnGpu found(*segments.front().codec, size, queue);
  neighbours.outputs.matched = found.valid();
  find_neighbours(segments, query, neighbours, found.parts());
  const ColumnView found_keys = found.view();
  const Outputs& out = request.outputs;
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    if (to != nullptr && bytes != 0)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue),
            "copying on the GPU");
  };
  copy(out.matched, found.valid(), (size + 7) / 8);
  if (out.key != nullptr) copy(out.key, found.parts().front(), size * width_of(found_keys.type()));
  answer(segments, BatchQuery::equal(found_keys), points);
}

// Answers of a native column for the host.
void DeviceBatchRunner::nearest_native(std::span<const Segment> segments, const BatchQuery& query,
                                       const Request& request) {
  const Request points = points_of(request);
  Request neighbours = neighbours_of(request);
  const Type type = segments.front().codec->type();
  const std::size_t size = query.lower.size();
  const bool wants_column = !points.answers.empty() || request.found_keys != nullptr;
  std::vector<std::uint32_t> rows;
  OwnedColumn found;
  if (wants_column) {
    found = OwnedColumn(type, size);
    neighbours.outputs.key = found.data<std::uint8_t>();
    if (neighbours.outputs.any == nullptr) {
      rows.resize(size);
      neighbours.outputs.any = rows.data();
    }
  }
  find_neighbours(segments, query, neighbours, {});
  if (!wants_column) return;
  for (std::size_t i = 0; i < size; ++i) found.set_valid(i, neighbours.outputs.any[i] != miss_row);
  if (request.outputs.key != nullptr && size != 0)
    std::memcpy(request.outputs.key, found.data<std::uint8_t>(), size * width_of(type));
  const ColumnView found_keys = found.view();
  if (!points.answers.empty()) answer(segments, BatchQuery::equal(found_keys), points);
  if (request.found_keys != nullptr)
    *request.found_keys = std::make_shared<const OwnedColumn>(std::move(found));
}

// A step of the host, for keys that only it can compare: lossy encodings, strings, keys of 128
// bits, and composites of the host.
void DeviceBatchRunner::nearest_on_host(std::span<const Segment> segments, const BatchQuery& query,
                                        const Request& request) const {
  const HostColumn keys(query.lower, "keys", request.stream);
  BatchQuery here{keys.view(), keys.view(), query.kind, query.ends, query.nearest};
  if (request.outputs.memory_space == MemorySpace::host)
    return rtindex::answer_nearest(segments, here, request, *this);
  require_on_device(request.outputs, keys.view().size());
  const Type type = segments.front().codec->type();
  if (request.outputs.offsets != nullptr)
    fail(ErrorKind::unsupported,
         "rows of neighbours of {} keys cannot be written to device memory: pass buffers in host "
         "memory",
         name_of(type));
  Request on_host = request;
  const OutputsOnHost outputs(request.outputs, keys.view().size(), width_of(type));
  on_host.outputs = outputs.outputs();
  rtindex::answer_nearest(segments, here, on_host, *this);
  outputs.copy_to_gpu(static_cast<cudaStream_t>(request.stream.handle));
}

}  // namespace rtindex::cuda
