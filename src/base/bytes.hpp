#pragma once

#include <cstddef>
#include <string>

namespace rtindex {

// "12.3 MiB": a size as a person reads it.
[[nodiscard]] std::string human_bytes(std::size_t bytes);

}  // namespace rtindex
