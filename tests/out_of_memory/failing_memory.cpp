#include "out_of_memory/failing_memory.hpp"

#include <gtest/gtest.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include <rtindex/error.hpp>

#include "support/counts.hpp"

namespace {

using rtindex::test::FailingMemory;

constexpr long none = -1;

// Allocations until one fails; negative: none does.
thread_local long until_failure = none;
thread_local FailingMemory::Which failing = FailingMemory::Which::one;
std::atomic<long> until_failure_of_threads = none;
std::atomic<long> failures = 0;
std::atomic<long> valid = 0;
std::atomic<long> mapped_bytes = 0;
std::atomic<std::size_t> largest = 0;

void note_request(std::size_t bytes) {
  std::size_t before = largest.load(std::memory_order_relaxed);
  while (before < bytes && !largest.compare_exchange_weak(before, bytes)) continue;
}

bool is_reached() {
  if (until_failure_of_threads.load(std::memory_order_relaxed) >= 0)
    return until_failure_of_threads.fetch_sub(1) == 0;
  if (until_failure < 0) return false;
  if (until_failure > 0) return --until_failure, false;
  if (failing != FailingMemory::Which::all_later) until_failure = none;
  return true;
}

bool fails_now(bool is_mapping) {
  if (until_failure >= 0 && failing == FailingMemory::Which::one_mapping && !is_mapping)
    return false;
  if (!is_reached()) return false;
  ++failures;
  return true;
}

// The code of Embree. Allocations of its own do not fail: version 3 loses memory where they do, and
// crashes at a later build.
class EmbreeCode {
 public:
  EmbreeCode() { dl_iterate_phdr(find, this); }
  [[nodiscard]] bool contains(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= begin_ && at < end_;
  }

 private:
  static int find(dl_phdr_info* library, std::size_t, void* self) {
    auto& code = *static_cast<EmbreeCode*>(self);
    if (std::strstr(library->dlpi_name, "libembree") == nullptr) return 0;
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& part = library->dlpi_phdr[i];
      if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
      code.begin_ = library->dlpi_addr + part.p_vaddr;
      code.end_ = code.begin_ + part.p_memsz;
    }
    return 1;
  }

  std::uintptr_t begin_ = 0;
  std::uintptr_t end_ = 0;
};

const EmbreeCode embree;

constexpr std::size_t usual = alignof(std::max_align_t);

// Counts memory that was allocated.
void* counted(void* memory) {
  if (memory != nullptr) ++valid;
  return memory;
}

void* allocate(const void* caller, std::size_t bytes, std::size_t alignment = usual) {
  void* memory = nullptr;
  note_request(bytes);
  if (!embree.contains(caller) && fails_now(false)) return nullptr;
  if (posix_memalign(&memory, alignment, bytes == 0 ? 1 : bytes) != 0) return nullptr;
  return counted(memory);
}

void* allocate_or_throw(const void* caller, std::size_t bytes, std::size_t alignment = usual) {
  if (void* const memory = allocate(caller, bytes, alignment)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) {
  if (memory != nullptr) --valid;
  std::free(memory);
}

#if !defined(__SANITIZE_ADDRESS__)
// The memory of aligned_alloc, so that free() recognises it: a table of addresses with open
// addressing. It never allocates.
class AlignedBlocks {
 public:
  void add(void* memory) {
    const std::lock_guard lock(mutex_);
    std::size_t at = start(memory);
    while (blocks_[at] != nullptr && blocks_[at] != gone()) at = (at + 1) % blocks_.size();
    blocks_[at] = memory;
  }
  // Whether it was there.
  bool remove(void* memory) {
    const std::lock_guard lock(mutex_);
    for (std::size_t at = start(memory); blocks_[at] != nullptr; at = (at + 1) % blocks_.size())
      if (blocks_[at] == memory) {
        blocks_[at] = blocks_[(at + 1) % blocks_.size()] == nullptr ? nullptr : gone();
        return true;
      }
    return false;
  }

 private:
  static constexpr std::size_t line = 64;

  [[nodiscard]] std::size_t start(void* memory) const {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(memory));
    return static_cast<std::size_t>((address / line * 0x9e3779b97f4a7c15U) >> 40U) % blocks_.size();
  }
  [[nodiscard]] void* gone() { return &blocks_; }

  std::mutex mutex_;
  std::array<void*, std::size_t{1} << 16> blocks_ = {};
};

constinit AlignedBlocks aligned_blocks;
#endif

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads,cppcoreguidelines-no-malloc)
void* operator new(std::size_t bytes) {
  return allocate_or_throw(__builtin_return_address(0), bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate_or_throw(__builtin_return_address(0), bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(__builtin_return_address(0), bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(__builtin_return_address(0), bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(__builtin_return_address(0), bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  release(memory);
}

extern "C" {

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  void* memory = nullptr;
  note_request(bytes);
  if (fails_now(false) || posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
#if !defined(__SANITIZE_ADDRESS__)
  aligned_blocks.add(memory);
  ++valid;
#endif
  return memory;
}

#if !defined(__SANITIZE_ADDRESS__)
void __libc_free(void* memory);  // NOLINT(bugprone-reserved-identifier)
void free(void* memory) {
  if (memory != nullptr && reinterpret_cast<std::uintptr_t>(memory) % 64 == 0 &&
      aligned_blocks.remove(memory))
    --valid;
  __libc_free(memory);
}

void* mmap(void* address, std::size_t bytes, int protection, int flags, int file, off_t offset) {
  note_request(bytes);
  if (fails_now(true)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  const long mapped = syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  if (mapped != -1) mapped_bytes += static_cast<long>(bytes);
  return reinterpret_cast<void*>(mapped);  // NOLINT(performance-no-int-to-ptr)
}

int munmap(void* address, std::size_t bytes) {
  mapped_bytes -= static_cast<long>(bytes);
  return static_cast<int>(syscall(SYS_munmap, address, bytes));
}
#endif

}  // extern "C"
// NOLINTEND(misc-new-delete-overloads,cppcoreguidelines-no-malloc)

namespace rtindex::test {

FailingMemory::FailingMemory(long after, Which which) {
  failures = 0;
  failing = which;
  if (which == Which::one_of_threads)
    until_failure_of_threads = after;
  else
    until_failure = after;
}

FailingMemory::~FailingMemory() {
  until_failure = none;
  until_failure_of_threads = none;
}

long FailingMemory::failed() { return failures; }

std::size_t take_largest_request() { return largest.exchange(0); }

ValidMemory valid_memory() { return {valid, mapped_bytes}; }

namespace {

// Whether a call threw.
bool throws(const Attempt& attempt, long after) {
  try {
    const FailingMemory memory(after, attempt.which);
    attempt.call();
    return false;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::out_of_memory) << error.what();
  } catch (const std::bad_alloc& error) {
    // An Error has a message, which takes memory as well.
    EXPECT_EQ(attempt.which, FailingMemory::Which::all_later) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "an exception of another type: " << error.what();
  }
  return true;
}

// What a structure derives from its deleted rows stays with it, for two sets of them. What is there
// after many more calls is a leak.
void expect_no_leak(const Attempt& attempt, long after) {
  constexpr int max_sets = 4;
  for (int i = 0; i < max_sets; ++i) {
    const ValidMemory before = valid_memory();
    if (!throws(attempt, after)) return attempt.undo();
    if (valid_memory() == before) return;
  }
  ADD_FAILURE() << "memory is not freed";
}

}  // namespace

long fail_every_allocation(const std::string& name, const Attempt& attempt) {
  constexpr long most = 100'000;
  // Where tests are small, the first allocations fail one by one, the others in steps.
  constexpr long one_by_one = effort_divisor == 1 ? most : 24, step = 3;
  const bool is_repeatable = attempt.which != FailingMemory::Which::one_of_threads;
  long total = 0;
  for (long after = 0; after < most && !testing::Test::HasFailure();
       after += after < one_by_one ? 1 : step) {
    SCOPED_TRACE(testing::Message() << name << ", allocation " << after << " fails");
    const ValidMemory before = valid_memory();
    const bool thrown = throws(attempt, after);
    const long failed = FailingMemory::failed();
    if (failed == 0) {
      EXPECT_FALSE(thrown);
      add_count("allocations that failed", name, static_cast<std::uint64_t>(total));
      return total;
    }
    total += failed;
    if (!thrown) {
      attempt.undo();
      continue;
    }
    if (is_repeatable && valid_memory() != before) expect_no_leak(attempt, after);
    attempt.expect_unchanged();
  }
  EXPECT_TRUE(testing::Test::HasFailure()) << name << " does not end";
  return total;
}

}  // namespace rtindex::test
