#pragma once

#include <cuda_runtime_api.h>

#include "answers/cuda/runs.hpp"
#include "keys/cuda/device_keys.hpp"
#include "keys/full_keys.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

// Lookups whose matches are compared in full: those of a batch from its first on, in device memory.
struct FullLookups {
  const FullKeys* keys = nullptr;  // in host memory
  PackedEnd lower, upper;          // `upper` is `lower` for points
  RangeEnds ends;
  const std::uint8_t* checks = nullptr;  // Check flags
  const void* intervals = nullptr;       // KeyInterval<Key>s in the order of the batch
  bool is_wide = false;                  // of the intervals
};

// Compares the rows that points from `first` on found by their encoded keys: a row with another
// full key becomes miss_row.
void drop_other_rows(const FullLookups& lookups, std::size_t first, std::size_t count,
                     std::uint32_t* rows, cudaStream_t stream);

// Shortens runs of positions, in an order by full keys, at both ends to the positions that match.
void drop_other_rows(const FullLookups& lookups, std::size_t first, std::size_t count,
                     bool are_points, const DeviceOrder& order, Run* runs, cudaStream_t stream);

}  // namespace rtindex::cuda
