#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <rtindex/bitmap.hpp>

#include "base/cuda/device_array.hpp"
#include "base/cuda/pooled_stream.hpp"
#include "base/cuda/stream_uses.hpp"
#include "keys/cuda/device_keys.hpp"
#include "rows/row_bitmap.hpp"

namespace rtindex::cuda {

// The words of a row bitmap in device memory that is still being built.
struct RowBitmapWords {
  // A bitmap of `rows` rows on the current GPU: empty, or uninitialised unless `clear`.
  RowBitmapWords(std::size_t rows, const Queue& queue, bool clear = true);

  DeviceArray<std::uint32_t> words;
  std::size_t rows;
};

// A row bitmap in the memory of the GPU. It is freed once the streams that read it are done,
// without blocking the host.
class DeviceRowBitmap final : public RowBitmap {
 public:
  // On the current GPU. All work on the words is done, and they were allocated on the stream.
  DeviceRowBitmap(PooledStream stream, RowBitmapWords bitmap, std::size_t count,
                  std::shared_ptr<DeviceMemory> memory)
      : DeviceRowBitmap(std::make_shared<const PooledStream>(std::move(stream)), std::move(bitmap),
                        count, std::move(memory)) {}
  // Bitmaps that one kernel made share its stream.
  DeviceRowBitmap(std::shared_ptr<const PooledStream> stream, RowBitmapWords bitmap,
                  std::size_t count, std::shared_ptr<DeviceMemory> memory);
  ~DeviceRowBitmap() override;

  [[nodiscard]] Array<std::uint32_t> words() const override;
  [[nodiscard]] RowBitmapPtr union_with(const RowBitmap& other) const override;
  [[nodiscard]] RowBitmapPtr minus(const RowBitmap& other) const override;
  [[nodiscard]] const std::shared_ptr<DeviceMemory>& memory() const { return memory_; }
  // Records that the work queued on `stream` so far reads the bitmap.
  void record_use(cudaStream_t stream) const noexcept { uses_.record(stream); }

 private:
  int device_ = 0;
  std::shared_ptr<DeviceMemory> memory_;
  // Outlives the words, which are released on it.
  std::shared_ptr<const PooledStream> stream_;
  DeviceArray<std::uint32_t> words_;
  mutable StreamUses uses_;
};

// Records that the work queued on `stream` so far reads a bitmap on a GPU; null: does nothing.
void record_use(const RowBitmapPtr& bitmap, cudaStream_t stream) noexcept;

// What a check of the rows of a change found.
struct NamedRows {
  bool wrong = false;     // a row does not exist, is erased or is listed twice
  std::size_t nulls = 0;  // the number of rows without a key
};

// Sets the rows of a change, which are in device memory. Blocks until it is done.
[[nodiscard]] NamedRows name_rows(const std::uint32_t* rows, std::size_t count, RowBits erased,
                                  RowBits nulls, const RowBitmapWords& named, const Queue& queue);

// Sets the rows of null elements, or listed rows.
void set_null_rows(const DeviceElements& column, RowIds ids, const RowBitmapWords& bitmap,
                   cudaStream_t stream);
void set_rows(const std::uint32_t* rows, std::size_t count, const RowBitmapWords& bitmap,
              cudaStream_t stream);

// Sets listed rows in a bitmap of `row_count` rows for each lookup, all of them in one array, each
// beginning with a word of its own. Lookup i has rows [offsets[i], offsets[i + 1]).
void set_rows_of_lookups(const std::uint32_t* rows, std::size_t count, const std::uint64_t* offsets,
                         std::size_t lookups, std::size_t row_count, const RowBitmapWords& bitmaps,
                         cudaStream_t stream);

// The rows that a bitmap of the caller, in the memory of the current GPU, lacks.
[[nodiscard]] RowBitmapPtr missing_rows(const BitmapView& bitmap,
                                        const std::shared_ptr<DeviceMemory>& memory);

// The number of rows that are set. Blocks until they are counted.
[[nodiscard]] std::size_t count_rows(const RowBitmapWords& bitmap, const Queue& queue);

// Copies a bitmap of the host or of a file to the current GPU.
[[nodiscard]] RowBitmapPtr upload_bitmap(std::span<const std::uint32_t> words, std::size_t rows,
                                         const std::shared_ptr<DeviceMemory>& memory);

}  // namespace rtindex::cuda
