#include "rows/cuda/device_bitmap.hpp"

#include "base/cuda/launch.cuh"
#include "rows/cuda/tally.cuh"

namespace rtindex::cuda {

namespace {

__global__ void combine_bytes(BitmapView a, BitmapView b, BitmapOperation operation,
                              std::uint8_t* out, std::size_t bytes) {
  for (std::size_t i = thread_number(); i < bytes; i += thread_count()) {
    const unsigned own = byte_of(a, i);
    const unsigned other = byte_of(b, i);
    const unsigned result = operation == BitmapOperation::both     ? own & other
                            : operation == BitmapOperation::either ? own | other
                                                                   : own & ~other;
    out[i] = static_cast<std::uint8_t>(result);
  }
}

__global__ void count_bytes(BitmapView bitmap, std::size_t bytes, unsigned long long* total) {
  unsigned long long bits = 0;
  for (std::size_t i = thread_number(); i < bytes; i += thread_count())
    bits += static_cast<unsigned>(__popc(byte_of(bitmap, i)));
  add_count(bits, total);
}

}  // namespace

void combine_bitmaps(const BitmapView& a, const BitmapView& b, BitmapOperation operation,
                     std::uint8_t* out, Stream stream) {
  const std::size_t bytes = bitmap_bytes(a.rows);
  combine_bytes<<<loop_blocks(bytes), block_threads, 0, static_cast<cudaStream_t>(stream.handle)>>>(
      a, b, operation, out, bytes);
  check_launch("combining row bitmaps");
}

std::size_t count_bitmap(const BitmapView& bitmap, Stream stream) {
  const std::shared_ptr<DeviceMemory> memory = current_memory();
  const Queue queue(memory, static_cast<cudaStream_t>(stream.handle));
  const Tally<unsigned long long> total(queue);
  const std::size_t bytes = bitmap_bytes(bitmap.rows);
  count_bytes<<<loop_blocks(bytes), block_threads, 0, queue>>>(bitmap, bytes, total.get());
  check_launch("counting rows");
  return total.read("counting rows");
}

}  // namespace rtindex::cuda
