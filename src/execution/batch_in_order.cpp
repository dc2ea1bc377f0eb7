#include "execution/batch_in_order.hpp"

namespace rtindex {

namespace {

constexpr std::size_t block_lookups = std::size_t{1} << 15;

// Calls visit(bucket, interval, place) for every lookup of a block.
template <class Visit>
void visit_block(const LookupBatch& batch, std::size_t first, std::size_t count,
                 const Spread& spread, Visit&& visit) {
  Interval intervals[chunk_lookups];
  for (std::size_t begin = first; begin < first + count; begin += chunk_lookups) {
    const std::size_t size = std::min(chunk_lookups, first + count - begin);
    batch.encode(begin, size, intervals, nullptr);
    for (std::size_t i = 0; i < size; ++i)
      visit(intervals[i].empty() ? 0 : spread(intervals[i].lower), intervals[i], begin + i);
  }
}

}  // namespace

bool is_sorted(const LookupBatch& batch) {
  constexpr std::size_t samples = 8;
  constexpr std::size_t in_sample = 16;
  if (batch.size() < samples * in_sample) return false;
  Interval intervals[in_sample];
  std::uint64_t last = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    batch.encode(batch.size() / samples * sample, in_sample, intervals, nullptr);
    for (const Interval& interval : intervals) {
      if (interval.empty()) continue;
      if (interval.lower < last) return false;
      last = interval.lower;
    }
  }
  return true;
}

PartitionedBatch::PartitionedBatch(const LookupBatch& batch, std::size_t first, std::size_t count,
                                   std::uint64_t span, std::size_t buckets)
    : items_(count), starts_(buckets + 1, 0) {
  const Spread spread(0, span, buckets);
  const std::size_t blocks = (count + block_lookups - 1) / block_lookups;
  std::vector<std::size_t> places(blocks * buckets, 0);
  parallel_for(count, block_lookups, [&](std::size_t begin, std::size_t size) {
    std::size_t* counts = &places[begin / block_lookups * buckets];
    visit_block(batch, first + begin, size, spread,
                [&](std::uint64_t bucket, const Interval&, std::size_t) { ++counts[bucket]; });
  });
  std::size_t next = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    starts_[bucket] = next;
    for (std::size_t block = 0; block < blocks; ++block) {
      std::size_t& place = places[block * buckets + bucket];
      next += std::exchange(place, next);
    }
  }
  starts_[buckets] = next;
  parallel_for(count, block_lookups, [&](std::size_t begin, std::size_t size) {
    std::size_t* place = &places[begin / block_lookups * buckets];
    visit_block(batch, first + begin, size, spread,
                [&](std::uint64_t bucket, const Interval& interval, std::size_t lookup) {
                  items_[place[bucket]++] = {interval, static_cast<std::uint32_t>(lookup)};
                });
  });
}

}  // namespace rtindex
