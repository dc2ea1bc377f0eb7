#pragma once

#include <cstddef>
#include <cstdint>

#include "scene/primitives.hpp"

namespace rtindex::bench {

// One triangle per key, in row order, in 3d mode; on the default stream.
void place_triangles(const std::uint32_t* keys, std::size_t count, Triangle* triangles);

}  // namespace rtindex::bench
