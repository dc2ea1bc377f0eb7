#pragma once

#include <cuda_runtime_api.h>

#include <deque>
#include <memory>
#include <span>
#include <vector>

#include <rtindex/answer.hpp>

#include "answers/request.hpp"
#include "engine/cuda/device_batch.hpp"
#include "engine/cuda/neighbour_kernels.hpp"
#include "engine/cuda/workspace.hpp"
#include "engine/neighbours.hpp"

namespace rtindex::cuda {

// One side of keys, on which neighbours are searched in all segments.
struct SideTargets {
  NeighbourRange range;  // owns the columns that the batches of the targets refer to
  std::vector<SegmentTarget> targets;
  std::vector<LookupEncoder> encoders;
};

// Finds the neighbours of keys in all segments: rows, their keys as elements, and which keys have
// one. Keys and outputs lie in host or device memory; data moves as in DeviceBatch.
class NeighbourRunner {
 public:
  // The sides that the direction names; `maps`: the encodings of their targets.
  NeighbourRunner(std::deque<SideTargets>& sides, std::span<const PackedMap> maps,
                  const ColumnView& keys, const NearestOptions& nearest, KeyDistance farthest,
                  const Request& request);

  // Writes rows (Outputs::any), keys of native columns (Outputs::key) and Outputs::matched.
  void run();
  // For outputs in device memory: writes the keys of any column, part by part.
  void run(const NeighbourOutputs& outputs);

  // Whether the encodings of all segments can be compared on the device.
  [[nodiscard]] static bool can_join(std::span<const PackedMap> maps) {
    return common_map(maps).has_value();
  }

 private:
  void find(std::size_t first, std::size_t count, const NeighbourOutputs& outputs, CopiesIn& in,
            const Queue& queue);
  [[nodiscard]] NeighbourSide find_side(SideTargets& side, std::size_t first, std::size_t count,
                                        const LookupElements& elements, std::uint32_t* rows,
                                        bool wants_keys, CopiesIn& in, const Queue& queue);
  void run_in_pieces(std::span<Lane> lanes);
  [[nodiscard]] const KeyCodec& codec() const;

  std::deque<SideTargets>& sides_;
  std::span<const PackedMap> maps_;
  PackedMap map_;  // of all segments
  const ColumnView& keys_;
  const NearestOptions& nearest_;
  KeyDistance farthest_;
  const std::shared_ptr<DeviceMemory>& memory_;
  const Request& request_;
  cudaStream_t caller_;
  bool is_measured_;
  DeviceCounters counters_;
  LaunchTimes times_;
};

}  // namespace rtindex::cuda
