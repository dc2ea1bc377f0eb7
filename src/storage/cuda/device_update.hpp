#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include <rtindex/column.hpp>

#include "keys/codec.hpp"
#include "storage/structure.hpp"

namespace rtindex::cuda {

struct DeviceColumn;

// The column with the changed rows; changes of the host travel to the GPU first. False where a row
// holds no key yet. Blocks until that is known.
[[nodiscard]] bool patch_column(DeviceColumn& column, const Changes& changes,
                                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

// Updates a structure of the current GPU by rows and native keys in device memory, which may still
// be on their way on `user_stream`. Wrong rows, and keys that the column's type cannot hold, are an
// Error. False where the codec or the structure cannot take the keys as they are (null ones, or
// such as need a smaller base or wider keys); nothing has changed then.
[[nodiscard]] bool update_on_device(Structure& structure, KeyCodec& codec, const ColumnView& rows,
                                    const ColumnView& new_keys, std::size_t row_count,
                                    Stream user_stream);

}  // namespace rtindex::cuda
