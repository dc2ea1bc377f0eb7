#pragma once

#include <vector>

#include "engine/kind.hpp"

namespace rtindex {

// Every kind, in the order in which `auto` prefers them: a GPU where there is one, and on each
// device the native tracer first. Options of every index are among those of each kind.
[[nodiscard]] const std::vector<Kind>& kinds();

// On the CPU.
[[nodiscard]] Kind grid_kind();
[[nodiscard]] Kind embree_kind();
[[nodiscard]] Kind sorted_kind();
[[nodiscard]] Kind btree_kind();
[[nodiscard]] Kind hash_kind();

// On GPUs.
namespace cuda {
[[nodiscard]] Kind grid_kind();
[[nodiscard]] Kind sorted_kind();
[[nodiscard]] Kind btree_kind();
[[nodiscard]] Kind hash_kind();
}  // namespace cuda
namespace optix {
[[nodiscard]] Kind optix_kind();
}  // namespace optix

}  // namespace rtindex
