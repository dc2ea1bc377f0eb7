#pragma once

#include <string_view>

namespace rtindex::optix {

// The PTX of programs/programs.cu, point_programs.cu and bucket_programs.cu, which the build
// embeds.
[[nodiscard]] std::string_view device_programs();
[[nodiscard]] std::string_view point_programs();
[[nodiscard]] std::string_view bucket_programs();

}  // namespace rtindex::optix
