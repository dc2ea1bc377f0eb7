#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/stream_uses.hpp"
#include "engine/cuda/batch_runner.hpp"
#include "engine/segment.hpp"
#include "engine/structure.hpp"
#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// The common part of structures on a GPU: the way of a batch, the allocator, and the streams that
// read the arrays, after which these are freed.
class GpuStructure : public Structure {
 public:
  void run(const LookupBatch& batch, const Request& request) const final;
  // Answers lookups from all segments of an index on a GPU.
  static void run(std::span<const Segment> segments, const ColumnView& lower,
                  const ColumnView& upper, QueryKind kind, const Request& request);
  // The encodings of segments with keys, as devices encode them; none where one has no such map.
  [[nodiscard]] static std::vector<PackedMap> maps_of(std::span<const Segment> segments);
  // Whether the host has to encode lookups.
  [[nodiscard]] static bool encodes_on_host(std::span<const Segment> segments);
  // The neighbours of keys in all segments, whose encodings can be joined: see NeighbourRunner.
  // `key_parts`: the keys of composite columns, in device memory; empty: Outputs::key.
  static void find_neighbours(std::span<const Segment> segments, const ColumnView& keys,
                              const NearestOptions& nearest, const Request& request,
                              std::span<void* const> key_parts);
  void find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted, std::uint32_t* rows,
                  std::uint64_t* keys, Counters* counters) const final;
  [[nodiscard]] std::shared_ptr<DeviceMemory> device_memory() const final { return memory_; }
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] MemoryUsage memory_usage() const final;
  // The keys with their rows, in row order, on the current GPU.
  [[nodiscard]] virtual DeviceColumn device_column(cudaStream_t stream) const = 0;

 protected:
  GpuStructure(int device, std::shared_ptr<DeviceMemory> memory)
      : device_(device), memory_(std::move(memory)) {}

  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

  // What a batch runs against.
  [[nodiscard]] virtual BatchTarget target() const = 0;
  // Bytes by name: MemoryUsage::parts.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::size_t>> memory_parts() const = 0;

  // Blocks until no caller's stream reads the arrays.
  void wait_for_lookups() const;
  // Waits for a build or a refit on `stream`, which `meter` measured.
  void finish_build(const PooledStream& stream, const MemoryMeter& meter);
  // Frees arrays once the callers' streams that read them are done, without waiting for these.
  // Called by destructors: arrays go before this base class.
  template <class Arrays>
  void release(std::unique_ptr<Arrays>& arrays) noexcept {
    if (arrays == nullptr) return;
    const OnDevice current(device_, std::nothrow);
    const bool unused = uses_.done();
    cudaStream_t const stream = arrays->stream.get();
    uses_.wait_on(stream);
    arrays.reset();
    give_back(stream, unused);
  }

 private:
  // The segments that have keys, or the first one.
  [[nodiscard]] static std::vector<Segment> searched(std::span<const Segment> segments);
  [[nodiscard]] static std::vector<SegmentTarget> targets_of(std::span<const Segment> segments,
                                                             const ColumnView& lower,
                                                             const ColumnView& upper,
                                                             QueryKind kind, RangeEnds ends);
  [[nodiscard]] SegmentTarget target_of(const LookupBatch& batch, const RowBits& deleted,
                                        const RowBitmapPtr& bitmap) const {
    return {target(), batch, deleted, bitmap, uses_};
  }
  // Returns memory that a large structure has released to the driver.
  void give_back(cudaStream_t stream, bool unused) const noexcept;

  int device_;
  std::shared_ptr<DeviceMemory> memory_;
  std::size_t build_peak_ = 0;
  mutable StreamUses uses_;
};

// "device: ..." for describe().
[[nodiscard]] std::string describe_gpu(int device);

// A column of a build and its name in errors.
struct NamedColumn {
  const ColumnView& column;
  const char* name;
};

// A stream for a build on the current GPU. It waits for the caller's stream if a column is in
// device memory. Refuses columns that the GPU cannot read.
[[nodiscard]] PooledStream build_stream(Stream caller, std::initializer_list<NamedColumn> columns);

}  // namespace rtindex::cuda
