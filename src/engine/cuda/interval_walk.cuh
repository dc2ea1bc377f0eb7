#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/launch.cuh"
#include "engine/cuda/interval_kernels.hpp"
#include "engine/cuda/interval_queries.cuh"
#include "engine/cuda/locate.cuh"
#include "keys/interval.hpp"
#include "order/cuda/extent_tree_view.cuh"

namespace rtindex::cuda {

// An IntervalWalk as kernels read it.
template <class Key, bool not_less, class Valid>
struct Walk {
  using KeyType = Key;
  static constexpr bool finds_not_less = not_less;

  ExtentTreeView<Key> tree;
  const Run* starts;
  const KeyInterval<Key>* ends;
  std::size_t count;
  RowsView rows;
  Valid valid;

  // Calls take(position, row) for every match of query i, from the last to the first start, until
  // it returns true.
  template <class Take>
  __device__ void for_each(std::size_t i, Take&& take) const {
    const Run run = starts[i];
    const KeyInterval<Key> end = ends[i];
    if (run.begin >= run.end || is_empty(end)) return;
    visit<not_less>(tree, run.begin, run.end, not_less ? end.lower : end.upper,
                    [&](std::uint32_t position) {
                      const std::uint32_t row = valid(rows[position]);
                      return row != miss_row && take(position, row);
                    });
  }

  // for_each() by a warp, whose lanes call it with the same query: calls take(matches, position,
  // row) for up to 32 neighbouring positions at once. `matches` has a bit for each lane whose own
  // position is a match; the row of the others is miss_row.
  template <class Take>
  __device__ void for_each_by_warp(std::size_t i, Take&& take) const {
    const Run run = starts[i];
    const KeyInterval<Key> end = ends[i];
    const unsigned lane = threadIdx.x % 32;
    visit_by_warp<not_less>(tree, run.begin, run.end, not_less ? end.lower : end.upper,
                            [&](std::uint32_t first, std::uint32_t found, Key) {
                              const std::uint32_t position = first + lane;
                              std::uint32_t row = miss_row;
                              if ((found >> lane & 1) != 0) row = valid(rows[position]);
                              const unsigned matches = __ballot_sync(~0U, row != miss_row);
                              return matches != 0 && take(matches, position, row);
                            });
  }
};

// Queries with so many matches are walked by all lanes of a warp, one after the other.
inline constexpr std::uint32_t many_matches = 256;

// Calls work(query, is_own) for each lane with a long query, `is_long`, with all lanes of the warp.
// `own`: the query of the lane.
template <class Work>
__device__ void for_each_long(bool is_long, std::size_t own, Work&& work) {
  const unsigned lane = threadIdx.x % 32;
  for (unsigned left = __ballot_sync(~0U, is_long); left != 0; left &= left - 1) {
    const auto one = static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
    work(own - lane + one, lane == one);
  }
}

template <class Work>
void with_walk(const IntervalWalk& from, Work&& work) {
  with_key_type(from.wide, [&]<class Key>(Key) {
    with_valid_rows(from.deleted, [&]<class Valid>(Valid valid) {
      const auto run = [&]<bool not_less>() {
        work(Walk<Key, not_less, Valid>{from.tree->view<Key>(), from.starts,
                                        static_cast<const KeyInterval<Key>*>(from.ends), from.count,
                                        from.rows, valid});
      };
      if (from.not_less)
        run.template operator()<true>();
      else
        run.template operator()<false>();
    });
  });
  check_launch("searching intervals");
}

}  // namespace rtindex::cuda
