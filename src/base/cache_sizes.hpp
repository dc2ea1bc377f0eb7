#pragma once

#include <cstddef>

namespace rtindex {

// Bytes of the caches of the first CPU, as the system reports them.
struct CacheSizes {
  std::size_t core;        // the second level, which a core has for itself
  std::size_t last_level;  // the last one, which cores share
};

// Read once per process.
[[nodiscard]] const CacheSizes& cache_sizes();

}  // namespace rtindex
