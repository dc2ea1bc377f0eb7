#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace rtindex {

// Under the address sanitizer, reading these bytes is an error from now on.
inline void forbid_reading([[maybe_unused]] const std::byte* bytes,
                           [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(bytes, size);
#endif
}

// Ends forbid_reading(), before the memory is freed.
inline void allow_reading([[maybe_unused]] const std::byte* bytes,
                          [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(bytes, size);
#endif
}

}  // namespace rtindex
