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

// The words of a row bitmap in device memory that is still being built.
struct RowBitmapWords {
  // Of `rows` rows, on the current GPU: none, or whatever is in memory.
  RowBitmapWords(std::size_t rows, const Queue& queue, bool clear = true);

  DeviceArray<std::uint32_t> words;
  std::size_t rows;
};

// A row bitmap in the memory of the GPU. It is freed once the streams that read it are done,
// without blocking the host.
class DeviceRowBitmap final : public RowBitmap {
 public:
  // Of the current GPU. All work on `words` is done, and they were allocated on the stream.
  DeviceRowBitmap(PooledStream stream, RowBitmapWords marked, std::size_t count,
                  std::shared_ptr<DeviceMemory> memory);
  ~DeviceRowBitmap() override;

  [[nodiscard]] Array<std::uint32_t> words() const override;
  [[nodiscard]] RowBitmapPtr union_with(const RowBitmap& other) const override;
  [[nodiscard]] RowBitmapPtr minus(const RowBitmap& other) const override;
  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
  // The work queued on `stream` so far reads the bitmap.
  void record_use(cudaStream_t stream) const noexcept { uses_.record(stream); }

 private:
  int device_ = 0;
  std::shared_ptr<DeviceMemory> memory_;
  PooledStream stream_;  // outlives the words, which are released on it
  DeviceArray<std::uint32_t> words_;
  mutable StreamUses uses_;
};

// The work queued on `stream` so far reads a bitmap of an index on a GPU; null: none.
void record_use(const RowBitmapPtr& bitmap, cudaStream_t stream) noexcept;

// What is known of the rows of a change once all have been read.
struct NamedRows {
  bool wrong = false;     // a row is not there, is erased or is named twice
  std::size_t nulls = 0;  // how many have no key
};

// Sets the rows of a change, which are in device memory. Blocks until it is done.
[[nodiscard]] NamedRows name_rows(const std::uint32_t* rows, std::size_t count, RowBits erased,
                                  RowBits nulls, const RowBitmapWords& named, const Queue& queue);

// Sets the rows of null elements, or listed rows.
void set_null_rows(const DeviceElements& column, RowIds ids, const RowBitmapWords& marked,
                   cudaStream_t stream);
void set_rows(const std::uint32_t* rows, std::size_t count, const RowBitmapWords& marked,
              cudaStream_t stream);

// How many rows are set. Blocks until they are counted.
[[nodiscard]] std::size_t count_rows(const RowBitmapWords& marked, const Queue& queue);

// A bitmap that is saved, or that the host made.
[[nodiscard]] RowBitmapPtr upload_bitmap(std::span<const std::uint32_t> words, std::size_t rows,
                                         const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
