#include "answers/cuda/deleted_positions.hpp"

#include <cub/device/device_scan.cuh>

#include "base/cuda/cache_hints.cuh"
#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

namespace {

constexpr const char* marking = "marking erased rows";

// A warp writes the bits of 32 positions, which are a word.
__global__ void mark_positions(RowsView rows, std::size_t size, RowBits deleted, std::size_t words,
                               DeletedBlock* blocks) {
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t word = thread_number() / 32; word < words; word += thread_count() / 32) {
    const std::size_t position = word * 32 + lane;
    bool is_deleted = false;
    if (position < size) {
      const std::uint32_t row = rows[position];
      is_deleted = row < deleted.rows && (load_to_stay(deleted.words + row / RowBits::word_bits) >>
                                              (row % RowBits::word_bits) &
                                          1) != 0;
    }
    const unsigned bits = __ballot_sync(~0U, is_deleted);
    if (lane == 0) blocks[word / DeletedBlock::words].bits[word % DeletedBlock::words] = bits;
  }
}

__global__ void count_deleted(const DeletedBlock* blocks, std::size_t count,
                              std::uint32_t* counts) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  std::uint32_t sum = 0;
  for (const std::uint32_t bits : blocks[i].bits) sum += static_cast<std::uint32_t>(__popc(bits));
  counts[i] = sum;
}

__global__ void set_before(const std::uint32_t* before, std::size_t count, DeletedBlock* blocks) {
  const std::size_t i = thread_number();
  if (i < count) blocks[i].before = before[i];
}

}  // namespace

DeletedPositionList::DeletedPositionList(RowsView rows, std::size_t size, const RowBits& deleted,
                                         const Queue& queue) {
  // One more where the last is full: `size` is also a valid argument of a rank.
  const std::size_t count = size / DeletedBlock::positions + 1;
  blocks_ = DeviceArray<DeletedBlock>(queue, count);
  const std::size_t words = count * DeletedBlock::words;
  mark_positions<<<loop_blocks(words * 32), block_threads, 0, queue>>>(rows, size, deleted, words,
                                                                       blocks_.data());
  // The sum of all is behind the last block.
  const DeviceArray<std::uint32_t> before(queue, count + 1);
  check(cudaMemsetAsync(before.data() + count, 0, sizeof(std::uint32_t), queue), "filling memory");
  count_deleted<<<blocks_for(count), block_threads, 0, queue>>>(blocks_.data(), count,
                                                                before.data());
  with_scratch(queue, marking, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, before.data(), before.data(), count + 1,
                                         queue);
  });
  set_before<<<blocks_for(count), block_threads, 0, queue>>>(before.data(), count, blocks_.data());
  check_launch(marking);
  copy_to_host(&count_, before.data() + count, sizeof(count_), queue);
}

}  // namespace rtindex::cuda
