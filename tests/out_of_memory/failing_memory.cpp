#include "out_of_memory/failing_memory.hpp"

#include <cstdlib>
#include <new>

namespace {

// Allocations of this thread until one fails; negative: none does.
thread_local long allocations_until_failure = -1;

bool fails_now() { return allocations_until_failure >= 0 && allocations_until_failure-- == 0; }

void* allocate(std::size_t bytes) {
  if (fails_now()) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// What the library allocates with: new, and aligned_alloc for its arrays.
// NOLINTBEGIN(misc-new-delete-overloads,cppcoreguidelines-no-malloc)
void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  return fails_now() || posix_memalign(&memory, alignment, bytes) != 0 ? nullptr : memory;
}
// NOLINTEND(misc-new-delete-overloads,cppcoreguidelines-no-malloc)

namespace rtindex::test {

FailingMemory::FailingMemory(long after) { allocations_until_failure = after; }
FailingMemory::~FailingMemory() { allocations_until_failure = -1; }

}  // namespace rtindex::test
