#include "engine/cuda/full_matches.hpp"

#include <rtindex/answer.hpp>

#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

__global__ void drop_rows(const __grid_constant__ FullKeys full,
                          const __grid_constant__ PackedEnd lookups, const std::uint8_t* checks,
                          std::size_t first, std::size_t count, std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i >= count || checks[first + i] == check_none) return;
  const std::uint32_t row = rows[i];
  if (row != miss_row && compare_full(full, full.rows.element(row), lookups, first + i) != 0)
    rows[i] = miss_row;
}

// The first position from `begin` to `end` for which the condition holds, which is monotonic.
template <class Condition>
[[nodiscard]] __device__ std::uint32_t first_with(std::uint32_t begin, std::uint32_t end,
                                                  Condition holds) {
  while (begin < end) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    if (holds(middle))
      end = middle;
    else
      begin = middle + 1;
  }
  return begin;
}

template <class Key, bool are_points>
__global__ void shorten_runs(const __grid_constant__ FullKeys full,
                             const __grid_constant__ PackedEnd lower,
                             const __grid_constant__ PackedEnd upper, RangeEnds ends,
                             const KeyInterval<Key>* intervals, const std::uint8_t* checks,
                             std::size_t first, std::size_t count, KeysView keys, RowsView rows,
                             Run* runs) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const std::uint8_t check = checks[first + i];
  Run run = runs[i];
  if (check == check_none || run.begin >= run.end) return;
  const auto compared = [&](std::uint32_t position, const PackedEnd& with) {
    return compare_full(full, full.rows.element(rows[position]), with, first + i);
  };
  // All positions of a point have its encoded key.
  const KeyInterval<Key> interval = intervals[first + i];
  const auto has_key = [&](std::uint32_t position, Key key) {
    return are_points || keys(position) == key;
  };
  if ((check & check_lower) != 0)
    run.begin = first_with(run.begin, run.end, [&](std::uint32_t position) {
      return !has_key(position, interval.lower) ||
             compared(position, lower) >= (ends.lower_open ? 1 : 0);
    });
  if ((check & check_upper) != 0)
    run.end = first_with(run.begin, run.end, [&](std::uint32_t position) {
      return has_key(position, interval.upper) &&
             compared(position, upper) >= (ends.upper_open ? 0 : 1);
    });
  runs[i] = run;
}

}  // namespace

void drop_other_rows(const FullLookups& lookups, std::size_t first, std::size_t count,
                     std::uint32_t* rows, cudaStream_t stream) {
  if (count == 0) return;
  drop_rows<<<blocks_for(count), block_threads, 0, stream>>>(*lookups.keys, lookups.lower,
                                                             lookups.checks, first, count, rows);
  check_launch("comparing full keys");
}

void drop_other_rows(const FullLookups& lookups, std::size_t first, std::size_t count,
                     bool are_points, const DeviceOrder& order, Run* runs, cudaStream_t stream) {
  if (count == 0) return;
  with_key_type(lookups.is_wide, [&]<class Key>(Key) {
    const auto kernel = are_points ? shorten_runs<Key, true> : shorten_runs<Key, false>;
    kernel<<<blocks_for(count), block_threads, 0, stream>>>(
        *lookups.keys, lookups.lower, lookups.upper, lookups.ends,
        static_cast<const KeyInterval<Key>*>(lookups.intervals), lookups.checks, first, count,
        are_points ? KeysView{} : order.keys(), order.rows(), runs);
  });
  check_launch("comparing full keys");
}

}  // namespace rtindex::cuda
