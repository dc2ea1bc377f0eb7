#pragma once

#include "keys/cuda/device_keys.hpp"

namespace rtindex {
struct Changes;
}

namespace rtindex::cuda {

// Applies changes in host or device memory to a column in row order, for a refit. False if a
// changed row has no key yet. Blocks until that is checked.
[[nodiscard]] bool patch_column(DeviceColumn& column, const Changes& changes, const Queue& queue);
// Changes in device memory: row `rows[i]` gets key `keys[i]`.
[[nodiscard]] bool patch_column(DeviceColumn& column, const std::uint32_t* rows,
                                const std::uint64_t* keys, std::size_t count, const Queue& queue);

}  // namespace rtindex::cuda
