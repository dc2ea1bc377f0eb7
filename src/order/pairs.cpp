#include "order/pairs.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/array.hpp"
#include "base/call_control.hpp"
#include "base/parallel.hpp"
#include "keys/spread.hpp"

namespace rtindex {

namespace {

struct Extent {
  std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t highest = 0;
};

template <class Key>
bool before(const Pair<Key>& a, const Pair<Key>& b) {
  const Key a_key = a.key;
  const Key b_key = b.key;
  return a_key != b_key ? a_key < b_key : a.row < b.row;
}

template <class Key>
void insertion_sort(Pair<Key>* pairs, std::size_t size) {
  for (std::size_t i = 1; i < size; ++i) {
    const Pair<Key> moved = pairs[i];
    std::size_t hole = i;
    for (; hole > 0 && before(moved, pairs[hole - 1]); --hole) pairs[hole] = pairs[hole - 1];
    pairs[hole] = moved;
  }
}

constexpr std::size_t tiny = 24;                           // insertion sort below
constexpr std::size_t in_cache = std::size_t{1} << 15;     // one thread, one counting sort below
constexpr std::size_t block_pairs = std::size_t{1} << 16;  // of the parallel partition
constexpr std::size_t max_buckets = 4096;

template <class Key>
Extent extent_of(const Pair<Key>* pairs, std::size_t size) {
  return parallel_reduce(
      size, block_pairs, Extent{},
      [&](std::size_t first, std::size_t count) {
        Key lowest = std::numeric_limits<Key>::max();
        Key highest = 0;
        for (std::size_t i = first; i < first + count; ++i) {
          const Key key = pairs[i].key;
          lowest = std::min(lowest, key);
          highest = std::max(highest, key);
        }
        return Extent{lowest, highest};
      },
      [](const Extent& a, const Extent& b) {
        return Extent{std::min(a.lowest, b.lowest), std::max(a.highest, b.highest)};
      });
}

// Sorts a bucket that fits the cache: a counting sort spreads it over about half as many bins as
// pairs, and insertion sort finishes each bin.
template <class Key>
void sort_in_cache(Pair<Key>* pairs, Pair<Key>* spare, std::size_t size,
                   std::vector<std::uint32_t>& starts) {
  if (size <= tiny) return insertion_sort(pairs, size);
  Key lowest = std::numeric_limits<Key>::max();
  Key highest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Key key = pairs[i].key;
    lowest = std::min(lowest, key);
    highest = std::max(highest, key);
  }
  if (lowest == highest) return;  // equal keys are in row order already
  const std::size_t bins = size / 2;
  const Spread spread(lowest, highest, bins);
  starts.assign(bins + 1, 0);
  for (std::size_t i = 0; i < size; ++i) ++starts[spread(pairs[i].key) + 1];
  for (std::size_t bin = 0; bin < bins; ++bin) starts[bin + 1] += starts[bin];
  for (std::size_t i = 0; i < size; ++i) spare[starts[spread(pairs[i].key)]++] = pairs[i];
  std::memcpy(pairs, spare, size * sizeof(Pair<Key>));
  std::size_t begin = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t end = starts[bin];
    if (end - begin <= tiny)
      insertion_sort(pairs + begin, end - begin);
    else
      std::sort(pairs + begin, pairs + end, before<Key>);
    begin = end;
  }
}

// Partitions pairs into buckets, equal intervals from the lowest to the highest key, in parallel
// and stably, then sorts each bucket.
template <class Key>
void sort_range(Pair<Key>* pairs, Pair<Key>* spare, std::size_t size) {
  if (size <= in_cache) {
    std::vector<std::uint32_t> starts;
    return sort_in_cache(pairs, spare, size, starts);
  }
  const Extent extent = extent_of(pairs, size);
  if (extent.lowest == extent.highest) return;
  const std::size_t buckets = std::clamp<std::size_t>(size / (in_cache / 4), 2, max_buckets);
  const Spread spread(extent.lowest, extent.highest, buckets);

  const std::size_t blocks = (size + block_pairs - 1) / block_pairs;
  std::vector<std::size_t> offsets(blocks * buckets, 0);
  parallel_for(size, block_pairs, [&](std::size_t first, std::size_t count) {
    std::size_t* counts = &offsets[first / block_pairs * buckets];
    for (std::size_t i = first; i < first + count; ++i) ++counts[spread(pairs[i].key)];
  });
  std::vector<std::size_t> starts(buckets + 1, 0);
  std::size_t next = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    starts[bucket] = next;
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t here = offsets[block * buckets + bucket];
      offsets[block * buckets + bucket] = next;
      next += here;
    }
  }
  starts[buckets] = next;
  parallel_for(size, block_pairs, [&](std::size_t first, std::size_t count) {
    std::size_t* offset = &offsets[first / block_pairs * buckets];
    for (std::size_t i = first; i < first + count; ++i)
      spare[offset[spread(pairs[i].key)]++] = pairs[i];
  });
  const ProgressStage sorting(1, 1);
  parallel_for(buckets, 1, [&](std::size_t bucket, std::size_t) {
    const std::size_t first = starts[bucket];
    const std::size_t count = starts[bucket + 1] - first;
    std::memcpy(pairs + first, spare + first, count * sizeof(Pair<Key>));
    sort_range(pairs + first, spare + first, count);
  });
}

}  // namespace

template <class Key>
void sort_pairs(std::span<Pair<Key>> pairs) {
  Array<Pair<Key>> spare(pairs.size());
  sort_range(pairs.data(), spare.data(), pairs.size());
}

template void sort_pairs(std::span<Pair<std::uint32_t>>);
template void sort_pairs(std::span<Pair<std::uint64_t>>);

namespace {

constexpr std::size_t run_grain = std::size_t{1} << 13;

// Pairs of one encoded key.
template <class Key>
void sort_run(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec) {
  const auto before = [&](const Pair<Key>& a, const Pair<Key>& b) {
    const int order = codec.comparer()->compare_rows(a.row, b.row);
    return order != 0 ? order < 0 : a.row < b.row;
  };
  if (size <= run_grain) return std::sort(pairs, pairs + size, before);
  parallel_for(size, run_grain, [&](std::size_t first, std::size_t count) {
    std::sort(pairs + first, pairs + first + count, before);
  });
  for (std::size_t half = run_grain; half < size; half *= 2)
    parallel_for(size, 2 * half, [&](std::size_t first, std::size_t count) {
      if (count > half)
        std::inplace_merge(pairs + first, pairs + first + half, pairs + first + count, before);
    });
}

}  // namespace

template <class Key>
void order_by_full_key(Pair<Key>* pairs, std::size_t size, const KeyCodec& codec) {
  const std::size_t blocks = (size + run_grain - 1) / run_grain;
  // The start of the first run that begins in a block or after it: no run is cut.
  std::vector<std::size_t> starts(blocks + 1, size);
  parallel_for(size, run_grain, [&](std::size_t first, std::size_t count) {
    std::size_t start = first;
    while (start > 0 && start < first + count && pairs[start].key == pairs[start - 1].key) ++start;
    if (start < first + count) starts[first / run_grain] = start;
  });
  for (std::size_t block = blocks; block-- > 0;)
    starts[block] = std::min(starts[block], starts[block + 1]);
  parallel_for(blocks, 1, [&](std::size_t block, std::size_t) {
    for (std::size_t begin = starts[block]; begin < starts[block + 1];) {
      std::size_t end = begin + 1;
      while (end < starts[block + 1] && pairs[end].key == pairs[begin].key) ++end;
      if (end - begin > 1) sort_run(pairs + begin, end - begin, codec);
      begin = end;
    }
  });
}

template void order_by_full_key(Pair<std::uint32_t>*, std::size_t, const KeyCodec&);
template void order_by_full_key(Pair<std::uint64_t>*, std::size_t, const KeyCodec&);

}  // namespace rtindex
