#pragma once

#include <cstdint>

#include "tracers/optix/abi.hpp"

namespace rtindex::bench {

// All that the bare program needs to know.
struct BareParams {
  optix::Traversable scene;
  const std::uint32_t* keys;  // lookups
  const std::uint32_t* values;
  std::uint64_t* sums;
};

}  // namespace rtindex::bench
