#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/device_array.hpp"
#include "keys/bits_128.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/cuda/device_tails.hpp"

namespace rtindex::cuda {

// Keys of 128 bits are part `part` of some tuples; a column of them has one part.

// Of valid tuples. Blocks until it is computed.
[[nodiscard]] Extent128 extent_of_128(const DeviceTuples& tuples, std::size_t part,
                                      const Queue& queue);

struct DeviceCodes128 {
  DeviceArray<std::uint64_t> codes;  // encoded keys
  DevicePackedKeys low;              // the bits that the map drops; empty where it drops none
};

// Codes and low bits of null tuples are 0.
[[nodiscard]] DeviceCodes128 encode_128(const DeviceTuples& tuples, std::size_t part,
                                        const Map128& map, const Queue& queue);

}  // namespace rtindex::cuda
