#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/values.hpp"

namespace rtindex {

// Lookups are answered in chunks of this many: a multiple of 8, so that no two chunks share a byte
// of the matched bitmap.
inline constexpr std::size_t chunk_lookups = 256;

[[nodiscard]] constexpr std::size_t chunks_of(std::size_t lookups) {
  return (lookups + chunk_lookups - 1) / chunk_lookups;
}

// What one batch wants and where it goes: validated, every pointer as large as it must be.
struct Request {
  AnswerSet answers;
  const void* values = nullptr;
  MemorySpace values_space = MemorySpace::host;
  bool included = false;  // the structure's own values in place of these
  Type value_type = Type::u64;
  std::uint32_t limit = no_limit;
  MissValues miss;
  Stream stream;  // of a call on device memory
  Outputs outputs;
  double* launch_ms = nullptr;   // the time of rays is added to it; null: not taken
  Counters* counters = nullptr;  // the work is added to them, by many threads; null: not counted
  // For `rows`: how many each lookup has (n entries), and the rowIDs chunk by chunk; null where
  // only their number is asked for.
  std::uint64_t* row_counts = nullptr;
  std::vector<std::vector<std::uint32_t>>* chunk_rows = nullptr;

  [[nodiscard]] ValueClass value_class() const { return class_of(value_type); }
  template <class Class>
  [[nodiscard]] Values<Class> values_as() const {
    return {values, value_type};
  }
  template <class Class>
  [[nodiscard]] Class miss_as() const {
    if constexpr (std::is_same_v<Class, double>) return miss.f64;
    if constexpr (std::is_same_v<Class, std::int64_t>) return miss.i64;
    return miss.u64;
  }
  // Whether one hit answers the lookup.
  [[nodiscard]] bool one_hit_is_enough() const {
    return !answers.has_any_of(Answer::first | Answer::count | Answer::sum | Answer::min |
                               Answer::max | Answer::rows);
  }
};

// A request for buffers of the caller.
[[nodiscard]] Request request_into(const LookupOptions& options, const Outputs& outputs);

// Throws unless `values` can be the value column of an indexed column with so many rows.
void require_values(const ColumnView& values, std::size_t rows);

// Adds the work of a part of a batch to the total, while other threads add theirs.
inline void add_work(Counters& total, const Counters& work) {
  const auto add = [](std::uint64_t& to, std::uint64_t more) {
    std::atomic_ref(to).fetch_add(more, std::memory_order_relaxed);
  };
  add(total.rays, work.rays);
  add(total.cells, work.cells);
  add(total.tested, work.tested);
  add(total.hits, work.hits);
}

}  // namespace rtindex
