#include "kinds/btree/btree_cuda.hpp"

#include "engine/cuda/device_engine.hpp"
#include "kinds/btree/btree_options.hpp"
#include "kinds/registry.hpp"

namespace rtindex::cuda {

Kind btree_kind() {
  return device_kind("btree", "", "B+-tree, bulk-loaded", TreeOptions::declared(),
                     [](const Spec& spec) {
                       DeviceSearchers searchers;
                       searchers.gather = gather_of(spec);
                       searchers.searches_sequences = true;
                       searchers.positions = [options = TreeOptions::from(spec)](
                                                 DeviceOrder& order, const Queue& queue) {
                         return make_tree(order, options.group, queue);
                       };
                       return searchers;
                     });
}

}  // namespace rtindex::cuda
