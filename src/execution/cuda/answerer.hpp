#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "answers/cuda/device_answers.hpp"
#include "execution/cuda/locator.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// The rowIDs of a batch: runs of positions, in key order or among rowIDs of their own.
struct FoundRows {
  DeviceArray<Run> runs;
  DeviceArray<std::uint32_t> own;
  RowsView rows;
  // The runs tell how many rowIDs there are, and nothing else: more than one array can hold.
  // LookupOptions again for fewer lookups.
  bool too_many = false;
};

// Which rowIDs of a lookup's matches are wanted.
struct RowsWanted {
  bool any = false;
  std::uint32_t limit = 0;  // at most so many of a lookup will be used
  bool sizes_only = false;  // only how many there are
  bool again = false;       // of lookups whose work has been counted
};

// Answers lookups that are on the device into buffers there.
class Answerer {
 public:
  virtual ~Answerer() = default;
  // Lookups [first, first + lookups.count) of the batch. What was found is returned where rowIDs
  // are wanted.
  [[nodiscard]] virtual FoundRows answer(const LookupBatch& batch, std::size_t first,
                                         const DeviceLookups& lookups, const DeviceRequest& request,
                                         RowsWanted wanted, cudaStream_t stream) const = 0;
};

}  // namespace rtindex::cuda
