#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "answers/cuda/device_answers.hpp"
#include "base/cuda/device_array.hpp"
#include "engine/cuda/deleted_rows.hpp"
#include "engine/cuda/locator.hpp"
#include "keys/lookup_batch.hpp"

namespace rtindex::cuda {

// The rowIDs of a batch as runs of positions, in key order or in an array of their own.
struct FoundRows {
  DeviceArray<Run> runs;
  DeviceArray<std::uint32_t> own;
  DeviceArray<std::uint64_t> own_keys;
  RowsView rows;
  KeysView keys;           // of rows that are wanted in order
  DeletedRowsUse deleted;  // positions that do not count
  // More rowIDs than one array can hold: the runs have the right sizes, but there are no rowIDs.
  // The caller has to repeat the call for fewer lookups at a time.
  bool too_many = false;

  [[nodiscard]] RowSource source() const { return {runs.data(), rows, deleted.positions(), keys}; }
};

// Which rowIDs of a lookup's matches are wanted.
struct RowsWanted {
  bool any = false;
  std::uint32_t limit = 0;  // of one lookup
  bool sizes_only = false;  // only how many there are
  bool in_order = false;    // with their keys, in the order of these
};

// Answers lookups in device memory into buffers there.
class Answerer {
 public:
  virtual ~Answerer() = default;
  // Lookups [first, first + lookups.count) of the batch. Returns the rowIDs if they are wanted.
  [[nodiscard]] virtual FoundRows answer(const LookupBatch& batch, std::size_t first,
                                         const DeviceLookups& lookups, const DeviceRequest& request,
                                         RowsWanted wanted, cudaStream_t stream) const = 0;
  // Answers point lookups from this and a newer segment at once; false if the caller has to join
  // the answers of both.
  [[nodiscard]] virtual bool answer_with(const Answerer& newer, const DeviceLookups& lookups,
                                         const DeviceLookups& newer_lookups,
                                         const DeviceRequest& request, cudaStream_t stream) const {
    static_cast<void>(newer), static_cast<void>(lookups), static_cast<void>(newer_lookups);
    static_cast<void>(request), static_cast<void>(stream);
    return false;
  }
  // Whether a point lookup has one row at most.
  [[nodiscard]] virtual bool has_unique_keys() const { return false; }
  // The first or last valid row of each range, in the order of (key, rowID), or miss_row; and that
  // row's encoded key where `keys` is not null.
  virtual void find_edges(const LookupBatch& batch, std::size_t first, const DeviceLookups& lookups,
                          Edge edge, std::uint32_t* rows, std::uint64_t* keys,
                          cudaStream_t stream) const;
  // Whether find_edges() takes elements that are the only end of each range.
  [[nodiscard]] virtual bool reads_edge_elements() const { return false; }
};

}  // namespace rtindex::cuda
