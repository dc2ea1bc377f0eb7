#include "kinds/hash/hash_cuda.hpp"

#include "engine/cuda/device_engine.hpp"
#include "kinds/hash/hash_options.hpp"
#include "kinds/registry.hpp"

namespace rtindex::cuda {

Kind hash_kind() {
  return device_kind("hash", "", "hash table, points only", HashOptions::declared(),
                     [](const Spec& spec) {
                       DeviceSearchers searchers;
                       searchers.capabilities = {.ranges = false, .key_order = false};
                       searchers.key_use = KeyUse::points;
                       searchers.keeps_order = false;
                       searchers.layout = Layout::extracted;
                       searchers.positions = [options = HashOptions::from(spec)](
                                                 DeviceOrder& order, const Queue& queue) {
                         return make_table(order, options.group, options.load, queue);
                       };
                       return searchers;
                     });
}

}  // namespace rtindex::cuda
