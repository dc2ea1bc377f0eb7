#pragma once

#include <string_view>

namespace rtindex::optix {

// The PTX of programs/programs.cu, which the build embeds.
[[nodiscard]] std::string_view device_programs();

}  // namespace rtindex::optix
