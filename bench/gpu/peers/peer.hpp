#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/device_workload.hpp"

namespace rtindex::bench {

// A published GPU index to compare with. Its sources are not in this repository; their folder is a
// CMake option. All data is in device memory, all work is on the default stream.
class GpuPeer {
 public:
  virtual ~GpuPeer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  // Whether it supports keys of this width.
  [[nodiscard]] virtual bool takes(const KeyRule& rule) const = 0;
  // Allocates the memory for a column; not timed.
  virtual void prepare(const KeyRule& rule) = 0;
  // Builds the index over the column, in row order; a second call rebuilds it.
  virtual void build(const void* keys) = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  // The value at the row of each key; all ones for a miss.
  virtual void sums(const void* lookups, std::size_t count, const std::uint32_t* values,
                    std::uint64_t* sums) = 0;
  [[nodiscard]] virtual bool answers_ranges() const { return false; }
  // Sums over the keys lower..upper, `hits` of them each.
  virtual void range_sums(const std::uint32_t* lower, const std::uint32_t* upper,
                          std::uint64_t hits, std::size_t count, const std::uint32_t* values,
                          std::uint64_t* sums) {
    static_cast<void>(lower), static_cast<void>(upper), static_cast<void>(hits);
    static_cast<void>(count), static_cast<void>(values), static_cast<void>(sums);
  }
};

// The peers of this build.
[[nodiscard]] std::vector<std::unique_ptr<GpuPeer>> gpu_peers();

// Defined in builds with their sources.
[[nodiscard]] std::unique_ptr<GpuPeer> warpcore_peer();
[[nodiscard]] std::unique_ptr<GpuPeer> mvgpubtree_peer();

}  // namespace rtindex::bench
