#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <rtindex/device.hpp>

#include "keys/cuda/key_blocks.hpp"

namespace rtindex::cuda {

// The matches of one lookup: positions [begin, end) in key order.
struct Run {
  std::uint32_t begin, end;
};

// The rowIDs of a column in key order, by position.
struct RowsView {
  const std::uint32_t* rows = nullptr;
  std::uint32_t stride = 1;
  bool in_blocks = false;  // of KeyBlocks, whose first word `rows` points to

#if defined(__CUDACC__)
  [[nodiscard]] __device__ std::uint32_t operator[](std::size_t position) const {
    return __ldg(rows + (in_blocks ? KeyBlocks::row_at(static_cast<std::uint32_t>(position))
                                   : position * stride));
  }
#endif
};

// Runs of lookups with at most one match: lookup i has position i, or none if rows[i] is miss_row.
void runs_of_rows(const std::uint32_t* rows, std::size_t count, Run* runs, cudaStream_t stream);

// Adds the number of matches to a counter on the device: rowIDs that are not miss_row.
void count_hits(const std::uint32_t* rows, std::size_t count, std::uint64_t* hits,
                cudaStream_t stream);
// The same for runs.
void count_hits(const Run* runs, std::size_t count, std::uint64_t* hits, cudaStream_t stream);

// offsets[i] = where the rowIDs of lookup i start, at most `limit` each; offsets[count] = their
// number.
void offsets_of(const Run* runs, std::size_t count, std::uint32_t limit, std::uint64_t* offsets,
                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);
// The rowIDs from offset `begin` on, at most `capacity`.
void collect_rows(const Run* runs, std::size_t count, RowsView rows, const std::uint64_t* offsets,
                  std::uint64_t begin, std::uint64_t capacity, std::uint32_t* out,
                  cudaStream_t stream);

}  // namespace rtindex::cuda
