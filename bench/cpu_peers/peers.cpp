#include "cpu_peers/peers.hpp"

#include <numeric>

#if defined(RTINDEX_EXECUTOR_STD)
#define RTINDEX_PEER_SORT std::sort
#else
#include <tbb/parallel_sort.h>
#define RTINDEX_PEER_SORT tbb::parallel_sort
#endif

namespace rtindex::bench {

namespace {

// The rows of a column in the order of their keys.
Words order_of(std::span<const std::uint64_t> column) {
  Words rows(column.size());
  std::iota(rows.begin(), rows.end(), 0U);
  RTINDEX_PEER_SORT(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
    return column[a] != column[b] ? column[a] < column[b] : a < b;
  });
  return rows;
}

// In blocks that keep every core busy, even with few lookups with many hits.
template <class Body>
void each_lookup(std::size_t size, Body&& body) {
  constexpr std::size_t blocks = 64;
  parallel_for(size, std::clamp<std::size_t>(size / blocks, 1, peer_grain),
               [&](std::size_t first, std::size_t count) {
                 for (std::size_t i = first; i < first + count; ++i) body(i);
               });
}

}  // namespace

SortedPeer::SortedPeer(std::span<const std::uint64_t> column)
    : keys_(column.size()), rows_(order_of(column)) {
  for (std::size_t i = 0; i < column.size(); ++i) keys_[i] = column[rows_[i]];
}

void SortedPeer::points(std::span<const std::uint64_t> keys, const Words& values,
                        std::span<std::uint64_t> sums) const {
  ranges(keys, keys, values, sums);
}

void SortedPeer::ranges(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
                        const Words& values, std::span<std::uint64_t> sums) const {
  each_lookup(lower.size(), [&](std::size_t i) {
    auto at = static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), lower[i]) -
                                       keys_.begin());
    std::uint64_t sum = 0;
    bool any = false;
    for (; at < keys_.size() && keys_[at] <= upper[i]; ++at, any = true) sum += values[rows_[at]];
    sums[i] = any ? sum : peer_miss;
  });
}

void SortedPeer::counts(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
                        std::span<std::uint32_t> counts) const {
  each_lookup(lower.size(), [&](std::size_t i) {
    counts[i] = static_cast<std::uint32_t>(std::upper_bound(keys_.begin(), keys_.end(), upper[i]) -
                                           std::lower_bound(keys_.begin(), keys_.end(), lower[i]));
  });
}

HashPeer::HashPeer(std::span<const std::uint64_t> column) {
  map_.reserve(column.size());
  for (std::size_t i = 0; i < column.size(); ++i)
    map_.emplace(column[i], static_cast<std::uint32_t>(i));
}

template <class Write>
void HashPeer::find(std::span<const std::uint64_t> keys, bool prefetch, const Write& write) const {
  constexpr std::size_t ahead = 16;
  parallel_for(keys.size(), peer_grain, [&](std::size_t first, std::size_t count) {
    const std::size_t end = first + count;
    for (std::size_t i = first; i < end; ++i) {
      if (prefetch && i + ahead < end) map_.prefetch(keys[i + ahead]);
      const auto found = map_.find(keys[i]);
      write(i, found == map_.end() ? peer_miss : std::uint64_t{found->second});
    }
  });
}

void HashPeer::points(std::span<const std::uint64_t> keys, const Words& values,
                      std::span<std::uint64_t> sums, bool prefetch) const {
  find(keys, prefetch, [&](std::size_t i, std::uint64_t row) {
    sums[i] = row == peer_miss ? peer_miss : values[row];
  });
}

void HashPeer::rows(std::span<const std::uint64_t> keys, std::span<std::uint32_t> rows) const {
  find(keys, true,
       [&](std::size_t i, std::uint64_t row) { rows[i] = static_cast<std::uint32_t>(row); });
}

BtreePeer::BtreePeer(std::span<const std::uint64_t> column) {
  for (const std::uint32_t row : order_of(column)) map_.emplace_hint(map_.end(), column[row], row);
}

void BtreePeer::points(std::span<const std::uint64_t> keys, const Words& values,
                       std::span<std::uint64_t> sums) const {
  ranges(keys, keys, values, sums);
}

void BtreePeer::ranges(std::span<const std::uint64_t> lower, std::span<const std::uint64_t> upper,
                       const Words& values, std::span<std::uint64_t> sums) const {
  each_lookup(lower.size(), [&](std::size_t i) {
    std::uint64_t sum = 0;
    bool any = false;
    for (auto at = map_.lower_bound(lower[i]); at != map_.end() && at->first <= upper[i]; ++at) {
      sum += values[at->second];
      any = true;
    }
    sums[i] = any ? sum : peer_miss;
  });
}

}  // namespace rtindex::bench
