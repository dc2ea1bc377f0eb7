#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cuda/launch.cuh"
#include "engine/cuda/interval_kernels.hpp"
#include "engine/cuda/locate.cuh"
#include "keys/interval.hpp"
#include "order/cuda/extent_tree_view.cuh"

namespace rtindex::cuda {

template <class Key>
[[nodiscard]] __device__ bool is_empty(const KeyInterval<Key>& interval) {
  return interval.lower > interval.upper;
}

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
};

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
