#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/runs.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Runs of this many matches and more are long: more than one thread adds them up.
inline constexpr std::uint32_t long_run = 32;

// What a batch has found, and what follows from that for how it is answered.
struct Choice {
  unsigned long long hits;
  std::uint32_t longest;
  std::uint32_t ordered;   // values are put into key order first
  std::uint32_t direct;    // they are not
  std::uint32_t spread;    // the matches of long runs are shared out evenly among all warps
  std::uint32_t row_tree;  // the smallest rows come from a tree
  std::uint32_t row_scan;  // they do not
};

// The matches of all long runs of a batch one behind the other, so that every warp of the GPU can
// take an equal share of them, whatever runs these belong to: a run of a million matches costs
// about what a million runs of one match do.
class SpreadRuns {
 public:
  SpreadRuns() = default;
  // Null() where there is not enough memory, and for batches that can do without.
  SpreadRuns(std::size_t count, std::size_t size, const std::shared_ptr<DeviceMemory>& memory,
             cudaStream_t stream);

  [[nodiscard]] bool null() const { return carries_.null(); }

  // Measures the batch into an empty `choice`, and then decides; null runs are never spread.
  // `can_order`: there is memory for values in key order.
  void measure(const Run* runs, std::size_t count, Choice* choice, cudaStream_t stream) const;
  void choose(std::size_t count, std::size_t size, bool can_order, Choice* choice,
              cudaStream_t stream) const;

  // Adds up the long runs if `choice` says so.
  void aggregate(const Run* runs, std::size_t count, RowsView rows, const DeviceRequest& request,
                 const Choice* choice, cudaStream_t stream) const;

 private:
  DeviceArray<std::uint64_t> starts_;  // of each run among the matches of all long ones
  DeviceArray<std::uint64_t> tiles_;   // the same of every tile of runs
  DeviceBytes carries_;                // what one warp tells the next
};

}  // namespace rtindex::cuda
