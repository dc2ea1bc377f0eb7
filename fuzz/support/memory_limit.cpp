// libFuzzer limits malloc (-malloc_limit_mb); this limits mmap, which allocates large arrays. An
// input of a few hundred bytes must not need so much.

#include <sys/mman.h>

#include "fuzz/support/input.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are the
// linker's (--wrap)

extern "C" void* __real_mmap(void* at, std::size_t size, int protection, int flags, int file,
                             off_t offset);
extern "C" void* __wrap_mmap(void* at, std::size_t size, int protection, int flags, int file,
                             off_t offset);

void* __wrap_mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  rtindex::fuzz::require(size <= std::size_t{256} << 20, "mmap of more than 256 MiB");
  return __real_mmap(at, size, protection, flags, file, offset);
}

// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
