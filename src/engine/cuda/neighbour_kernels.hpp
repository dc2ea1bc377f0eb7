#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/distance.hpp"

namespace rtindex::cuda {

// The encoding of all segments of a column in one: equal keys have one encoded key. None where 64
// bits do not hold it.
[[nodiscard]] std::optional<PackedMap> common_map(std::span<const PackedMap> segments);

// Neighbours on one side of lookups, in device memory.
struct NeighbourSide {
  DeviceArray<std::uint32_t> own_rows;
  DeviceArray<std::uint64_t> own_keys;
  std::uint32_t* rows = nullptr;  // miss_row: none; null: this side is not searched
  std::uint64_t* keys = nullptr;  // encoded; null: not requested
};

// Encodes keys of one segment by the map of all.
void to_common_map(std::uint64_t* keys, std::size_t count, const PackedMap& from,
                   const PackedMap& to, cudaStream_t stream);

// Replaces neighbours by those of another segment, in the same encoding, that are closer to the
// edge.
void join_neighbours(const NeighbourSide& best, const NeighbourSide& other, std::size_t count,
                     Edge edge, cudaStream_t stream);

// The neighbours as they are returned. Null outputs are not requested.
struct NeighbourOutputs {
  std::uint32_t* rows = nullptr;
  void* key_parts[PackedMap::max_fields] =
      {};  // elements of the column's parts, unspecified for a miss
  std::uint8_t* matched = nullptr;
};

struct NeighbourLimits {
  bool is_measured = false;  // by their distance; else there is one side
  KeyDistance farthest;
  DeviceElements lookups;  // the last part of the keys whose neighbours are searched
};

// Chooses the closer one of two sides, drops neighbours that are too far away and writes the rest.
void finish_neighbours(const NeighbourSide& before, const NeighbourSide& behind, std::size_t count,
                       const PackedMap& map, const NeighbourLimits& limits,
                       const NeighbourOutputs& outputs, cudaStream_t stream);

}  // namespace rtindex::cuda
