#pragma once

#include <cstddef>

namespace rtindex {

// Bytes of the second-level cache of the first CPU, as the system reports them. A core has it for
// itself.
[[nodiscard]] std::size_t core_cache_bytes();

}  // namespace rtindex
