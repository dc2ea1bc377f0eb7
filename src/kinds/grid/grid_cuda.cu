#include "kinds/grid/grid_cuda.hpp"

#include "kinds/grid/device_grid.cuh"

namespace rtindex::cuda {

std::unique_ptr<PositionSearcher> make_grid(DeviceOrder& order, int keys_per_cell,
                                            const Queue& queue) {
  if (!order.has_rows()) return make_sorted_grid(order, keys_per_cell, queue);
  return std::make_unique<DeviceGrid<Layout::pairs>>(order, keys_per_cell, queue);
}

}  // namespace rtindex::cuda
