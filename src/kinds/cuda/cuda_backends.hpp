#pragma once

#include <vector>

#include "engine/backend.hpp"

namespace rtindex::cuda {

// rx:native, sorted, btree and hash on GPUs.
[[nodiscard]] std::vector<const Backend*> device_backends();

}  // namespace rtindex::cuda
