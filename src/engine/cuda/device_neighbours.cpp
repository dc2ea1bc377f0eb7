#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "answers/cuda/joins.hpp"
#include "base/cuda/transfer.hpp"
#include "base/error.hpp"
#include "base/types.hpp"
#include "engine/cuda/device_backend.hpp"
#include "engine/cuda/gpu_structure.hpp"
#include "engine/cuda/neighbour_runner.hpp"
#include "order/cuda/device_columns.hpp"
#include "order/cuda/device_pointers.hpp"

namespace rtindex::cuda {

namespace {

// What is left of a request once neighbours are found: the answers about all rows of their keys.
[[nodiscard]] Request points_of(const Request& request) {
  Request points = request;
  points.ends = {};
  points.answers = {};
  for (const Answer answer : all_answers())
    if (request.answers.has(answer) && answer != Answer::any && answer != Answer::key)
      points.answers = points.answers | answer;
  points.outputs.any = nullptr;
  points.outputs.key = nullptr;
  points.outputs.matched = nullptr;
  points.found_keys = nullptr;
  return points;
}

// The other part of it: the neighbours.
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

// Keys of a column in device memory, with a bitmap of those that are there.
class KeysOnGpu {
 public:
  KeysOnGpu(const KeyCodec& codec, std::size_t size, const Queue& queue)
      : size_(size), valid_(queue, (size + 7) / 8) {
    types_ = codec.part_types();
    if (types_.empty()) types_.push_back(codec.type());
    for (const Type type : types_) {
      // The keys of misses are null: any element, but one that can be read.
      columns_.emplace_back(queue, size * width_of(type));
      if (size != 0)
        check(cudaMemsetAsync(columns_.back().data(), 0, columns_.back().size(), queue),
              "filling memory");
      parts_.push_back(columns_.back().data());
    }
  }

  [[nodiscard]] std::span<void* const> parts() const { return parts_; }
  [[nodiscard]] std::uint8_t* valid() const { return valid_.data(); }
  [[nodiscard]] ColumnView view() const {
    std::vector<ColumnView> views;
    for (std::size_t p = 0; p < types_.size(); ++p)
      views.push_back(ColumnView::of(types_[p], parts_[p], size_).on_device());
    const ColumnView all = views.size() == 1 ? views.front() : ColumnView::composite(views);
    return all.with_validity(valid_.data());
  }

 private:
  std::size_t size_;
  std::vector<Type> types_;
  std::vector<DeviceBytes> columns_;
  std::vector<void*> parts_;
  DeviceArray<std::uint8_t> valid_;
};

// Outputs with one element for each lookup, in host memory, for a caller who wants them on the GPU.
class OutputsOnHost {
 public:
  OutputsOnHost(const Outputs& wanted, std::size_t lookups) {
    const auto add = [&](auto& own, auto* on_device, std::size_t bytes) {
      if (on_device == nullptr) return;
      buffers_.push_back({on_device, std::vector<std::uint8_t>(bytes, 0)});
      own = reinterpret_cast<std::decay_t<decltype(own)>>(buffers_.back().bytes.data());
    };
    add(outputs_.any, wanted.any, 4 * lookups);
    add(outputs_.first, wanted.first, 4 * lookups);
    add(outputs_.count, wanted.count, 4 * lookups);
    add(outputs_.sum, wanted.sum, 8 * lookups);
    add(outputs_.min, wanted.min, 8 * lookups);
    add(outputs_.max, wanted.max, 8 * lookups);
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

void DeviceBackend::answer_nearest(std::span<const Segment> segments, const ColumnView& keys,
                                   const NearestOptions& nearest, const Request& request) const {
  if (request.join != nullptr) return join_nearest(segments, keys, nearest, request);
  const bool is_native = segments.front().codec->native_base().has_value();
  const bool to_device = request.outputs.memory_space == MemorySpace::device;
  const bool on_device = keys.memory_space() == MemorySpace::device;
  const std::vector<PackedMap> maps = GpuStructure::maps_of(segments);
  const bool can_join = !maps.empty() && NeighbourRunner::can_join(maps);
  if (can_join && to_device && (is_native || on_device))
    nearest_on_device(segments, keys, nearest, request);
  else if (can_join && is_native)
    nearest_native(segments, keys, nearest, request);
  else
    nearest_on_host(segments, keys, nearest, request);
}

void DeviceBackend::join_nearest(std::span<const Segment> segments, const ColumnView& keys,
                                 const NearestOptions& nearest, const Request& request) const {
  const auto& main = static_cast<const GpuStructure&>(*segments.front().structure);
  const OnDevice current(main.device());
  const std::shared_ptr<DeviceMemory> memory = main.device_memory();
  const Queue queue(memory, static_cast<cudaStream_t>(request.stream.handle));
  require_on_device(request.join->outputs);
  const DeviceArray<std::uint32_t> rows(queue, keys.size());
  Request neighbours = request;
  neighbours.join = nullptr;
  neighbours.answers = Answer::any;
  neighbours.outputs = {.any = rows.data(), .memory_space = MemorySpace::device};
  answer_nearest(segments, keys, nearest, neighbours);
  join_rows(rows.data(), keys.size(), *request.join, queue);
}

// All answers go to device memory.
void DeviceBackend::nearest_on_device(std::span<const Segment> segments, const ColumnView& keys,
                                      const NearestOptions& nearest, const Request& request) const {
  const Request points = points_of(request);
  Request neighbours = neighbours_of(request);
  if (points.answers.empty())
    return GpuStructure::find_neighbours(segments, keys, nearest, neighbours, {});
  const auto stream = static_cast<cudaStream_t>(request.stream.handle);
  const Structure& main = *segments.front().structure;
  const OnDevice current(static_cast<const GpuStructure&>(main).device());
  const std::shared_ptr<DeviceMemory> memory = main.device_memory();
  const KeysOnGpu found(*segments.front().codec, keys.size(), {memory, stream});
  neighbours.outputs.matched = found.valid();
  GpuStructure::find_neighbours(segments, keys, nearest, neighbours, found.parts());
  const ColumnView found_keys = found.view();
  const Outputs& out = request.outputs;
  const auto copy = [&](void* to, const void* from, std::size_t bytes) {
    if (to != nullptr && bytes != 0)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
            "copying on the GPU");
  };
  copy(out.matched, found.valid(), (keys.size() + 7) / 8);
  if (out.key != nullptr)
    copy(out.key, found.parts().front(), keys.size() * width_of(found_keys.type()));
  answer(segments, found_keys, found_keys, QueryKind::equal, points);
}

// Answers of a native column for the host.
void DeviceBackend::nearest_native(std::span<const Segment> segments, const ColumnView& keys,
                                   const NearestOptions& nearest, const Request& request) const {
  const Request points = points_of(request);
  Request neighbours = neighbours_of(request);
  const Type type = segments.front().codec->type();
  const bool wants_column = !points.answers.empty() || request.found_keys != nullptr;
  std::vector<std::uint32_t> rows;
  OwnedColumn found;
  if (wants_column) {
    found = OwnedColumn(type, keys.size());
    neighbours.outputs.key = found.data<std::uint8_t>();
    if (neighbours.outputs.any == nullptr) {
      rows.resize(keys.size());
      neighbours.outputs.any = rows.data();
    }
  }
  GpuStructure::find_neighbours(segments, keys, nearest, neighbours, {});
  if (!wants_column) return;
  for (std::size_t i = 0; i < keys.size(); ++i)
    found.set_valid(i, neighbours.outputs.any[i] != miss_row);
  if (request.outputs.key != nullptr && !keys.empty())
    std::memcpy(request.outputs.key, found.data<std::uint8_t>(), keys.size() * width_of(type));
  const ColumnView found_keys = found.view();
  if (!points.answers.empty()) answer(segments, found_keys, found_keys, QueryKind::equal, points);
  if (request.found_keys != nullptr)
    *request.found_keys = std::make_shared<const OwnedColumn>(std::move(found));
}

// Keys that only the host can compare: lossy encodings, strings, and composites of the host.
void DeviceBackend::nearest_on_host(std::span<const Segment> segments, const ColumnView& keys,
                                    const NearestOptions& nearest, const Request& request) const {
  const auto& main = static_cast<const GpuStructure&>(*segments.front().structure);
  const OnDevice current(main.device());
  const auto stream = static_cast<cudaStream_t>(request.stream.handle);
  OwnedColumn fetched_keys;
  ColumnView here = keys;
  if (keys.memory_space() == MemorySpace::device) {
    require_on_device(keys, "keys");
    fetched_keys = fetched(keys, stream);
    here = fetched_keys.view();
  }
  if (request.outputs.memory_space == MemorySpace::host)
    return Backend::answer_nearest(segments, here, nearest, request);
  require_on_device(request.outputs, keys.size());
  if (request.outputs.offsets != nullptr || request.outputs.key != nullptr)
    fail(ErrorKind::unsupported,
         "rows and keys of neighbours of {} keys cannot be written to device memory: pass buffers "
         "in host memory",
         name_of(here.type()));
  Request on_host = request;
  const OutputsOnHost outputs(request.outputs, keys.size());
  on_host.outputs = outputs.outputs();
  Backend::answer_nearest(segments, here, nearest, on_host);
  outputs.copy_to_gpu(stream);
}

}  // namespace rtindex::cuda
