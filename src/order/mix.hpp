#pragma once

#include <cstdint>

#include "base/macros.hpp"

namespace rtindex {

// Bijective mixing: equal hashes mean equal keys, and a hash can be turned back into its key.
[[nodiscard]] RTINDEX_HD inline std::uint64_t mix(std::uint64_t key) {
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
  return key ^ (key >> 32);
}

[[nodiscard]] RTINDEX_HD inline std::uint32_t mix(std::uint32_t key) {
  key = (key ^ (key >> 16)) * 0x21f0aaadU;
  key = (key ^ (key >> 15)) * 0x735a2d97U;
  return key ^ (key >> 15);
}

[[nodiscard]] RTINDEX_HD inline std::uint64_t unmix(std::uint64_t hash) {
  hash = (hash ^ (hash >> 32)) * 0xcfee444d8b59a89bU;
  hash = (hash ^ (hash >> 32)) * 0xcfee444d8b59a89bU;
  return hash ^ (hash >> 32);
}

[[nodiscard]] RTINDEX_HD inline std::uint32_t unmix(std::uint32_t hash) {
  hash = (hash ^ (hash >> 15) ^ (hash >> 30)) * 0x97132227U;
  hash = (hash ^ (hash >> 15) ^ (hash >> 30)) * 0x333c4925U;
  return hash ^ (hash >> 16);
}

}  // namespace rtindex
