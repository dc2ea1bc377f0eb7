#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/device.hpp>

namespace rtindex {

// Rows and their new encoded keys: row rows[i] gets keys[i]. Both lie in one memory space.
struct Changes {
  const std::uint32_t* rows = nullptr;
  const std::uint64_t* keys = nullptr;
  std::size_t size = 0;
  MemorySpace memory_space = MemorySpace::host;
};

}  // namespace rtindex
