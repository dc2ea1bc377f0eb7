#pragma once

#include <cstdint>

#include "base/wide.hpp"

namespace rtindex {

// Bijective mixing: equal hashes mean equal keys, and a table of hashes can give its keys back.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t key) {
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
  key = (key ^ (key >> 32)) * 0xd6e8feb86659fd93U;
  return key ^ (key >> 32);
}

[[nodiscard]] inline std::uint32_t mix(std::uint32_t key) {
  key = (key ^ (key >> 16)) * 0x21f0aaadU;
  key = (key ^ (key >> 15)) * 0x735a2d97U;
  return key ^ (key >> 15);
}

[[nodiscard]] inline std::uint64_t unmix(std::uint64_t hash) {
  hash = (hash ^ (hash >> 32)) * 0xcfee444d8b59a89bU;
  hash = (hash ^ (hash >> 32)) * 0xcfee444d8b59a89bU;
  return hash ^ (hash >> 32);
}

[[nodiscard]] inline std::uint32_t unmix(std::uint32_t hash) {
  hash = (hash ^ (hash >> 15) ^ (hash >> 30)) * 0x97132227U;
  hash = (hash ^ (hash >> 15) ^ (hash >> 30)) * 0x333c4925U;
  return hash ^ (hash >> 16);
}

// The slot where the probe for a hash starts: slots in the order of hashes, each with an equal
// share of them. Below `capacity` for every hash, also where there are more slots than 2^32.
template <class Hash>
[[nodiscard]] std::uint64_t home_slot(Hash hash, std::uint64_t capacity) {
  constexpr int unused = 64 - 8 * static_cast<int>(sizeof(Hash));
  return multiply_high(static_cast<std::uint64_t>(hash) << unused, capacity);
}

}  // namespace rtindex
