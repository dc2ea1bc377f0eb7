#pragma once

#include <cstddef>
#include <string_view>

namespace rtindex {

// Terminal columns that UTF-8 text takes: combining marks none, East Asian wide characters two.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace rtindex
