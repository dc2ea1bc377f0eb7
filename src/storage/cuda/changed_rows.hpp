#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "keys/cuda/device_keys.hpp"

namespace rtindex::cuda {

// A row that an update must not name.
struct WrongRow {
  std::uint32_t row;
  bool is_there;  // then it is named twice
};

// Looks for rows of device memory that a column of `row_count` rows does not have, and for such as
// are named twice. Blocks until it is known.
[[nodiscard]] std::optional<WrongRow> find_wrong_row(const std::uint32_t* rows, std::size_t count,
                                                     std::size_t row_count,
                                                     const std::shared_ptr<DeviceMemory>& memory,
                                                     cudaStream_t stream);

// Row `rows[i]` of a column gets key `keys[i]`, both in device memory. False where a row holds no
// key yet; blocks until that is known.
[[nodiscard]] bool patch_column(DeviceColumn& column, const std::uint32_t* rows,
                                const std::uint64_t* keys, std::size_t count,
                                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

}  // namespace rtindex::cuda
