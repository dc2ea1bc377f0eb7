#include "answers/cuda/joins.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "answers/cuda/collect.cuh"
#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"
#include "base/cuda/transfer.hpp"

namespace rtindex::cuda {

namespace {

constexpr const char* joining_rows = "joining rows";

// A lookup with its row, lookup << 32 | row, which compaction reads and writes at once; the row is
// miss_row where there is none.
struct OneRow {
  const std::uint32_t* rows;
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t i) const {
    return std::uint64_t{i} << 32 | __ldcs(rows + i);
  }
};
// A lookup with 0, or with miss_row where it has no row: for joins that return lookups only.
struct AnyRow {
  RowSources from;
  [[nodiscard]] __device__ std::uint64_t operator()(std::uint32_t i) const {
    return std::uint64_t{i} << 32 | (from.rows_of(i, 1) != 0 ? 0 : miss_row);
  }
};

constexpr std::uint64_t neighbouring_pairs = 8;  // that a thread writes, so that it searches once

struct IsKept {
  bool with_row;
  [[nodiscard]] __device__ bool operator()(std::uint64_t pair) const {
    return (static_cast<std::uint32_t>(pair) != miss_row) == with_row;
  }
};

// Writes the pairs that fit; without rows where only lookups are requested.
struct WritePair {
  JoinOutputs out;
  bool wants_rows;
  std::uint64_t first_lookup;

  explicit WritePair(const JoinRequest& join)
      : out(join.outputs), wants_rows(join.wants_rows()), first_lookup(join.first_lookup) {}

  __device__ void operator()(std::int64_t at, std::uint64_t pair) const {
    const auto offset = static_cast<std::uint64_t>(at);
    if (offset >= out.capacity) return;
    __stcs(reinterpret_cast<unsigned long long*>(out.lookups) + offset,
           static_cast<unsigned long long>(first_lookup + (pair >> 32)));
    if (wants_rows) __stcs(out.rows + offset, static_cast<std::uint32_t>(pair));
  }
  // Where there is room.
  __device__ void at(std::uint64_t offset, std::size_t lookup, std::uint32_t row) const {
    out.lookups[offset] = first_lookup + lookup;
    out.rows[offset] = row;
  }
};

template <class PairOf>
void keep_lookups(std::size_t count, const PairOf& pair_of, const JoinRequest& join,
                  const Queue& queue) {
  const auto pairs = thrust::transform_iterator<PairOf, thrust::counting_iterator<std::uint32_t>>(
      thrust::counting_iterator<std::uint32_t>(0), pair_of);
  with_scratch(queue, joining_rows, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(
        scratch, bytes, pairs, thrust::make_tabulate_output_iterator(WritePair(join)),
        reinterpret_cast<unsigned long long*>(join.outputs.count), static_cast<std::int64_t>(count),
        IsKept{join.how != JoinKind::anti}, queue);
  });
}

// Every lookup is kept.
__global__ void write_all(std::size_t count, OneRow pair_of, WritePair write) {
  const std::size_t i = thread_number();
  if (i < count) write(static_cast<std::int64_t>(i), pair_of(static_cast<std::uint32_t>(i)));
  if (i == 0) *write.out.count = count;
}

__global__ void count_pairs(const __grid_constant__ RowSources from, std::size_t count,
                            std::uint32_t least, std::uint64_t* counts) {
  const std::size_t i = thread_number();
  if (i > count) return;
  counts[i] = i == count ? 0 : max(from.rows_of(i, no_limit), least);
}

// Every thread writes some neighbouring pairs, those from `skipped` on.
__global__ void fill_pairs(const __grid_constant__ RowSources from, std::size_t count,
                           const std::uint64_t* offsets, std::uint64_t skipped,
                           std::uint64_t first_lookup, JoinOutputs out) {
  const std::uint64_t total = offsets[count];
  if (thread_number() == 0) *out.count = total;
  if (total <= skipped) return;
  const std::uint64_t end = total - skipped < out.capacity ? total : skipped + out.capacity;
  for (std::uint64_t first = skipped + thread_number() * neighbouring_pairs; first < end;
       first += thread_count() * neighbouring_pairs) {
    std::size_t lookup = lookup_at(offsets, count, first);
    const std::uint64_t last = first + neighbouring_pairs < end ? first + neighbouring_pairs : end;
    for (std::uint64_t at = first; at < last; ++lookup) {
      const std::uint64_t lookup_end = offsets[lookup + 1] < last ? offsets[lookup + 1] : last;
      if (at >= lookup_end) continue;
      if (from.rows_of(lookup, 1) == 0) {
        // A left join keeps a lookup without rows.
        out.lookups[at - skipped] = first_lookup + lookup;
        out.rows[at - skipped] = miss_row;
        ++at;
        continue;
      }
      RowCursor cursor(from, lookup, static_cast<std::uint32_t>(at - offsets[lookup]));
      for (; at < lookup_end; ++at) {
        out.lookups[at - skipped] = first_lookup + lookup;
        out.rows[at - skipped] = cursor.next();
      }
    }
  }
}

// Pairs in any order, in one pass: each block adds the number of its pairs to that of all, and
// writes them from there on.

// A lookup with so many rows that all blocks write its pairs.
struct LongLookup {
  std::size_t lookup;
  std::uint64_t first;  // the position of its first pair
  std::uint32_t rows;
};
// Beyond so many, the work of blocks is even without a list.
constexpr std::uint32_t max_long_lookups = 1024;
constexpr std::uint32_t long_lookup_rows = 1U << 13;

struct LongLookups {
  LongLookup* entries;
  std::uint32_t* count;  // may exceed max_long_lookups
};

[[nodiscard]] __device__ std::uint64_t add_pairs(const JoinOutputs& out, std::uint64_t pairs) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(out.count),
                   static_cast<unsigned long long>(pairs));
}

// `least`: how many pairs a lookup without rows has.
__global__ void __launch_bounds__(block_threads)
    join_blocks(const __grid_constant__ RowSources from, std::size_t count, std::uint32_t least,
                LongLookups long_lookups, WritePair write) {
  using Scan = cub::BlockScan<std::uint64_t, block_threads>;
  __shared__ typename Scan::TempStorage scratch;
  __shared__ std::uint64_t starts[block_threads];
  __shared__ bool has_rows[block_threads];
  __shared__ std::uint64_t base;
  const std::size_t i = thread_number();
  const std::uint32_t rows = i < count ? from.rows_of(i, no_limit) : 0;
  std::uint64_t pairs = i < count ? max(rows, least) : 0;
  if (rows >= long_lookup_rows) {
    const std::uint32_t entry = atomicAdd(long_lookups.count, 1U);
    if (entry < max_long_lookups) {
      long_lookups.entries[entry] = {i, add_pairs(write.out, rows), rows};
      pairs = 0;
    }
  }
  std::uint64_t start = 0;
  std::uint64_t total = 0;
  Scan(scratch).ExclusiveSum(pairs, start, total);
  starts[threadIdx.x] = start;
  has_rows[threadIdx.x] = rows != 0;
  if (threadIdx.x == 0) base = total == 0 ? 0 : add_pairs(write.out, total);
  __syncthreads();
  const std::uint64_t room = base < write.out.capacity ? write.out.capacity - base : 0;
  const std::uint64_t end = total < room ? total : room;
  const std::size_t first_lookup = i - threadIdx.x;
  for (std::uint64_t pair = threadIdx.x; pair < end; pair += block_threads) {
    const std::size_t local = lookup_at(starts, block_threads, pair);
    const std::size_t lookup = first_lookup + local;
    const auto nth = static_cast<std::uint32_t>(pair - starts[local]);
    write.at(base + pair, lookup, has_rows[local] ? RowCursor(from, lookup, nth).next() : miss_row);
  }
}

__global__ void join_long_lookups(const __grid_constant__ RowSources from, LongLookups long_lookups,
                                  WritePair write) {
  const std::uint32_t count = min(*long_lookups.count, max_long_lookups);
  for (std::uint32_t entry = blockIdx.y; entry < count; entry += gridDim.y) {
    const LongLookup some = long_lookups.entries[entry];
    const std::uint64_t step = thread_count() * neighbouring_pairs;
    for (std::uint64_t nth = thread_number() * neighbouring_pairs; nth < some.rows; nth += step) {
      RowCursor cursor(from, some.lookup, static_cast<std::uint32_t>(nth));
      const std::uint64_t last = min(nth + neighbouring_pairs, std::uint64_t{some.rows});
      for (std::uint64_t at = nth; at < last && some.first + at < write.out.capacity; ++at)
        write.at(some.first + at, some.lookup, cursor.next());
    }
  }
}

void join_in_any_order(const RowSources& from, std::size_t count, const JoinRequest& join,
                       const Queue& queue) {
  const DeviceArray<LongLookup> entries(queue, max_long_lookups);
  const DeviceArray<std::uint32_t> entry_count(queue, 1);
  const LongLookups long_lookups{entries.data(), entry_count.data()};
  check(cudaMemsetAsync(entry_count.data(), 0, entry_count.bytes(), queue), joining_rows);
  check(cudaMemsetAsync(join.outputs.count, 0, sizeof(*join.outputs.count), queue), joining_rows);
  const WritePair write(join);
  join_blocks<<<blocks_for(count), block_threads, 0, queue>>>(
      from, count, join.how == JoinKind::left ? 1 : 0, long_lookups, write);
  check_launch(joining_rows);
  join_long_lookups<<<dim3(128, 16), block_threads, 0, queue>>>(from, long_lookups, write);
  check_launch(joining_rows);
}

void join_nothing(const JoinRequest& join, cudaStream_t stream) {
  check(cudaMemsetAsync(join.outputs.count, 0, sizeof(*join.outputs.count), stream), joining_rows);
}

}  // namespace

void join_rows(const std::uint32_t* rows, std::size_t count, const JoinRequest& join,
               const Queue& queue) {
  if (count == 0) return join_nothing(join, queue);
  if (join.how != JoinKind::left) return keep_lookups(count, OneRow{rows}, join, queue);
  write_all<<<blocks_for(count), block_threads, 0, queue>>>(count, OneRow{rows}, WritePair(join));
  check_launch(joining_rows);
}

void join_sources(const RowSources& from, std::size_t count, const JoinRequest& join,
                  const Queue& queue) {
  if (count == 0) return join_nothing(join, queue);
  if (!join.wants_rows()) return keep_lookups(count, AnyRow{from}, join, queue);
  if (join.order == JoinOrder::any && join.skipped_pairs == 0)
    return join_in_any_order(from, count, join, queue);
  const DeviceArray<std::uint64_t> offsets(queue, count + 1);
  count_pairs<<<blocks_for(count + 1), block_threads, 0, queue>>>(
      from, count, join.how == JoinKind::left ? 1 : 0, offsets.data());
  check_launch(joining_rows);
  with_scratch(queue, joining_rows, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, offsets.data(), offsets.data(), count + 1,
                                         queue);
  });
  fill_pairs<<<4096, block_threads, 0, queue>>>(from, count, offsets.data(), join.skipped_pairs,
                                                join.first_lookup, join.outputs);
  check_launch(joining_rows);
}

CountedJoin::CountedJoin(const JoinRequest& join, const Queue& queue) : join_(join) {
  if (join_.outputs.count != nullptr) return;
  own_count_ = DeviceArray<std::uint64_t>(queue, 1);
  join_.outputs.count = own_count_.data();
}

void CountedJoin::finish(cudaStream_t stream) const {
  if (join_.total != nullptr)
    copy_to_host(join_.total, join_.outputs.count, sizeof(*join_.total), stream);
}

}  // namespace rtindex::cuda
