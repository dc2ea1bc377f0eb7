#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "base/cuda/stream_uses.hpp"
#include "execution/cuda/batch_runner.hpp"
#include "execution/segment.hpp"
#include "storage/structure.hpp"

namespace rtindex::cuda {

// The common part of structures on a GPU: the way of a batch, the allocator, and waiting for the
// streams that read the arrays before these change or go.
class GpuStructure : public Structure {
 public:
  void run(const LookupBatch& batch, const Request& request) const final;
  // Answers lookups from all segments of an index on a GPU.
  static void run(std::span<const Segment> segments, const ColumnView& lower,
                  const ColumnView& upper, LookupKind kind, const Request& request);
  [[nodiscard]] std::shared_ptr<DeviceMemory> device_memory() const final { return memory_; }
  [[nodiscard]] MemoryUsage memory_usage() const final;

 protected:
  GpuStructure(int device, std::shared_ptr<DeviceMemory> memory)
      : device_(device), memory_(std::move(memory)) {}

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }

  // What a batch of so many lookups runs against.
  [[nodiscard]] virtual BatchTarget target(std::size_t lookups) const = 0;
  // Bytes by name: MemoryUsage::parts.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::size_t>> memory_parts() const = 0;

  // Blocks until no caller's stream reads the arrays.
  void wait_for_lookups() const;
  // Waits for a build or an update on `stream`, which `meter` measured.
  void finish_build(const OwnStream& stream, const MemoryMeter& meter);
  // Frees arrays that callers' streams may still read, and returns their memory to the driver.
  // Called by destructors: arrays go before this base class.
  template <class Arrays>
  void release(std::unique_ptr<Arrays>& arrays) noexcept {
    const OnDevice current(device_, std::nothrow);
    static_cast<void>(uses_.wait());
    arrays.reset();
    give_back_unused();
  }

 private:
  [[nodiscard]] SegmentTarget target_of(const LookupBatch& batch, const RowBits& dead,
                                        const Marks& marks) const {
    return {target(batch.size()), batch, dead, marks, uses_};
  }

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
[[nodiscard]] OwnStream build_stream(Stream caller, std::initializer_list<NamedColumn> columns);

}  // namespace rtindex::cuda
