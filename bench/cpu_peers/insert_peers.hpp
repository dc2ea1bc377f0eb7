#pragma once

// Ordered maps that insert keys one at a time. C++17, as ALEX is.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rtindex::bench {

class InsertPeer {
 public:
  InsertPeer() = default;
  virtual ~InsertPeer() = default;
  InsertPeer(const InsertPeer&) = delete;
  InsertPeer& operator=(const InsertPeer&) = delete;

  // Starts from keys in ascending order.
  virtual void load(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t count) = 0;
  virtual void insert(const std::uint64_t* keys, const std::uint32_t* rows, std::size_t count) = 0;
  // The row of a key; ~0 if there is none.
  [[nodiscard]] virtual std::uint32_t find(std::uint64_t key) = 0;
};

inline constexpr std::uint32_t no_such_row = 0xffffffffU;

[[nodiscard]] std::unique_ptr<InsertPeer> btree_map_peer();
// Only in builds with RTINDEX_ALEX_DIR.
[[nodiscard]] std::unique_ptr<InsertPeer> alex_peer();

}  // namespace rtindex::bench
