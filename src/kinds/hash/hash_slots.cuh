#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/cuda/device_array.hpp"
#include "keys/cuda/key_blocks.hpp"
#include "order/mix.hpp"

// The memory of hash@cuda. Included by its files only.

namespace rtindex::cuda {

namespace {

// A probe reads a bucket at once: 64 bytes of hashes with their values.
template <class Hash>
inline constexpr std::uint32_t bucket_slots = sizeof(Hash) == 4 ? 8 : KeyBlocks::keys;

[[nodiscard]] RTINDEX_HD inline std::uint32_t top_half(std::uint32_t hash) { return hash; }
[[nodiscard]] RTINDEX_HD inline std::uint32_t top_half(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32);
}

// The bucket of a hash, in the order of hashes.
template <class Hash>
[[nodiscard]] __device__ std::uint32_t bucket_of(Hash hash, std::uint32_t buckets) {
  return __umulhi(top_half(hash), buckets);
}

// Hashes with their values, which are sorted to build a table.
template <class Hash>
struct Entries {
  std::uint64_t* pairs = nullptr;  // hash << 32 | value, hashes of 4 bytes
  Hash* hashes = nullptr;          // hashes of 8 bytes, and beside them
  std::uint32_t* values = nullptr;

  __device__ void set(std::size_t at, Hash hash, std::uint32_t value) const {
    if constexpr (sizeof(Hash) == 4) {
      pairs[at] = std::uint64_t{hash} << 32 | value;
    } else {
      hashes[at] = hash;
      values[at] = value;
    }
  }
  [[nodiscard]] __device__ Hash hash(std::size_t at) const {
    if constexpr (sizeof(Hash) == 4)
      return static_cast<Hash>(pairs[at] >> 32);
    else
      return hashes[at];
  }
  [[nodiscard]] __device__ std::uint32_t value(std::size_t at) const {
    if constexpr (sizeof(Hash) == 4)
      return static_cast<std::uint32_t>(pairs[at]);
    else
      return values[at];
  }
  // Whether a sorted entry is the first of equal hashes, and whether its hash has duplicates.
  [[nodiscard]] __device__ bool starts(std::size_t at) const {
    return at == 0 || hash(at) != hash(at - 1);
  }
  [[nodiscard]] __device__ bool repeats(std::size_t at, std::size_t size) const {
    return !starts(at) || (at + 1 < size && hash(at) == hash(at + 1));
  }
};

// The slots of a table: hash << 32 | value, or blocks like KeyBlocks.
template <class Hash>
struct Slots {
  std::uint64_t* words = nullptr;

  [[nodiscard]] static std::size_t words_for(std::uint64_t slots) {
    return sizeof(Hash) == 4 ? slots : KeyBlocks::words_for(slots);
  }

  __device__ void set(std::uint64_t at, Hash hash, std::uint32_t value) const {
    if constexpr (sizeof(Hash) == 4) {
      words[at] = std::uint64_t{hash} << 32 | value;
    } else {
      words[hash_word(at)] = hash;
      // The last of a block writes what follows it as well: memory takes whole sectors faster.
      if (at % KeyBlocks::keys + 1 == KeyBlocks::keys)
        words[at / KeyBlocks::keys * KeyBlocks::words + KeyBlocks::words - 1] = value;
      else
        set_value(at, value);
    }
  }
  __device__ void set_value(std::uint64_t at, std::uint32_t value) const {
    reinterpret_cast<std::uint32_t*>(words)[value_half(at)] = value;
  }
  [[nodiscard]] __device__ Hash hash(std::uint64_t at) const {
    if constexpr (sizeof(Hash) == 4)
      return static_cast<Hash>(words[at] >> 32);
    else
      return words[hash_word(at)];
  }
  [[nodiscard]] __device__ std::uint32_t value(std::uint64_t at) const {
    return reinterpret_cast<const std::uint32_t*>(words)[value_half(at)];
  }

 private:
  [[nodiscard]] __device__ static std::uint64_t hash_word(std::uint64_t at) {
    return at / KeyBlocks::keys * KeyBlocks::words + at % KeyBlocks::keys;
  }
  // Where its value is, in units of 4 bytes.
  [[nodiscard]] __device__ static std::uint64_t value_half(std::uint64_t at) {
    if constexpr (sizeof(Hash) == 4)
      return 2 * at;
    else
      return 2 * (at / KeyBlocks::keys * KeyBlocks::words + KeyBlocks::keys) + at % KeyBlocks::keys;
  }
};

static_assert(2 * KeyBlocks::words == 3 * KeyBlocks::keys + 1,
              "the last value of a block is in the lower half of its last word");

}  // namespace

}  // namespace rtindex::cuda
