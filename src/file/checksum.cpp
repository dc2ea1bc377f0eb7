#include "file/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "base/parallel.hpp"

namespace rtindex {

namespace {

static_assert(std::endian::native == std::endian::little, "hashes are defined on little-endian");

constexpr std::size_t block_bytes = std::size_t{1} << 20;

// Five odd numbers that the definition of XXH64 names.
constexpr std::uint64_t p1 = 0x9e3779b185ebca87U;
constexpr std::uint64_t p2 = 0xc2b2ae3d27d4eb4fU;
constexpr std::uint64_t p3 = 0x165667b19e3779f9U;
constexpr std::uint64_t p4 = 0x85ebca77c2b2ae63U;
constexpr std::uint64_t p5 = 0x27d4eb2f165667c5U;

template <class T>
std::uint64_t next_word(std::span<const std::byte>& bytes) {
  T word;
  std::memcpy(&word, bytes.data(), sizeof(T));
  bytes = bytes.subspan(sizeof(T));
  return word;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * p2, 31) * p1;
}

}  // namespace

std::uint64_t xxh64(std::span<const std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  std::uint64_t hash = p5;
  if (bytes.size() >= 32) {
    std::array<std::uint64_t, 4> lanes = {p1 + p2, p2, 0, 0 - p1};
    while (bytes.size() >= 32)
      for (std::uint64_t& lane : lanes) lane = round(lane, next_word<std::uint64_t>(bytes));
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
           std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = (hash ^ round(0, lane)) * p1 + p4;
  }
  hash += size;
  while (bytes.size() >= 8)
    hash = std::rotl(hash ^ round(0, next_word<std::uint64_t>(bytes)), 27) * p1 + p4;
  if (bytes.size() >= 4)
    hash = std::rotl(hash ^ next_word<std::uint32_t>(bytes) * p1, 23) * p2 + p3;
  while (!bytes.empty()) hash = std::rotl(hash ^ next_word<std::uint8_t>(bytes) * p5, 11) * p1;
  hash = (hash ^ hash >> 33) * p2;
  hash = (hash ^ hash >> 29) * p3;
  return hash ^ hash >> 32;
}

std::uint64_t block_checksum(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> hashes((bytes.size() + block_bytes - 1) / block_bytes);
  parallel_for(bytes.size(), block_bytes, [&](std::size_t first, std::size_t count) {
    hashes[first / block_bytes] = xxh64(bytes.subspan(first, count));
  });
  return xxh64(std::as_bytes(std::span(hashes)));
}

}  // namespace rtindex
