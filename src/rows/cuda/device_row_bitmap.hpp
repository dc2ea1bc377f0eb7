#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/cuda/device_array.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/stream_uses.hpp"
#include "keys/cuda/device_keys.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex::cuda {

// Bits of rows in device memory that are still being set.
struct MarkedWords {
  // Of `rows` rows, on the current GPU: none, or whatever is in memory.
  MarkedWords(std::size_t rows, const Queue& queue, bool clear = true);

  DeviceArray<std::uint32_t> words;
  std::size_t rows;
};

// A row bitmap in the memory of the GPU. It is freed once the streams that read it are done,
// without blocking the host.
class DeviceRowBitmap final : public RowBitmap {
 public:
  // Of the current GPU. All work on `words` is done, and they were allocated on the stream.
  DeviceRowBitmap(PooledStream stream, MarkedWords marked, std::size_t count,
                  std::shared_ptr<DeviceMemory> memory);
  ~DeviceRowBitmap() override;

  [[nodiscard]] Array<std::uint32_t> words() const override;
  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
  // The work queued on `stream` so far reads the set.
  void record_use(cudaStream_t stream) const noexcept { uses_.record(stream); }

 private:
  int device_ = 0;
  std::shared_ptr<DeviceMemory> memory_;
  PooledStream stream_;  // outlives the words, which are released on it
  DeviceArray<std::uint32_t> words_;
  mutable StreamUses uses_;
};

// The work queued on `stream` so far reads a set of an index on a GPU.
void record_use(const RowBitmapPtr& bitmap, cudaStream_t stream) noexcept;

// What is known of the rows of a change once all have been read.
struct NamedRows {
  bool wrong = false;     // a row is not there, is erased or is named twice
  std::size_t nulls = 0;  // how many have no key
};

// RowBitmapPtr the rows of a change in device memory. Blocks until it is done.
[[nodiscard]] NamedRows name_rows(const std::uint32_t* rows, std::size_t count, RowBits erased,
                                  RowBits nulls, const MarkedWords& named, const Queue& queue);

// RowBitmapPtr the rows of null elements, or listed rows.
void mark_nulls(const DeviceElements& column, RowIds ids, const MarkedWords& marked,
                cudaStream_t stream);
void mark_listed(const std::uint32_t* rows, std::size_t count, const MarkedWords& marked,
                 cudaStream_t stream);

// How many rows are marked. Blocks until they are counted.
[[nodiscard]] std::size_t count_marked(const MarkedWords& marked, const Queue& queue);

// The rows in either set, and those of `a` that are not in `b`; null: none. On the current GPU.
[[nodiscard]] RowBitmapPtr united_on_device(const RowBitmapPtr& a, const RowBitmapPtr& b);
[[nodiscard]] RowBitmapPtr without_on_device(const RowBitmapPtr& a, const RowBitmapPtr& b);

// A set that is saved, or that the host made.
[[nodiscard]] RowBitmapPtr upload_marks(std::span<const std::uint32_t> words, std::size_t rows,
                                        const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
