#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/workloads.hpp"

namespace rtindex::test {

// Makes allocations fail as long as it lives, the first one for `after` = 0: those by operator new,
// and those of the library's arrays (aligned_alloc, and mmap where they are large).
class FailingMemory {
 public:
  enum class Which {
    one,             // that of this thread
    one_of_threads,  // that of all threads together
    all_later,       // that of this thread and all that follow it
    one_mapping,     // `one`, but only mappings count
  };

  explicit FailingMemory(long after, Which which = Which::one);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  // How many have failed.
  [[nodiscard]] static long failed();
};

// Allocations of the same kinds that were not freed yet, in the whole process. Under the address
// sanitizer, which looks for leaks itself, those by operator new alone.
struct ValidMemory {
  long blocks;
  long mapped_bytes;
  friend bool operator==(const ValidMemory&, const ValidMemory&) = default;
};
[[nodiscard]] ValidMemory valid_memory();

// The largest block that was requested since the last call of this function, in bytes.
[[nodiscard]] std::size_t take_largest_request();

// A call that is to run out of memory. What it needs exists before: it allocates nothing itself.
struct Attempt {
  std::function<void()> call;
  std::function<void()> expect_unchanged = [] {};  // after each failure
  std::function<void()> undo = [] {};  // after a call that did without what it could not allocate
  FailingMemory::Which which = FailingMemory::Which::one;
};

// Calls again and again, and each time another allocation fails, until none does any more. A call
// that throws must throw out_of_memory and leave nothing behind. Returns how many failures there
// were; what is wrong becomes a failure of the test.
long fail_every_allocation(const std::string& name, const Attempt& attempt);

// The columns whose indexes run out of memory; one under a sanitizer, which takes ten times as
// long.
[[nodiscard]] inline std::vector<std::string> failing_columns() {
  if (effort_divisor > 1) return {"nulls_in_parts"};
  return {"nulls_sparse_u64", "nulls_same_head_strings", "nulls_in_parts", "in_order_timestamps"};
}

// `count` keys from the `first` one on, from the start again where the column is shorter.
[[nodiscard]] inline TestColumn part_of(const TestColumn& all, std::size_t first,
                                        std::size_t count) {
  std::vector<Key> keys;
  for (std::size_t i = first; i < first + count; ++i)
    keys.push_back(all.keys()[i % all.keys().size()]);
  return {all.shape(), std::move(keys)};
}

}  // namespace rtindex::test
