#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Pinned memory that copies from and to ordinary host memory go through: blocks of a pool that all
// calls share. The pool has a bounded number of large blocks; while others hold them all, a call
// gets small ones and copies in more steps.
class Staging {
 public:
  static constexpr std::size_t block_bytes = std::size_t{8} << 20;
  static constexpr std::size_t small_bytes = std::size_t{256} << 10;
  static constexpr std::size_t pool_bytes = 30 * block_bytes;  // of all large blocks

  // `most`: blocks that it may hold.
  explicit Staging(std::size_t most = 12) : most_(most) {}
  ~Staging() { give_back(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Free memory for `bytes` bytes, or for the first of them. Empty: all of it is in use.
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes);
  [[nodiscard]] bool in_use() const { return in_use_; }
  // No copy uses the memory any more.
  void clear();
  // The same, and others may take the blocks.
  void give_back() noexcept;

 private:
  struct Block {
    PinnedBytes memory;
    std::size_t used = 0;
  };

  [[nodiscard]] std::span<std::byte> carve(Block& block, std::size_t bytes);

  std::size_t most_;
  std::vector<Block> blocks_;
  bool in_use_ = false;
};

}  // namespace rtindex::cuda
