#pragma once

#include "indexes/auto_choice.hpp"

namespace rtindex::cuda {

// Which tracer an open spec takes on this GPU; chosen once per process.
[[nodiscard]] TracerChoice tracer_choice(int device);

}  // namespace rtindex::cuda
