#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/runs.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Runs of this many matches and more are long: several threads aggregate them.
inline constexpr std::uint32_t long_run = 32;

// How a batch is answered, chosen from the number and length of its runs.
struct Choice {
  unsigned long long hits;
  std::uint32_t longest;
  std::uint32_t ordered;   // values are put into key order first
  std::uint32_t direct;    // values are fetched by rowID
  std::uint32_t spread;    // long runs are split evenly among all warps
  std::uint32_t row_tree;  // the smallest or greatest rows come from a tree
  std::uint32_t row_scan;  // these rows come from scans of the runs
};

// Chooses on the device how a batch of runs is answered, and aggregates long runs.
//
// Long runs are concatenated, and every warp of the GPU aggregates an equal share of their matches,
// across runs: a run of a million matches costs about as much as a million runs of one match.
class SpreadRuns {
 public:
  // `spreads`: values are aggregated. can_spread() is false without enough memory for that, and for
  // small columns.
  SpreadRuns(const Run* runs, std::size_t count, const OrderedRows& from, bool spreads,
             const Queue& queue);

  // Complete once the kernel of `choose` has run.
  [[nodiscard]] const Choice* choice() const { return choice_; }
  [[nodiscard]] bool can_spread() const { return starts_ != nullptr; }

  // `can_order`: there is memory for values in key order.
  void choose(bool can_order, cudaStream_t stream) const;
  // Aggregates the long runs if `spread` was chosen.
  void aggregate(const DeviceRequest& request, cudaStream_t stream) const;

 private:
  const Run* runs_;
  std::size_t count_;
  OrderedRows from_;
  DeviceBytes bytes_;  // one allocation for the arrays below
  Choice* choice_ = nullptr;
  std::uint64_t* starts_ = nullptr;  // of each run among the matches of all long ones
  std::uint64_t* tiles_ = nullptr;   // starts of every tile of runs
  void* partials_ = nullptr;         // partial aggregates of runs shared between warps
};

}  // namespace rtindex::cuda
