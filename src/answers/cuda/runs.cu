#include "answers/cuda/runs.hpp"

#include <cub/device/device_scan.cuh>

#include <type_traits>

#include <rtindex/answer.hpp>

#include "answers/cuda/collect.cuh"
#include "base/cuda/device_array.hpp"
#include "base/cuda/launch.cuh"

namespace rtindex::cuda {

namespace {

struct RowHits {
  const std::uint32_t* rows;
  [[nodiscard]] __device__ std::uint64_t operator()(std::size_t i) const {
    return rows[i] == miss_row ? 0 : 1;
  }
};

struct RunHits {
  RowSource from;
  [[nodiscard]] __device__ std::uint64_t operator()(std::size_t i) const {
    return from.valid_in(i);
  }
};

template <class Found>
__global__ void add_hits(Found found, std::size_t count, std::uint64_t* hits) {
  std::uint64_t own = 0;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) own += found(i);
  if (own != 0) atomicAdd(reinterpret_cast<unsigned long long*>(hits), own);
}

template <class Found>
void launch_add_hits(const Found& found, std::size_t count, std::uint64_t* hits,
                     cudaStream_t stream) {
  add_hits<<<loop_blocks(count), block_threads, 0, stream>>>(found, count, hits);
  check_launch("counting hits");
}

__global__ void runs_of_rows_kernel(const std::uint32_t* rows, std::size_t count, Run* runs) {
  const std::size_t i = thread_number();
  if (i >= count) return;
  const auto begin = static_cast<std::uint32_t>(i);
  runs[i] = {begin, rows[i] == miss_row ? begin : begin + 1};
}

__global__ void rows_at_kernel(const std::uint64_t* positions, std::size_t count, RowsView from,
                               std::size_t size, std::uint32_t* rows) {
  const std::size_t i = thread_number();
  if (i < count) rows[i] = positions[i] < size ? from[positions[i]] : miss_row;
}

__global__ void count_rows(const __grid_constant__ RowSources from, std::size_t count,
                           std::uint32_t limit, std::uint64_t* counts) {
  const std::size_t i = thread_number();
  if (i > count) return;
  counts[i] = i == count ? 0 : from.rows_of(i, limit);
}

// Every thread writes some neighbouring rowIDs and searches once for the lookup of the first.
template <class Cursor>
__global__ void collect_kernel(const __grid_constant__ RowSources from, std::size_t count,
                               const std::uint64_t* offsets, std::uint64_t begin,
                               std::uint64_t capacity, std::uint32_t* out, std::uint64_t* keys) {
  constexpr std::uint64_t each = 8;
  const std::uint64_t total = offsets[count];
  const std::uint64_t end = total - begin < capacity ? total : begin + capacity;
  for (std::uint64_t first = begin + thread_number() * each; first < end;
       first += thread_count() * each) {
    std::size_t lookup = lookup_at(offsets, count, first);
    const std::uint64_t last = first + each < end ? first + each : end;
    for (std::uint64_t at = first; at < last; ++lookup) {
      const std::uint64_t lookup_end = offsets[lookup + 1] < last ? offsets[lookup + 1] : last;
      if (at >= lookup_end) continue;
      Cursor cursor(from, lookup, static_cast<std::uint32_t>(at - offsets[lookup]));
      for (; at < lookup_end; ++at) {
        if constexpr (std::is_same_v<Cursor, OrderedRowCursor>) {
          const OrderedRowCursor::Row row = cursor.next();
          out[at - begin] = row.row;
          if (keys != nullptr) keys[at - begin] = row.key;
        } else {
          out[at - begin] = cursor.next();
        }
      }
    }
  }
}

// Every thread writes the rowIDs of one lookup: those of several segments can only be merged from
// the first one on.
__global__ void merge_kernel(const __grid_constant__ RowSources from, std::size_t count,
                             const std::uint64_t* offsets, std::uint64_t begin,
                             std::uint64_t capacity, std::uint32_t* out, std::uint64_t* keys) {
  const std::uint64_t total = offsets[count];
  const std::uint64_t end = total - begin < capacity ? total : begin + capacity;
  for (std::size_t i = thread_number(); i < count; i += thread_count()) {
    std::uint64_t at = offsets[i] < begin ? begin : offsets[i];
    const std::uint64_t last = offsets[i + 1] < end ? offsets[i + 1] : end;
    if (at >= last) continue;
    OrderedRowCursor cursor(from, i, static_cast<std::uint32_t>(at - offsets[i]));
    for (; at < last; ++at) {
      const OrderedRowCursor::Row row = cursor.next();
      out[at - begin] = row.row;
      if (keys != nullptr) keys[at - begin] = row.key;
    }
  }
}

}  // namespace

void runs_of_rows(const std::uint32_t* rows, std::size_t count, Run* runs, cudaStream_t stream) {
  if (count == 0) return;
  runs_of_rows_kernel<<<blocks_for(count), block_threads, 0, stream>>>(rows, count, runs);
  check_launch("collecting rows");
}

void rows_at(const std::uint64_t* positions, std::size_t count, const RowsView& from,
             std::size_t size, std::uint32_t* rows, cudaStream_t stream) {
  if (count == 0) return;
  rows_at_kernel<<<blocks_for(count), block_threads, 0, stream>>>(positions, count, from, size,
                                                                  rows);
  check_launch("selecting rows");
}

void count_hits(const std::uint32_t* rows, std::size_t count, std::uint64_t* hits,
                cudaStream_t stream) {
  launch_add_hits(RowHits{rows}, count, hits, stream);
}

void count_hits(const RowSource& from, std::size_t count, std::uint64_t* hits,
                cudaStream_t stream) {
  launch_add_hits(RunHits{from}, count, hits, stream);
}

void offsets_of(const RowSources& from, std::size_t count, std::uint32_t limit,
                std::uint64_t* offsets, const Queue& queue) {
  count_rows<<<blocks_for(count + 1), block_threads, 0, queue>>>(from, count, limit, offsets);
  with_scratch(queue, "counting rows", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, offsets, offsets, count + 1, queue);
  });
}

void collect_rows(const RowSources& from, std::size_t count, const std::uint64_t* offsets,
                  std::uint64_t begin, std::uint64_t capacity, std::uint32_t* out,
                  cudaStream_t stream, std::uint64_t* keys) {
  if (count == 0 || capacity == 0) return;
  if (from.order == RowOrder::any)
    collect_kernel<RowCursor>
        <<<4096, block_threads, 0, stream>>>(from, count, offsets, begin, capacity, out, keys);
  else if (from.count == 1)
    collect_kernel<OrderedRowCursor>
        <<<4096, block_threads, 0, stream>>>(from, count, offsets, begin, capacity, out, keys);
  else
    merge_kernel<<<loop_blocks(count), block_threads, 0, stream>>>(from, count, offsets, begin,
                                                                   capacity, out, keys);
  check_launch("collecting rows");
}

}  // namespace rtindex::cuda
