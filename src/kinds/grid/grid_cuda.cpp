#include "kinds/grid/grid_cuda.hpp"

#include "engine/cuda/device_engine.hpp"
#include "kinds/grid/grid_options.hpp"
#include "kinds/registry.hpp"

namespace rtindex::cuda {

Kind grid_kind() {
  return device_kind("rx", "native", "grid over sorted keys", GridOptions::declared(),
                     [](const Spec& spec) {
                       DeviceSearchers searchers;
                       searchers.capabilities.counters = true;
                       searchers.gather = gather_of(spec);
                       searchers.layout = Layout::pairs;
                       searchers.searches_sequences = true;
                       searchers.holds_points = true;
                       searchers.positions = [options = GridOptions::from(spec)](
                                                 DeviceOrder& order, const Queue& queue) {
                         return make_grid(order, options.keys_per_cell, queue);
                       };
                       return searchers;
                     });
}

}  // namespace rtindex::cuda
