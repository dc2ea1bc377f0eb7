#include "base/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

namespace rtindex {

void advise_huge_pages(void* data, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (address + bytes) / huge_page * huge_page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace rtindex
