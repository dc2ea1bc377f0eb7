#pragma once

// The usual containers on a CPU, each at its best: all threads, huge pages where available (as in
// our own arrays), prefetching where the API allows it.

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/array.hpp"
#include "base/parallel.hpp"
#include "cpu_peers/learned_peers.hpp"

namespace rtindex::bench {

// An allocator over RawMemory: the page policy of rtindex's own arrays.
template <class T>
struct PagedAllocator {
  using value_type = T;
  PagedAllocator() = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): allocators convert
  PagedAllocator(const PagedAllocator<U>&) {}

  // The owner is stored in front of its memory.
  T* allocate(std::size_t count) {
    RawMemory memory(count * sizeof(T) + front);
    auto* start = static_cast<char*>(memory.data());
    new (start) RawMemory(std::move(memory));
    return reinterpret_cast<T*>(start + front);
  }
  void deallocate(T* data, std::size_t) {
    auto* owner = reinterpret_cast<RawMemory*>(reinterpret_cast<char*>(data) - front);
    const RawMemory taken = std::move(*owner);
  }
  friend bool operator==(const PagedAllocator&, const PagedAllocator&) { return true; }

 private:
  static constexpr std::size_t front = 64;
};

inline constexpr std::size_t peer_grain = 4096;
inline constexpr std::uint64_t peer_miss = ~std::uint64_t{0};

using Keys = std::vector<std::uint64_t, PagedAllocator<std::uint64_t>>;
using Words = std::vector<std::uint32_t, PagedAllocator<std::uint32_t>>;

// std::lower_bound over the sorted column with its rowIDs; ranges scan from there.
class SortedPeer {
 public:
  explicit SortedPeer(std::span<const std::uint64_t> column);
  void points(std::span<const std::uint64_t> keys, const Words& values,
              std::span<std::uint64_t> sums) const;
  void ranges(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
              const Words& values, std::span<std::uint64_t> sums) const;
  void counts(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
              std::span<std::uint32_t> counts) const;
  [[nodiscard]] SortedRows sorted_rows() const {
    return {keys_.data(), rows_.data(), keys_.size()};
  }

 private:
  Keys keys_;
  Words rows_;
};

// absl::flat_hash_map, one lookup at a time or with prefetch() 16 lookups ahead.
class HashPeer {
 public:
  explicit HashPeer(std::span<const std::uint64_t> column);
  void points(std::span<const std::uint64_t> keys, const Words& values,
              std::span<std::uint64_t> sums, bool prefetch) const;
  // A row of each key, with prefetch.
  void rows(std::span<const std::uint64_t> keys, std::span<std::uint32_t> rows) const;

 private:
  // write(i, row) for the i-th key; peer_miss if there is none.
  template <class Write>
  void find(std::span<const std::uint64_t> keys, bool prefetch, const Write& write) const;

  absl::flat_hash_map<std::uint64_t, std::uint32_t, absl::Hash<std::uint64_t>, std::equal_to<>,
                      PagedAllocator<std::pair<const std::uint64_t, std::uint32_t>>>
      map_;
};

// absl::btree_multimap, filled from sorted pairs.
class BtreePeer {
 public:
  explicit BtreePeer(std::span<const std::uint64_t> column);
  void points(std::span<const std::uint64_t> keys, const Words& values,
              std::span<std::uint64_t> sums) const;
  void ranges(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
              const Words& values, std::span<std::uint64_t> sums) const;

 private:
  absl::btree_multimap<std::uint64_t, std::uint32_t> map_;
};

}  // namespace rtindex::bench
