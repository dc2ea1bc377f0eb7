#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answers/cuda/device_answers.hpp"
#include "base/checked_cast.hpp"
#include "base/cuda/device_array.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/stream_uses.hpp"
#include "engine/cuda/deleted_rows.hpp"
#include "engine/cuda/position_searcher.hpp"
#include "engine/plan.hpp"
#include "engine/segment.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/full_keys.hpp"

namespace rtindex::cuda {

// The GPU of an index and its allocator.
struct GpuContext {
  int device = 0;
  std::shared_ptr<DeviceMemory> memory;
};

// The rowIDs of a batch as runs of positions, in key order or in an array of their own.
struct FoundRows {
  DeviceArray<Run> runs;
  DeviceArray<std::uint32_t> own;
  DeviceArray<std::uint64_t> own_keys;
  DeviceArray<std::uint32_t> own_positions;  // of own rows in key order
  RowsView rows;
  KeysView keys;           // where rows are requested in key order
  DeletedRowsUse deleted;  // positions that are skipped
  // More rowIDs than one array can hold: the runs have the right sizes, but there are no rowIDs.
  // The caller must repeat the call with fewer lookups.
  bool too_many = false;

  [[nodiscard]] RowSource source() const {
    return {runs.data(), rows, deleted.positions(), keys, own_positions.data()};
  }
};

// Which rowIDs of a lookup's matches are requested.
struct RowsWanted {
  bool any = false;
  std::uint32_t limit = 0;   // of one lookup
  bool sizes_only = false;   // only their number
  bool in_order = false;     // in key order, with their keys; of points: the same in every call
  bool by_position = false;  // of a searcher in key order: as runs of its positions
};

struct OrderedArrays;

// Lookups in device memory, some of a batch from the `first` on.
struct SearchedLookups {
  const LookupBatch& batch;
  std::size_t first;
  const DeviceLookups& lookups;
};

// The searcher of a segment on a GPU: how it searches, its allocator, and the streams that read its
// arrays, after which these are freed.
class DeviceSearcher : public Searcher {
 public:
  // For the host's steps: lookups and answers in host memory.
  void answer(const LookupBatch& batch, const Request& request) const final;
  void find_edges(const LookupBatch& batch, Edge edge, const RowBits& deleted, std::uint32_t* rows,
                  std::uint64_t* keys, Counters* counters) const final;
  [[nodiscard]] MemoryUsage memory_usage() const final;
  [[nodiscard]] EncodedColumn column() const override;

  // How lookups are encoded for it. Any number of threads may call it at once.
  struct Encoding {
    std::size_t row_count = 0;
    std::uint64_t span = 0;          // the largest encoded key
    const FullKeys* full = nullptr;  // of keys that are not native
    bool edges_read_elements = false;
    bool reads_queries = false;  // of native intervals, else they are encoded
  };
  [[nodiscard]] virtual Encoding encoding() const = 0;
  // What it offers to a plan, but for what depends on the batch. `included_column`: which one is
  // aggregated.
  [[nodiscard]] virtual SegmentTraits traits(std::size_t included_column) const = 0;

  // Answers lookups into buffers in device memory. Returns the rowIDs if they are requested.
  [[nodiscard]] virtual FoundRows answer_on_device(Method method, const SearchedLookups& searched,
                                                   const DeviceRequest& request, RowsWanted wanted,
                                                   cudaStream_t stream) const = 0;
  // Writes the pairs of a join in any order. Needs SegmentTraits::intervals.
  virtual void join_on_device(const SearchedLookups& searched, const JoinRequest& join,
                              cudaStream_t stream) const;
  // The first or last valid row of each range, in the order of (key, rowID), or miss_row; and that
  // row's encoded key where `keys` is not null. Needs key_order.
  virtual void find_edges_on_device(const SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                                    std::uint64_t* keys, cudaStream_t stream) const = 0;
  // The keys with their rows, in row order, on the current GPU.
  [[nodiscard]] virtual DeviceColumn device_column(cudaStream_t stream) const = 0;

  [[nodiscard]] const GpuContext& gpu() const { return gpu_; }
  // The arrays in key order; null for a searcher over keys without an order.
  [[nodiscard]] const OrderedArrays* ordered_arrays() const { return ordered_arrays_; }
  // Records which streams read the arrays.
  [[nodiscard]] StreamUses& uses() const { return uses_; }

 protected:
  explicit DeviceSearcher(GpuContext gpu) : gpu_(std::move(gpu)) {}

  const OrderedArrays* ordered_arrays_ = nullptr;

  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return gpu_.memory; }
  // Bytes by name: MemoryUsage::parts.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::size_t>> memory_entries() const = 0;

  // Blocks until no caller's stream reads the arrays.
  void wait_for_lookups() const;
  // Waits for a build or a refit on `stream`, which `meter` measured.
  void finish_build(const PooledStream& stream, const MemoryMeter& meter);
  // Frees arrays once the callers' streams that read them are done. Does not block the host. Called
  // by destructors: arrays go before this base class.
  template <class Arrays>
  void release(std::unique_ptr<Arrays>& arrays) noexcept {
    if (arrays == nullptr) return;
    const OnDevice current(gpu_.device, std::nothrow);
    const bool unused = uses_.done();
    cudaStream_t const stream = arrays->stream.get();
    uses_.wait_on(stream);
    arrays.reset();
    trim(stream, unused);
  }

 private:
  // Returns memory that a large searcher has released to the driver.
  void trim(cudaStream_t stream, bool unused) const noexcept;

  GpuContext gpu_;
  std::size_t build_peak_ = 0;
  mutable StreamUses uses_;
};

// The searcher of a segment on a GPU: engines of GPUs make DeviceSearchers only.
[[nodiscard]] inline const DeviceSearcher& device_searcher(const Searcher& searcher) {
  return checked_cast<const DeviceSearcher&>(searcher);
}
[[nodiscard]] inline const DeviceSearcher& device_searcher(const Segment& segment) {
  return device_searcher(*segment.searcher);
}

// "device: ..." for describe().
[[nodiscard]] std::string describe_gpu(int device);

// A column of a build and its name in errors.
struct NamedColumn {
  const ColumnView& column;
  const char* name;
};

// A stream for a build on the current GPU. It waits for the caller's stream if a column is in
// device memory. Rejects columns that the GPU cannot read.
[[nodiscard]] PooledStream build_stream(Stream caller, const std::vector<NamedColumn>& columns);

}  // namespace rtindex::cuda
