#pragma once

#include <cstdint>

#include "execution/cuda/locate.cuh"

// The search of hash@cuda. Included by one file only.

namespace rtindex::cuda {

namespace {

// A probe reads a bucket at once: 64 bytes of keys, or of keys with their values.
constexpr std::uint32_t bucket_slots = 8;

[[nodiscard]] __device__ inline std::uint32_t mix(std::uint32_t key) {
  key ^= key >> 16;
  key *= 0x7feb352dU;
  key ^= key >> 15;
  key *= 0x846ca68bU;
  return key ^ key >> 16;
}

[[nodiscard]] __device__ inline std::uint32_t mix(std::uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ key >> 27) * 0x94d049bb133111ebULL;
  return static_cast<std::uint32_t>(key >> 32);
}

// Keys and their values: the row if keys are unique, else the number of the run.
template <class Key>
struct Slots {
  std::uint64_t* pairs = nullptr;  // key << 32 | value, keys of 4 bytes
  Key* keys = nullptr;             // keys of 8 bytes, and beside them
  std::uint32_t* values = nullptr;

  __device__ void set(std::uint64_t at, Key key, std::uint32_t value) const {
    if constexpr (sizeof(Key) == 4) {
      pairs[at] = std::uint64_t{key} << 32 | value;
    } else {
      keys[at] = key;
      values[at] = value;
    }
  }
  [[nodiscard]] __device__ Key key(std::uint64_t at) const {
    if constexpr (sizeof(Key) == 4)
      return static_cast<Key>(__ldg(pairs + at) >> 32);
    else
      return __ldg(keys + at);
  }
  [[nodiscard]] __device__ std::uint32_t value(std::uint64_t at) const {
    if constexpr (sizeof(Key) == 4)
      return static_cast<std::uint32_t>(__ldg(pairs + at));
    else
      return __ldg(values + at);
  }
};

// Slots are in the order of their buckets: keys that do not fit a bucket move to the next one,
// whose keys move on in turn. An empty slot repeats the next key, so that a probe stops at the
// first key of a later bucket.
template <class KeyType, int group_lanes>
struct TableFinder {
  using Key = KeyType;
  static constexpr int lanes = group_lanes;
  static constexpr std::uint32_t window = lanes > 8 ? lanes : bucket_slots;
  static constexpr std::uint32_t each = window / lanes;

  Slots<Key> slots;
  const std::uint32_t* starts;  // of runs; null where keys are unique
  std::uint32_t buckets;
  std::uint64_t slot_count;

  [[nodiscard]] __device__ std::uint32_t bucket(Key key) const {
    return __umulhi(mix(key), buckets);
  }

  // The value of a key, or miss_row. Every lane looks at some neighbouring slots.
  [[nodiscard]] __device__ std::uint32_t value(Key wanted) const {
    const std::uint32_t home = bucket(wanted);
    const std::uint32_t lane = lanes == 1 ? 0 : threadIdx.x % lanes;
    for (std::uint64_t at = std::uint64_t{home} * bucket_slots; at < slot_count; at += window) {
      std::uint32_t found = miss_row;
      const std::uint64_t first = at + lane * each;
      Key last = 0;
      if constexpr (sizeof(Key) == 4 && each % 2 == 0) {
#pragma unroll
        for (std::uint32_t i = 0; i < each; i += 2) {
          const uint4 two = __ldg(reinterpret_cast<const uint4*>(slots.pairs + first + i));
          if (two.y == wanted) found = two.x;
          if (two.w == wanted) found = two.z;
          last = two.w;
        }
      } else if constexpr (sizeof(Key) == 4) {
        const uint2 one = __ldg(reinterpret_cast<const uint2*>(slots.pairs + first));
        if (one.y == wanted) found = one.x;
        last = one.y;
      } else {
        std::uint32_t hit = each;
#pragma unroll
        for (std::uint32_t i = 0; i < each; ++i) {
          last = __ldg(slots.keys + first + i);
          if (last == wanted) hit = i;
        }
        if (hit != each) found = __ldg(slots.values + first + hit);
      }
      if constexpr (lanes == 1) {
        if (found != miss_row || bucket(last) > home) return found;
      } else {
        const unsigned mask = group_mask<lanes>();
        const unsigned hits = __ballot_sync(mask, found != miss_row);
        if (hits != 0) return __shfl_sync(mask, found, __ffs(static_cast<int>(hits)) - 1);
        if (__ballot_sync(mask, bucket(last) > home) != 0) return miss_row;
      }
    }
    return miss_row;
  }

  [[nodiscard]] __device__ std::uint32_t row(Key key) const { return value(key); }
  [[nodiscard]] __device__ Run equal(Key key) const {
    const std::uint32_t run = value(key);
    if (run == miss_row) return {0, 0};
    return {__ldg(starts + run), __ldg(starts + run + 1)};
  }
};

}  // namespace

}  // namespace rtindex::cuda
