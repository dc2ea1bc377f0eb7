#include "kinds/sorted/sorted_cuda.hpp"

#include "engine/cuda/device_engine.hpp"
#include "kinds/registry.hpp"

namespace rtindex::cuda {

Kind sorted_kind() {
  return device_kind("sorted", "", "sorted array, binary search", {gather_option},
                     [](const Spec& spec) {
                       DeviceSearchers searchers;
                       searchers.gather = gather_of(spec);
                       searchers.searches_sequences = true;
                       searchers.positions = [](DeviceOrder& order, const Queue&) {
                         return make_binary_search(order);
                       };
                       return searchers;
                     });
}

}  // namespace rtindex::cuda
