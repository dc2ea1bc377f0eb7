#pragma once

#include <string_view>

namespace rtindex::optix {

// The PTX of programs/programs.cu and programs/point_programs.cu, which the build embeds.
[[nodiscard]] std::string_view device_programs();
[[nodiscard]] std::string_view point_programs();

}  // namespace rtindex::optix
