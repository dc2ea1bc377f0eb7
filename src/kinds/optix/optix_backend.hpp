#pragma once

#include "engine/backend.hpp"

namespace rtindex::optix {

// rx:optix: the paper's own system.
[[nodiscard]] const Backend& optix_backend();

}  // namespace rtindex::optix
