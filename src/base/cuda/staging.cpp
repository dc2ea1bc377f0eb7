#include "base/cuda/staging.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.hpp"

namespace rtindex::cuda {

namespace {

// Blocks are kept until the process ends: allocating pinned memory is slow, and freeing it waits
// for the whole GPU. All GPUs can copy from and to them.
class BlockPool {
 public:
  BlockPool() {
    large_.reserve(max_large);
    small_.reserve(max_small);
  }

  // A block for at most `bytes` bytes. Empty where no large block is free and the caller cannot use
  // a small one.
  [[nodiscard]] PinnedBytes acquire(std::size_t bytes, bool small_helps) {
    if (bytes > Staging::small_bytes) {
      PinnedBytes large = take_large();
      if (large.size() != 0 || !small_helps) return large;
    }
    {
      const std::lock_guard lock(mutex_);
      if (!small_.empty()) return pop(small_);
    }
    return PinnedBytes(Staging::small_bytes);
  }

  void release(PinnedBytes block) noexcept {
    const std::lock_guard lock(mutex_);
    if (block.size() > Staging::small_bytes)
      large_.push_back(std::move(block));
    else if (small_.size() < max_small)
      small_.push_back(std::move(block));
  }

 private:
  static constexpr std::size_t max_large = Staging::pool_bytes / Staging::block_bytes;
  static constexpr std::size_t max_small = 128;

  [[nodiscard]] static PinnedBytes pop(std::vector<PinnedBytes>& blocks) {
    PinnedBytes block = std::move(blocks.back());
    blocks.pop_back();
    return block;
  }

  // Empty where all are in use, or the system has too little memory that can be pinned.
  [[nodiscard]] PinnedBytes take_large() {
    {
      const std::lock_guard lock(mutex_);
      if (!large_.empty()) return pop(large_);
      if (large_count_ == max_large) return {};
      ++large_count_;
    }
    try {
      return PinnedBytes(Staging::block_bytes);
    } catch (const Error&) {
      const std::lock_guard lock(mutex_);
      --large_count_;
      return {};
    }
  }

  std::mutex mutex_;
  std::vector<PinnedBytes> large_, small_;  // not in use
  std::size_t large_count_ = 0;             // of all large blocks
};

// Never freed: the CUDA runtime may be unloaded before static objects are destroyed.
BlockPool& block_pool() {
  static auto* const pool = new BlockPool;
  return *pool;
}

}  // namespace

std::span<std::byte> Staging::room(std::size_t bytes) {
  for (Block& block : blocks_)
    if (block.memory.size() - block.used >= bytes) return carve(block, bytes);
  if (blocks_.size() < max_blocks_) {
    // One can be filled while the other is copied.
    const bool has_few = blocks_.size() < 2;
    blocks_.reserve(max_blocks_);  // emplace_back() below must not throw
    Block block{block_pool().acquire(bytes, has_few)};
    if (block.memory.size() != 0) return carve(blocks_.emplace_back(std::move(block)), bytes);
  }
  const auto largest_unused = [](const Block& a, const Block& b) {
    return (a.used == 0 ? a.memory.size() : 0) < (b.used == 0 ? b.memory.size() : 0);
  };
  const auto found = std::max_element(blocks_.begin(), blocks_.end(), largest_unused);
  return found->used == 0 ? carve(*found, bytes) : std::span<std::byte>();
}

std::span<std::byte> Staging::carve(Block& block, std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  in_use_ = true;
  const std::size_t size = std::min(bytes, block.memory.size() - block.used);
  const std::span<std::byte> room(block.memory.data() + block.used, size);
  block.used =
      std::min(block.memory.size(), (block.used + size + alignment - 1) / alignment * alignment);
  return room;
}

void Staging::clear() {
  for (Block& block : blocks_) block.used = 0;
  in_use_ = false;
}

void Staging::release() noexcept {
  for (Block& block : blocks_) block_pool().release(std::move(block.memory));
  blocks_.clear();
  in_use_ = false;
}

}  // namespace rtindex::cuda
