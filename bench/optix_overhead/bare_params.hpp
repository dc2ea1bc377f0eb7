#pragma once

#include <cstddef>
#include <cstdint>

#include "kinds/optix/abi.hpp"
#include "kinds/scene/primitives.hpp"

namespace rtindex::bench {

// The launch parameters of the bare program.
struct BareParams {
  optix::Traversable scene;
  const std::uint32_t* keys;  // lookups
  const std::uint32_t* values;
  std::uint64_t* sums;
};

// Writes one triangle per key, in row order, in 3d mode; on the default stream.
void make_triangles(const std::uint32_t* keys, std::size_t count, Triangle* triangles);

}  // namespace rtindex::bench
