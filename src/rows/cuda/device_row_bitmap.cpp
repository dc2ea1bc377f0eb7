#include "rows/cuda/device_row_bitmap.hpp"

#include <bit>
#include <utility>

#include "base/checked_cast.hpp"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

RowBitmapWords::RowBitmapWords(std::size_t row_count, const Queue& queue, bool clear)
    : words(queue, RowBits::words_of(row_count)), rows(row_count) {
  if (clear && !words.empty())
    check(cudaMemsetAsync(words.data(), 0, words.bytes(), queue), "filling memory");
}

DeviceRowBitmap::DeviceRowBitmap(std::shared_ptr<const PooledStream> stream, RowBitmapWords bitmap,
                                 std::size_t count, std::shared_ptr<DeviceMemory> memory)
    : memory_(std::move(memory)), stream_(std::move(stream)), words_(std::move(bitmap.words)) {
  check(cudaGetDevice(&device_), "querying the current GPU");
  bits_ = {words_.data(), bitmap.rows};
  count_ = count;
}

DeviceRowBitmap::~DeviceRowBitmap() {
  const OnDevice current(device_, std::nothrow);
  uses_.wait_on(stream_->get());
  words_ = DeviceArray<std::uint32_t>();
}

Array<std::uint32_t> DeviceRowBitmap::words() const {
  const OnDevice current(device_);
  const PooledStream stream;
  Array<std::uint32_t> copy(words_.size());
  copy_to_host(copy.data(), words_.data(), words_.bytes(), stream.get());
  return copy;
}

void record_use(const RowBitmapPtr& bitmap, cudaStream_t stream) noexcept {
  if (bitmap != nullptr) checked_cast<const DeviceRowBitmap&>(*bitmap).record_use(stream);
}

RowBitmapPtr upload_bitmap(std::span<const std::uint32_t> words, std::size_t rows,
                           const std::shared_ptr<DeviceMemory>& memory) {
  std::size_t count = 0;
  for (const std::uint32_t word : words) count += static_cast<std::size_t>(std::popcount(word));
  PooledStream stream;
  RowBitmapWords bitmap(rows, {memory, stream.get()}, false);
  copy_to_device(bitmap.words.data(), words.data(), words.size_bytes(), stream.get());
  return std::make_shared<DeviceRowBitmap>(std::move(stream), std::move(bitmap), count, memory);
}

}  // namespace rtindex::cuda
