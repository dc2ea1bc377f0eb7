#include "order/cuda/patch_column.hpp"

#include "order/columns.hpp"
#include "order/cuda/device_columns.hpp"

namespace rtindex::cuda {

bool patch_column(DeviceColumn& column, const Changes& changes, const Queue& queue) {
  if (changes.memory_space == MemorySpace::device)
    return patch_column(column, changes.rows, changes.keys, changes.size, queue);
  const auto rows = uploaded(changes.rows, changes.size, queue);
  const auto keys = uploaded(changes.keys, changes.size, queue);
  return patch_column(column, rows.data(), keys.data(), changes.size, queue);
}

}  // namespace rtindex::cuda
