#pragma once

#include <cstdint>

#include "engine/cuda/locate.cuh"
#include "kinds/hash/hash_slots.cuh"

// The search of hash@cuda. Included by one file only.

namespace rtindex::cuda {

namespace {

// What the values of a table mean: those below `first_run` are rows, the others number runs of rows
// of one key from there on.
struct TableRuns {
  const std::uint32_t* starts = nullptr;  // of each run in `rows`, and the end of the last
  const std::uint32_t* rows = nullptr;
  std::uint32_t first_run = 0;

  [[nodiscard]] __device__ bool is_run(std::uint32_t value) const { return value >= first_run; }
  // Positions in RowsView.
  [[nodiscard]] __device__ Run run(std::uint32_t value) const {
    if (!is_run(value)) return {value, value + 1};
    const std::uint32_t number = value - first_run;
    return {first_run + __ldg(starts + number), first_run + __ldg(starts + number + 1)};
  }
  [[nodiscard]] __device__ std::uint32_t first_row(std::uint32_t value) const {
    return is_run(value) ? __ldg(rows + __ldg(starts + (value - first_run))) : value;
  }
};

// Slots are in the order of hashes: entries that do not fit their bucket move to the next one,
// whose entries move on in turn. An empty slot repeats the next entry, so that a probe stops at the
// first hash that is not less.
template <class KeyType, int group_lanes>
struct TableFinder {
  using Key = KeyType;
  static constexpr int lanes = group_lanes;
  // Neighbouring slots that a group reads at once: whole buckets.
  static constexpr std::uint32_t bucket = bucket_slots<Key>;
  static constexpr std::uint32_t window = lanes <= bucket ? bucket : lanes / bucket * bucket;
  static constexpr std::uint32_t each = (window + lanes - 1) / lanes;
  // Among keys that are chosen to collide a probe goes on by halving.
  static constexpr std::uint64_t max_slots = 32 * window;

  Slots<Key> slots;
  TableRuns runs;
  std::uint32_t buckets;
  std::uint64_t slot_count;

  struct Seen {
    std::uint32_t value = miss_row;  // of the wanted hash
    Key last = 0;                    // the greatest hash
  };

  // What one lane reads from slot `at` on; `at` starts a bucket.
  [[nodiscard]] __device__ Seen read(std::uint64_t at, std::uint32_t lane, Key wanted) const {
    Seen seen;
    if constexpr (sizeof(Key) == 4 && each % 2 == 0) {
#pragma unroll
      for (std::uint32_t i = 0; i < each; i += 2) {
        const uint4 two = __ldg(reinterpret_cast<const uint4*>(slots.words + at + lane * each + i));
        if (two.y == wanted) seen.value = two.x;
        if (two.w == wanted) seen.value = two.z;
        seen.last = two.w;
      }
    } else if constexpr (sizeof(Key) == 8 && lanes <= 2) {
      read_block(slots.words + at / KeyBlocks::keys * KeyBlocks::words, lane, wanted, seen);
    } else {
#pragma unroll
      for (std::uint32_t i = 0; i < each; ++i) {
        const std::uint32_t within = lane * each + i;
        if (within >= window) break;
        seen.last = slots.hash(at + within);
        if (seen.last == wanted) seen.value = slots.value(at + within);
      }
    }
    return seen;
  }

  // A block of five hashes, followed by their values. Of two lanes one reads four hashes and the
  // other the fifth and the values, 32 bytes each.
  static __device__ void read_block(const std::uint64_t* block, std::uint32_t lane, Key wanted,
                                    Seen& seen) {
    static_assert(bucket == 5 || sizeof(Key) == 4);
    const auto* const from = reinterpret_cast<const ulonglong2*>(block) + 2 * lane;
    const ulonglong2 a = __ldg(from);
    const ulonglong2 b = __ldg(from + 1);
    std::uint32_t which = bucket;  // none
    ulonglong2 c = a;
    ulonglong2 d = b;
    if (lane == 0) {
      if (a.x == wanted) which = 0;
      if (a.y == wanted) which = 1;
      if (b.x == wanted) which = 2;
      if (b.y == wanted) which = 3;
      seen.last = b.y;
    }
    if constexpr (lanes == 1) {
      c = __ldg(from + 2);
      d = __ldg(from + 3);
    } else {
      which = min(which, __shfl_xor_sync(group_mask<lanes>(), which, 1));
      if (lane == 0) return;
    }
    if (c.x == wanted) which = 4;
    seen.last = c.x;
    if (which == bucket) return;
    const std::uint64_t values = which < 2 ? c.y : which < 4 ? d.x : d.y;
    seen.value = static_cast<std::uint32_t>(which % 2 == 0 ? values : values >> 32);
  }

  // The value of a key, or miss_row. Every lane reads some neighbouring slots.
  [[nodiscard]] __device__ std::uint32_t value(Key key) const {
    const Key wanted = mix(key);
    const std::uint32_t lane = lanes == 1 ? 0 : threadIdx.x % lanes;
    const std::uint64_t home = std::uint64_t{bucket_of(wanted, buckets)} * bucket;
    const std::uint64_t near = min(slot_count, home + max_slots);
    for (std::uint64_t at = home; at < near; at += window) {
      const Seen seen = read(at, lane, wanted);
      if constexpr (lanes == 1) {
        if (seen.last >= wanted) return seen.value;
      } else {
        const unsigned mask = group_mask<lanes>();
        const unsigned hits = __ballot_sync(mask, seen.value != miss_row);
        if (hits != 0) return __shfl_sync(mask, seen.value, __ffs(static_cast<int>(hits)) - 1);
        if (__ballot_sync(mask, seen.last >= wanted) != 0) return miss_row;
      }
    }
    if (near == slot_count) return miss_row;
    const std::uint64_t at = first_not_less(near, wanted);
    return at < slot_count && slots.hash(at) == wanted ? slots.value(at) : miss_row;
  }

  // The slot of a hash, which the table has.
  [[nodiscard]] __device__ std::uint64_t slot_of(Key hash) const {
    const std::uint64_t home = std::uint64_t{bucket_of(hash, buckets)} * bucket;
    const std::uint64_t near = min(slot_count, home + max_slots);
    for (std::uint64_t at = home; at < near; ++at)
      if (slots.hash(at) == hash) return at;
    return first_not_less(near, hash);
  }

  [[nodiscard]] __device__ std::uint32_t row(Key key) const {
    const std::uint32_t found = value(key);
    return found == miss_row ? miss_row : runs.first_row(found);
  }
  [[nodiscard]] __device__ Run equal(Key key) const {
    const std::uint32_t found = value(key);
    return found == miss_row ? Run{0, 0} : runs.run(found);
  }

 private:
  [[nodiscard]] __device__ std::uint64_t first_not_less(std::uint64_t begin, Key hash) const {
    std::uint64_t end = slot_count;
    while (begin < end) {
      const std::uint64_t middle = begin + (end - begin) / 2;
      if (slots.hash(middle) < hash)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }
};

}  // namespace

}  // namespace rtindex::cuda
