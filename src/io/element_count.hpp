#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rtindex {

// A header's word that `count` elements of `width` bytes follow, held against the `bytes` that do.
// Too few or too many are an Error that names the file.
void require_element_count(std::uint64_t count, std::size_t width, std::size_t bytes,
                           const std::string& path);

}  // namespace rtindex
