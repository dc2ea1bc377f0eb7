#pragma once

#include <atomic>

#include <rtindex/answer.hpp>

namespace rtindex {

// Adds the work of a part of a batch, while other threads add theirs.
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
