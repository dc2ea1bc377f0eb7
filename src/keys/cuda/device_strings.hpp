#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/cuda/device_tails.hpp"

namespace rtindex::cuda {

// Strings are part `part` of some tuples; a column of strings has one part.

// The strings of these rows, without those that are null. Blocks until they are copied.
[[nodiscard]] std::vector<std::string> fetch_strings(const DeviceTuples& tuples, std::size_t part,
                                                     const std::vector<std::uint64_t>& rows,
                                                     const Queue& queue);

// The codes of strings; unspecified for null tuples.
struct DeviceCodes {
  static constexpr std::size_t max_listed = 1024;

  DeviceArray<std::uint64_t> codes;
  std::uint64_t smallest, largest;  // smallest > largest: there are none
  std::size_t valid;
  std::size_t kept;                      // strings whose codes are not exact
  std::vector<std::uint64_t> some_kept;  // some of their rows
  std::size_t common;                    // bytes of the dictionary's label that all of them have
};

// Blocks until it is computed.
[[nodiscard]] DeviceCodes encode_strings(const DeviceTuples& tuples, std::size_t part,
                                         const StringEncoder& encoder, const Queue& queue);

// The strings whose codes are not exact, from byte `prefix` on.
[[nodiscard]] DeviceTails tails_of(const DeviceTuples& tuples, std::size_t part,
                                   const StringEncoder& encoder, const std::uint64_t* codes,
                                   std::size_t prefix, const Queue& queue);

// The codes of the parts that are strings or have 128 bits; null for others.
struct PartCodes {
  const std::uint64_t* codes[PackedMap::max_fields] = {};
};

// Tuples whose parts have the types of a column's as packed keys, before the base is subtracted;
// unspecified for null tuples.
[[nodiscard]] DeviceArray<std::uint64_t> pack_tuples(const DeviceTuples& tuples,
                                                     const PackedMap& map, const PartCodes& codes,
                                                     const Queue& queue);
// The encoded keys of one part.
[[nodiscard]] DevicePackedKeys part_keys(const DeviceTuples& tuples, const PackedMap& map,
                                         std::size_t part, const PartCodes& codes,
                                         const Queue& queue);

// One bitmap of the tuples that are valid.
[[nodiscard]] DeviceArray<std::uint8_t> tuple_validity(const DeviceTuples& tuples,
                                                       const Queue& queue);

}  // namespace rtindex::cuda
