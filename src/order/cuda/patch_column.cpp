#include "order/cuda/patch_column.hpp"

#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"

namespace rtindex::cuda {

bool patch_column(DeviceColumn& column, const Changes& changes,
                  const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream) {
  if (changes.memory_space == MemorySpace::device)
    return patch_column(column, changes.rows, changes.keys, changes.size, memory, stream);
  const auto rows = uploaded(changes.rows, changes.size, memory, stream);
  const auto keys = uploaded(changes.keys, changes.size, memory, stream);
  return patch_column(column, rows.data(), keys.data(), changes.size, memory, stream);
}

}  // namespace rtindex::cuda
