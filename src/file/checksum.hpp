#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rtindex {

// The XXH64 hash of bytes, with seed 0.
[[nodiscard]] std::uint64_t xxh64(std::span<const std::byte> bytes);

// The checksum of a large array, found by many threads: XXH64 over the XXH64 hashes (little-endian)
// of its blocks of 1 MiB.
[[nodiscard]] std::uint64_t block_checksum(std::span<const std::byte> bytes);

}  // namespace rtindex
