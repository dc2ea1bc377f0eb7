#pragma once

#include <cstdint>

#include "answers/values.hpp"
#include "base/cuda/cache_hints.cuh"
#include "base/cuda/launch.cuh"
#include "base/macros.hpp"
#include "engine/cuda/interval_queries.cuh"
#include "engine/cuda/position_searcher.hpp"
#include "keys/native_map.hpp"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

// The mask of the neighbouring threads of a warp that search for one key together. They branch
// alike, so that they wait for no other thread.
template <int lanes>
[[nodiscard]] __device__ unsigned group_mask() {
  if constexpr (lanes == 32)
    return ~0U;
  else
    return ((1U << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
}

// Readers of lookups: read(i, key) is false if nothing can match.

// Elements of the column's own type.
template <class Key, class Element>
struct ElementReader {
  const Element* elements;
  Element flip;
  std::uint64_t base, span;

  [[nodiscard]] __device__ bool read(std::size_t i, Key& key) const { return encode(bits(i), key); }

  // read() in two steps, for columns with one type and several codecs.
  [[nodiscard]] __device__ std::uint64_t bits(std::size_t i) const {
    return std::uint64_t{__ldcs(elements + i) ^ flip};
  }
  [[nodiscard]] __device__ bool encode(std::uint64_t bits, Key& key) const {
    std::uint64_t encoded = 0;
    const bool is_possible = encode_bits(base, span, bits, encoded);
    key = static_cast<Key>(encoded);
    return is_possible;
  }
};

// The lower ends of encoded intervals.
template <class Key>
struct IntervalReader {
  const KeyInterval<Key>* intervals;

  [[nodiscard]] __device__ bool read(std::size_t i, Key& key) const {
    const KeyInterval<Key> interval = intervals[i];
    key = interval.lower;
    return interval.lower <= interval.upper;
  }
};

template <class Key>
[[nodiscard]] RTINDEX_HD IntervalReader<Key> interval_reader(const DeviceLookups& lookups) {
  return {static_cast<const KeyInterval<Key>*>(lookups.intervals)};
}
template <class Key, class Element>
[[nodiscard]] RTINDEX_HD ElementReader<Key, Element> element_reader(const DeviceLookups& lookups) {
  return {static_cast<const Element*>(lookups.elements), static_cast<Element>(lookups.flip),
          lookups.base, lookups.span};
}

// Calls work(reader) with the reader for the form of the lookups.
template <class Key, class Work>
void with_reader(const DeviceLookups& lookups, Work&& work) {
  if (lookups.intervals != nullptr)
    work(interval_reader<Key>(lookups));
  else if (lookups.element_bytes == 4)
    work(element_reader<Key, std::uint32_t>(lookups));
  else
    work(element_reader<Key, unsigned long long>(lookups));
}

// The first key of lookup i in either form; false if nothing can match.
template <class Key>
[[nodiscard]] __device__ bool read_key(const DeviceLookups& lookups, std::size_t i, Key& key) {
  if (lookups.intervals != nullptr) return interval_reader<Key>(lookups).read(i, key);
  if (lookups.element_bytes == 4) return element_reader<Key, std::uint32_t>(lookups).read(i, key);
  return element_reader<Key, unsigned long long>(lookups).read(i, key);
}

// Filters of the rows that a kernel finds: every row is valid, or those of a bitmap are deleted.
struct EveryRow {
  [[nodiscard]] __device__ std::uint32_t operator()(std::uint32_t row) const { return row; }
};
struct ValidRows {
  RowBits deleted;
  // False for miss_row, which no bitmap has.
  [[nodiscard]] __device__ bool is_deleted(std::uint32_t row) const {
    return row < deleted.rows &&
           (load_to_stay(deleted.words + row / RowBits::word_bits) >> (row % RowBits::word_bits) &
            1) != 0;
  }
  [[nodiscard]] __device__ std::uint32_t operator()(std::uint32_t row) const {
    return is_deleted(row) ? miss_row : row;
  }
};

template <class Work>
void with_valid_rows(const RowBits& deleted, Work&& work) {
  if (deleted.empty())
    work(EveryRow{});
  else
    work(ValidRows{deleted});
}

// A Finder is the view of a position searcher that is passed to kernels by value:
//   using Key; static constexpr int lanes: neighbouring threads that search for one key together
//   std::uint32_t row(Key)              one rowID, or miss_row
//   Run equal(Key)                      all positions with this key
//   Run only(Key)                       equal() where keys are unique, for find_included_sums
//   std::uint32_t lower_bound(Key)      the first position whose key is not less
// Every lane of a lookup gets the result.

template <class Finder, class Reader, class Valid>
__global__ void __launch_bounds__(block_threads)
    find_rows_kernel(Finder finder, Reader reader, Valid valid, std::size_t count,
                     std::uint32_t* rows) {
  const std::size_t i = thread_number() / Finder::lanes;
  if (i >= count) return;
  typename Finder::Key key;
  const bool possible = reader.read(i, key);
  const std::uint32_t row = possible ? valid(finder.row(key)) : miss_row;
  if (Finder::lanes == 1 || threadIdx.x % Finder::lanes == 0) rows[i] = row;
}

template <class Class, class Finder, class Reader, class Valid>
__global__ void __launch_bounds__(block_threads)
    find_sums_kernel(Finder finder, Reader reader, Valid valid, std::size_t count,
                     Values<Class> values, Class miss, Class* sums) {
  static_assert(Finder::lanes == 1);
  const std::size_t i = thread_number();
  if (i >= count) return;
  typename Finder::Key key;
  const std::uint32_t row = reader.read(i, key) ? valid(finder.row(key)) : miss_row;
  const Class sum = row == miss_row ? miss : values[row];
  __stcs(sums + i, sum);
}

// Sums of signed values are those of unsigned ones, in two's complement.
template <class Finder, class Reader, class Deleted>
__global__ void __launch_bounds__(block_threads)
    find_included_sums_kernel(Finder finder, Reader reader, Deleted deleted, std::size_t count,
                              const unsigned long long* before,
                              const unsigned long long* deleted_sums, bool unique,
                              unsigned long long miss, unsigned long long* sums) {
  static_assert(Finder::lanes == 1);
  const std::size_t i = thread_number();
  if (i >= count) return;
  typename Finder::Key key;
  Run run{0, 0};
  if (reader.read(i, key)) run = unique ? finder.only(key) : finder.equal(key);
  unsigned long long sum = miss;
  if (run.begin < run.end) {
    unsigned long long all = before[run.end] - before[run.begin];
    bool matched = true;
    if constexpr (Deleted::any) {
      const std::uint32_t first = deleted.before(run.begin);
      const std::uint32_t last = deleted.before(run.end);
      if (first != last) all -= deleted_sums[last] - deleted_sums[first];
      matched = last - first != run.end - run.begin;
    }
    if (matched) sum = all;
  }
  __stcs(sums + i, sum);
}

template <class Finder, class Reader>
__global__ void __launch_bounds__(block_threads)
    find_points_kernel(Finder finder, Reader reader, std::size_t count, Run* runs) {
  const std::size_t i = thread_number() / Finder::lanes;
  if (i >= count) return;
  typename Finder::Key key;
  const bool possible = reader.read(i, key);
  const Run run = possible ? finder.equal(key) : Run{0, 0};
  if (Finder::lanes == 1 || threadIdx.x % Finder::lanes == 0) runs[i] = run;
}

template <class Finder>
__global__ void __launch_bounds__(block_threads)
    find_ranges_kernel(Finder finder, const KeyInterval<typename Finder::Key>* intervals,
                       std::size_t count, typename Finder::Key last_key, std::uint32_t size,
                       Run* runs) {
  const std::size_t i = thread_number() / Finder::lanes;
  if (i >= count) return;
  const KeyInterval<typename Finder::Key> interval = intervals[i];
  Run run{0, 0};
  if (interval.lower <= interval.upper) {
    run.begin = interval.lower == 0 ? 0 : finder.lower_bound(interval.lower);
    // No key follows an upper end at the last key, and key + 1 may overflow.
    run.end = interval.upper >= last_key
                  ? size
                  : finder.lower_bound(static_cast<typename Finder::Key>(interval.upper + 1));
    if (run.begin > run.end) run.begin = run.end;
  }
  if (Finder::lanes == 1 || threadIdx.x % Finder::lanes == 0) runs[i] = run;
}

// The number of keys up to the upper end of the starts of matches; or less the number of keys
// before the lower end of their ends.
template <bool subtracts, class Finder, class Queries>
__global__ void __launch_bounds__(block_threads)
    find_ranks_kernel(Finder finder, const __grid_constant__ Queries queries, std::size_t count,
                      typename Finder::Key last_key, std::uint32_t size, std::uint32_t* ranks) {
  using Key = typename Finder::Key;
  const std::size_t i = thread_number() / Finder::lanes;
  if (i >= count) return;
  std::uint32_t rank = 0;
  if constexpr (subtracts) {
    const KeyInterval<Key> interval = queries.ends(i);
    if (is_empty(interval)) return;
    if (interval.lower != 0)
      rank = interval.lower > last_key ? size : finder.lower_bound(interval.lower);
  } else {
    const KeyInterval<Key> interval = queries.starts(i);
    // No key follows an upper end at the last key, and key + 1 may overflow.
    if (!is_empty(interval))
      rank = interval.upper >= last_key ? size
                                        : finder.lower_bound(static_cast<Key>(interval.upper + 1));
  }
  if (Finder::lanes != 1 && threadIdx.x % Finder::lanes != 0) return;
  ranks[i] = subtracts ? ranks[i] - rank : rank;
}

template <class Finder>
void launch_find_rows(const Finder& finder, const DeviceLookups& lookups, std::uint32_t* rows,
                      cudaStream_t stream) {
  if (lookups.count == 0) return;
  with_reader<typename Finder::Key>(lookups, [&](auto reader) {
    with_valid_rows(lookups.deleted, [&](auto valid) {
      find_rows_kernel<<<blocks_for(lookups.count * Finder::lanes), block_threads, 0, stream>>>(
          finder, reader, valid, lookups.count, rows);
    });
  });
  check_launch("looking up points");
}

template <class Finder>
void launch_find_sums(const Finder& finder, const DeviceLookups& lookups, const SumTarget& target,
                      cudaStream_t stream) {
  if (lookups.count == 0) return;
  visit_class(class_of(target.type), [&]<class Class>() {
    with_reader<typename Finder::Key>(lookups, [&](auto reader) {
      with_valid_rows(lookups.deleted, [&](auto valid) {
        find_sums_kernel<Class><<<blocks_for(lookups.count), block_threads, 0, stream>>>(
            finder, reader, valid, lookups.count, Values<Class>{target.values, target.type},
            miss_as<Class>(target.miss), static_cast<Class*>(target.sums));
      });
    });
  });
  check_launch("adding up values");
}

template <class Finder>
void launch_find_included_sums(const Finder& finder, const DeviceLookups& lookups, bool unique,
                               const IncludedSumTarget& target, cudaStream_t stream) {
  if (lookups.count == 0) return;
  unsigned long long miss = 0;
  visit_class(class_of(target.type), [&]<class Class>() {
    if constexpr (!std::is_same_v<Class, double>)
      miss = static_cast<unsigned long long>(miss_as<Class>(target.miss));
  });
  with_reader<typename Finder::Key>(lookups, [&](auto reader) {
    with_deleted(target.deleted, [&](auto deleted) {
      find_included_sums_kernel<<<blocks_for(lookups.count), block_threads, 0, stream>>>(
          finder, reader, deleted, lookups.count, target.before, target.deleted_sums, unique, miss,
          static_cast<unsigned long long*>(target.sums));
    });
  });
  check_launch("adding up values");
}

template <class Finder>
void launch_find_points(const Finder& finder, const DeviceLookups& lookups, Run* runs,
                        cudaStream_t stream) {
  if (lookups.count == 0) return;
  with_reader<typename Finder::Key>(lookups, [&](auto reader) {
    find_points_kernel<<<blocks_for(lookups.count * Finder::lanes), block_threads, 0, stream>>>(
        finder, reader, lookups.count, runs);
  });
  check_launch("looking up points");
}

template <class Finder>
void launch_find_ranges(const Finder& finder, const DeviceOrder& order,
                        const DeviceLookups& lookups, Run* runs, cudaStream_t stream) {
  using Key = typename Finder::Key;
  if (lookups.count == 0) return;
  find_ranges_kernel<<<blocks_for(lookups.count * Finder::lanes), block_threads, 0, stream>>>(
      finder, static_cast<const KeyInterval<Key>*>(lookups.intervals), lookups.count,
      static_cast<Key>(order.last_key()), static_cast<std::uint32_t>(order.size()), runs);
  check_launch("looking up ranges");
}

template <class Finder>
void launch_find_ranks(const Finder& finder, const DeviceOrder& order, const DeviceLookups& lookups,
                       const RankTarget& target, cudaStream_t stream) {
  using Key = typename Finder::Key;
  if (lookups.count == 0) return;
  const auto launch = [&]<bool subtracts>(const auto& queries) {
    find_ranks_kernel<subtracts>
        <<<blocks_for(lookups.count * Finder::lanes), block_threads, 0, stream>>>(
            finder, queries, lookups.count, static_cast<Key>(order.last_key()),
            static_cast<std::uint32_t>(order.size()), target.ranks);
  };
  if (lookups.elements != nullptr)
    launch.template operator()<false>(
        LastStartReader<Key>{static_cast<const Key*>(lookups.elements)});
  else
    with_queries<Key>(lookups, [&](const auto& queries) {
      if (target.subtracts)
        launch.template operator()<true>(queries);
      else
        launch.template operator()<false>(queries);
    });
  check_launch("finding ranks");
}

// Calls work(finder) with the finder for the width of the keys.
template <class Searcher, class Work>
void with_finder(const Searcher& searcher, bool wide, Work&& work) {
  if (wide)
    work(searcher.template finder<std::uint64_t>());
  else
    work(searcher.template finder<std::uint32_t>());
}

// Calls work(finder) with a finder that adds its work to `counters` unless these are null.
template <class Searcher, class Work>
void with_counting_finder(const Searcher& searcher, bool wide, Counters* counters, Work&& work) {
  if (counters == nullptr)
    with_finder(searcher, wide, work);
  else if (wide)
    work(searcher.template finder<std::uint64_t>(CountedWork{counters}));
  else
    work(searcher.template finder<std::uint32_t>(CountedWork{counters}));
}

}  // namespace rtindex::cuda
