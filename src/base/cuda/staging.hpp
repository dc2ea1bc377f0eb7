#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Pinned memory for copies from and to pageable host memory: blocks of a pool that all calls share.
// The pool has a bounded number of large blocks; while other calls hold all of them, a call uses
// small ones and copies in more steps.
class Staging {
 public:
  static constexpr std::size_t block_bytes = std::size_t{8} << 20;
  static constexpr std::size_t small_bytes = std::size_t{256} << 10;
  static constexpr std::size_t pool_bytes = 30 * block_bytes;  // of all large blocks

  explicit Staging(std::size_t max_blocks = 12) : max_blocks_(max_blocks) {}
  ~Staging() { release(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Free memory for `bytes` bytes, or for the first of them. Empty: all of it is in use.
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  [[nodiscard]] bool in_use() const { return in_use_; }
  // Called when no copy uses the memory any more.
  void clear();
  // Returns the blocks to the pool, when no copy uses them any more.
  void release() noexcept;

 private:
  struct Block {
    PinnedBytes memory;
    std::size_t used = 0;
  };

  [[nodiscard]] std::span<std::byte> carve(Block& block, std::size_t bytes);

  std::size_t max_blocks_;
  std::vector<Block> blocks_;
  bool in_use_ = false;
};

}  // namespace rtindex::cuda
