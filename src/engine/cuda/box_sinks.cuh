#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/cuda/deleted_positions.hpp"
#include "answers/cuda/run.hpp"

// What box queries do with the rows that a walk (order/cuda/box_walk.cuh) finds.
namespace rtindex::cuda {

[[nodiscard]] __device__ inline unsigned lane_number() { return threadIdx.x % 32; }

[[nodiscard]] __device__ inline bool is_deleted(const DeletedPositions& deleted,
                                                std::uint32_t position) {
  return deleted.blocks != nullptr && deleted.has(position);
}

// Counts matches, each lane some of them.
struct MatchCounter {
  DeletedPositions deleted;
  std::uint32_t own = 0;

  [[nodiscard]] __device__ static constexpr bool is_full() { return false; }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t end) {
    if (has_run) own += deleted.blocks == nullptr ? end - begin : deleted.valid_in(Run{begin, end});
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    if (deleted.blocks != nullptr)
      for (std::uint32_t i = 0; i < 4; ++i)
        if ((hits >> i & 1) != 0 && deleted.has(first + i)) hits &= ~(1U << i);
    own += static_cast<std::uint32_t>(__popc(hits));
  }
  [[nodiscard]] __device__ std::uint32_t total() const { return __reduce_add_sync(~0U, own); }
};

// Calls taker.take(is_match, position) for each position of runs and hits, by all lanes.
template <class Taker>
struct EachMatch {
  DeletedPositions deleted;
  Taker taker;

  [[nodiscard]] __device__ bool is_full() const { return taker.is_full(); }
  __device__ void add_runs(bool has_run, std::uint32_t begin, std::uint32_t end) {
    for (unsigned left = __ballot_sync(~0U, has_run); left != 0 && !is_full(); left &= left - 1) {
      const int from = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t first = __shfl_sync(~0U, begin, from);
      const std::uint32_t size = __shfl_sync(~0U, end, from) - first;
      for (std::uint64_t i = 0; i < size && !is_full(); i += 32) {
        const std::uint64_t at = i + lane_number();
        const auto position = static_cast<std::uint32_t>(first + at);
        taker.take(at < size && !is_deleted(deleted, position), position);
      }
    }
  }
  __device__ void add_hits(std::uint32_t first, std::uint32_t hits) {
    if (!__any_sync(~0U, hits != 0)) return;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i)
      if (!is_full())
        taker.take((hits >> i & 1) != 0 && !is_deleted(deleted, first + i), first + i);
  }
};

// Counts matches up to a limit.
struct LimitedCounter {
  std::uint32_t limit;
  std::uint32_t count = 0;  // the same in all lanes

  [[nodiscard]] __device__ bool is_full() const { return count >= limit; }
  __device__ void take(bool is_match, std::uint32_t) {
    count += static_cast<std::uint32_t>(__popc(__ballot_sync(~0U, is_match)));
  }
  [[nodiscard]] __device__ std::uint32_t total() const { return count < limit ? count : limit; }
};

// What the rows of a query are folded into; all 0 where there is none.
struct RowFold {
  std::uint32_t matches = 0;
  std::uint32_t any = 0;    // row + 1
  std::uint32_t first = 0;  // ~row
  std::uint32_t last = 0;   // row + 1
};

struct RowFolder {
  RowsView rows;
  bool one_is_enough;
  bool is_found = false;  // the same in all lanes
  RowFold own = {};

  [[nodiscard]] __device__ bool is_full() const { return one_is_enough && is_found; }
  __device__ void take(bool is_match, std::uint32_t position) {
    if (is_match) {
      const std::uint32_t row = rows[position];
      ++own.matches;
      own.any = row + 1;
      own.first = max(own.first, ~row);
      own.last = max(own.last, row + 1);
    }
    if (one_is_enough && __any_sync(~0U, is_match)) is_found = true;
  }
  [[nodiscard]] __device__ RowFold total() const {
    return {__reduce_add_sync(~0U, own.matches), __reduce_max_sync(~0U, own.any),
            __reduce_max_sync(~0U, own.first), __reduce_max_sync(~0U, own.last)};
  }
};

}  // namespace rtindex::cuda
