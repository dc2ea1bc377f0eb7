#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <rtindex/column.hpp>
#include <rtindex/device.hpp>

#include "engine/batch_runner.hpp"
#include "engine/segment_builder.hpp"
#include "keys/codec.hpp"

namespace rtindex {

// Whether keys up to `span` can be held; not set: any can.
using HoldsSpan = std::function<bool(std::uint64_t span)>;

// What an index works with: a kind with its options parsed, bound once to the host or to one GPU
// and its allocator. Nothing below it reads a spec.
struct Engine {
  // Builds, changes, merges and loads segments.
  std::shared_ptr<const SegmentBuilder> segments;
  // Answers queries from segments.
  std::shared_ptr<const BatchRunner> batches;
  MemorySpace memory_space = MemorySpace::host;
  std::shared_ptr<DeviceMemory> device_memory = {};  // of a GPU; null: the default

  // Whether keys stay in key order, as included values need it.
  bool keeps_key_order = true;
  bool indexes_points = false;
  HoldsSpan holds = {};
  bool refits = false;  // update=refit
  // Whether large merges run on a thread of the index, not in the change that fills the delta.
  bool merges_in_background = false;

  // How many keys may lie outside the first segment before all segments are merged, unless the
  // index has the option `delta`.
  std::size_t default_delta = std::size_t{1} << 16;
  // Segments after the first whose size is at most this many times that of all newer rows are
  // merged with them. By default two segments lie beside the main one, where batches of 2^10 rows
  // grow to 2^15 and these to 2^20.
  std::size_t merge_factor = 32;
};

}  // namespace rtindex
