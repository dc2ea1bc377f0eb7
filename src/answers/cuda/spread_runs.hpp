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

// How a batch of runs is answered, decided on the device once its runs are there; and long runs.
//
// These are laid one behind the other, so that every warp of the GPU can take an equal share of
// their matches, whatever runs they belong to: a run of a million matches costs about what a
// million runs of one match do.
class SpreadRuns {
 public:
  // `spreads`: values will be added up. Where there is not enough memory for that, and in small
  // columns, long runs are left to others.
  SpreadRuns(const Run* runs, std::size_t count, RowsView rows, std::size_t size, bool spreads,
             const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

  // Whole once `choose` has run.
  [[nodiscard]] const Choice* choice() const { return choice_; }
  [[nodiscard]] bool can_spread() const { return starts_ != nullptr; }

  // `can_order`: there is memory for values in key order.
  void choose(bool can_order, cudaStream_t stream) const;
  // Adds up the long runs if the choice says so.
  void aggregate(const DeviceRequest& request, cudaStream_t stream) const;

 private:
  const Run* runs_;
  std::size_t count_;
  RowsView rows_;
  std::size_t size_;
  DeviceBytes bytes_;  // all that follows, taken at once
  Choice* choice_ = nullptr;
  std::uint64_t* starts_ = nullptr;  // of each run among the matches of all long ones
  std::uint64_t* tiles_ = nullptr;   // the same of every tile of runs
  void* carries_ = nullptr;          // what one warp tells the next
};

}  // namespace rtindex::cuda
