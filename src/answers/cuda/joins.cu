#include "answers/cuda/joins.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/tabulate_output_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "answers/cuda/collect.cuh"
#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"

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
  __device__ void operator()(std::int64_t at, std::uint64_t pair) const {
    const auto offset = static_cast<std::uint64_t>(at);
    if (offset >= out.capacity) return;
    __stcs(reinterpret_cast<unsigned long long*>(out.lookups) + offset,
           static_cast<unsigned long long>(pair >> 32));
    if (wants_rows) __stcs(out.rows + offset, static_cast<std::uint32_t>(pair));
  }
};

template <class PairOf>
void keep_lookups(std::size_t count, const PairOf& pair_of, const JoinRequest& join,
                  const Queue& queue) {
  const auto pairs = thrust::transform_iterator<PairOf, thrust::counting_iterator<std::uint32_t>>(
      thrust::counting_iterator<std::uint32_t>(0), pair_of);
  with_scratch(queue, joining_rows, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceSelect::If(
        scratch, bytes, pairs,
        thrust::make_tabulate_output_iterator(WritePair{join.outputs, join.wants_rows()}),
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

// Every thread writes some neighbouring pairs.
__global__ void fill_pairs(const __grid_constant__ RowSources from, std::size_t count,
                           const std::uint64_t* offsets, JoinOutputs out) {
  constexpr std::uint64_t each = 8;
  const std::uint64_t total = offsets[count];
  if (thread_number() == 0) *out.count = total;
  const std::uint64_t end = total < out.capacity ? total : out.capacity;
  for (std::uint64_t first = thread_number() * each; first < end; first += thread_count() * each) {
    std::size_t lookup = lookup_at(offsets, count, first);
    const std::uint64_t last = first + each < end ? first + each : end;
    for (std::uint64_t at = first; at < last; ++lookup) {
      const std::uint64_t lookup_end = offsets[lookup + 1] < last ? offsets[lookup + 1] : last;
      if (at >= lookup_end) continue;
      if (from.rows_of(lookup, 1) == 0) {
        // A left join keeps a lookup without rows.
        out.lookups[at] = lookup;
        out.rows[at++] = miss_row;
        continue;
      }
      RowCursor cursor(from, lookup, static_cast<std::uint32_t>(at - offsets[lookup]));
      for (; at < lookup_end; ++at) {
        out.lookups[at] = lookup;
        out.rows[at] = cursor.next();
      }
    }
  }
}

void join_nothing(const JoinRequest& join, cudaStream_t stream) {
  check(cudaMemsetAsync(join.outputs.count, 0, sizeof(*join.outputs.count), stream), joining_rows);
}

}  // namespace

void join_rows(const std::uint32_t* rows, std::size_t count, const JoinRequest& join,
               const Queue& queue) {
  if (count == 0) return join_nothing(join, queue);
  if (join.how != JoinKind::left) return keep_lookups(count, OneRow{rows}, join, queue);
  write_all<<<blocks_for(count), block_threads, 0, queue>>>(count, OneRow{rows},
                                                            WritePair{join.outputs, true});
  check_launch(joining_rows);
}

void join_sources(const RowSources& from, std::size_t count, const JoinRequest& join,
                  const Queue& queue) {
  if (count == 0) return join_nothing(join, queue);
  if (!join.wants_rows()) return keep_lookups(count, AnyRow{from}, join, queue);
  const DeviceArray<std::uint64_t> offsets(queue, count + 1);
  count_pairs<<<blocks_for(count + 1), block_threads, 0, queue>>>(
      from, count, join.how == JoinKind::left ? 1 : 0, offsets.data());
  check_launch(joining_rows);
  with_scratch(queue, joining_rows, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, offsets.data(), offsets.data(), count + 1,
                                         queue);
  });
  fill_pairs<<<4096, block_threads, 0, queue>>>(from, count, offsets.data(), join.outputs);
  check_launch(joining_rows);
}

}  // namespace rtindex::cuda
