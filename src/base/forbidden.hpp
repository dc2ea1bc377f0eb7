#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace rtindex {

// Nothing reads these bytes; the address sanitizer, where there is one, shall watch them.
inline void forbid_reading([[maybe_unused]] const std::byte* bytes,
                           [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_POISON_MEMORY_REGION(bytes, size);
#endif
}

// Takes that back, before the memory is given to somebody else.
inline void allow_reading([[maybe_unused]] const std::byte* bytes,
                          [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(bytes, size);
#endif
}

}  // namespace rtindex
