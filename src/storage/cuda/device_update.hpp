#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include <rtindex/column.hpp>

#include "keys/cuda/device_keys.hpp"

namespace rtindex {
class KeyCodec;
class Structure;
struct Changes;
}  // namespace rtindex

namespace rtindex::cuda {

// Updates a structure of the current GPU by rows and native keys in device memory, which work
// queued on `user_stream` may still write. Wrong rows, and keys out of the range of the column's
// type, are an Error. False if the codec or the structure cannot take the keys (nulls, keys below
// the base or too wide); nothing has changed then.
[[nodiscard]] bool update_on_device(Structure& structure, KeyCodec& codec, const ColumnView& rows,
                                    const ColumnView& new_keys, std::size_t row_count,
                                    Stream user_stream);

// Applies changes in host or device memory to a column. False if a changed row has no key yet.
// Blocks until that is known.
[[nodiscard]] bool patch_column(DeviceColumn& column, const Changes& changes,
                                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);
// The same for changes in device memory: row `rows[i]` gets key `keys[i]`.
[[nodiscard]] bool patch_column(DeviceColumn& column, const std::uint32_t* rows,
                                const std::uint64_t* keys, std::size_t count,
                                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

// A row that an update must not name.
struct WrongRow {
  std::uint32_t row;
  bool is_duplicate;  // else it is not a row of the column
};

// Looks in device memory for rows beyond `row_count` and for duplicates. Blocks until it is done.
[[nodiscard]] std::optional<WrongRow> find_wrong_row(const std::uint32_t* rows, std::size_t count,
                                                     std::size_t row_count,
                                                     const std::shared_ptr<DeviceMemory>& memory,
                                                     cudaStream_t stream);

}  // namespace rtindex::cuda
