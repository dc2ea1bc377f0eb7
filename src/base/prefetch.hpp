#pragma once

namespace rtindex {

// Asks for the cache line at an address that will be read soon. It goes to the second cache, which
// can wait for more lines at once than the first and is near enough: on a Neoverse N1 random values
// then arrive in three quarters of the time.
//
// Always inline: g++ takes a function that only prefetches for one without effect, and drops calls.
[[gnu::always_inline]] inline void prefetch(const void* address) {
  __builtin_prefetch(address, 0, 2);
}

// The same for memory that the second cache holds already: it goes to the first.
[[gnu::always_inline]] inline void prefetch_near(const void* address) {
  __builtin_prefetch(address, 0, 3);
}

}  // namespace rtindex
