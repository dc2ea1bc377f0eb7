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
  PackedEnd lower, upper;          // the same for points
  RangeEnds ends;
  const std::uint8_t* checks = nullptr;  // Check flags
  const void* intervals = nullptr;       // KeyInterval<Key>s in the order of the batch
  bool is_wide = false;                  // of the intervals
};

// Where rows were found by the encoded keys of points, from lookup `first` on: those of another
// full key become miss_row.
void drop_other_rows(const FullLookups& lookups, std::size_t first, std::size_t count,
                     std::uint32_t* rows, cudaStream_t stream);

// The same for runs of positions in an order by full keys: what does not match is taken off both
// ends.
void drop_other_rows(const FullLookups& lookups, std::size_t first, std::size_t count,
                     bool are_points, const DeviceOrder& order, Run* runs, cudaStream_t stream);

}  // namespace rtindex::cuda
