#include "base/array.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <limits>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/huge_pages.hpp"

namespace rtindex {

namespace {

constexpr std::size_t cache_line = 64;
// Behind the last element there is always this much readable memory, so that wide loads may
// overrun.
constexpr std::size_t slack = 64;
// Arrays of few rows: the C library allocates them several times as fast without an alignment.
constexpr std::size_t small = 1024;

[[noreturn]] void out_of_memory(std::size_t bytes) {
  fail(ErrorKind::out_of_memory,
       "out of memory: {} ({} bytes) could not be allocated; free memory or index fewer rows",
       human_bytes(bytes), bytes);
}

}  // namespace

RawMemory::RawMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) out_of_memory(bytes);
  if (bytes < huge_page) {
    const std::size_t rounded = (bytes + slack + cache_line - 1) / cache_line * cache_line;
    data_ = rounded <= small ? std::malloc(rounded) : std::aligned_alloc(cache_line, rounded);
    if (data_ == nullptr) out_of_memory(bytes);
    return;
  }
  // Mapped with room to spare, then trimmed, so that the start is aligned to a huge page.
  const std::size_t needed = (bytes + slack + huge_page - 1) / huge_page * huge_page;
  void* map =
      mmap(nullptr, needed + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) out_of_memory(bytes);
  auto address = reinterpret_cast<std::uintptr_t>(map);
  const std::uintptr_t aligned = (address + huge_page - 1) / huge_page * huge_page;
  const std::size_t before = aligned - address;
  if (before != 0) munmap(map, before);
  if (huge_page != before) munmap(reinterpret_cast<void*>(aligned + needed), huge_page - before);
  data_ = reinterpret_cast<void*>(aligned);
  mapped_ = needed;
  advise_huge_pages(data_, mapped_);
}

RawMemory::~RawMemory() {
  if (owner_ != nullptr) return;
  if (mapped_ != 0)
    munmap(data_, mapped_);
  else
    std::free(data_);
}

}  // namespace rtindex
