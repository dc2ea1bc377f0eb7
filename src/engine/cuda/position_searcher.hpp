#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/runs.hpp"
#include "base/cuda/queue.hpp"
#include "engine/cuda/lookup_view.hpp"
#include "order/cuda/device_filter.hpp"
#include "order/cuda/device_order.hpp"

namespace rtindex::cuda {

class PositionSearcher;

// A plan chose a kernel that the kind does not have: an error, never an answer that was not
// computed.
[[noreturn]] void fail_not_offered();

// Which fused kernels a kind offers.
struct FusedOffer {
  bool sums = false;
  bool included_sums = false;
  bool edges = false;
  bool edges_read_elements = false;  // else intervals only
  bool pair = false;
  bool newer = false;  // as the newer one of a pair
  bool ranks = false;
};

// Fused kernels that a kind may offer, each in place of two passes. Called only where the kind
// offers them.
class FusedKernels {
 public:
  virtual ~FusedKernels() = default;
  FusedKernels(const FusedKernels&) = delete;
  FusedKernels& operator=(const FusedKernels&) = delete;

  [[nodiscard]] const FusedOffer& fused() const { return fused_; }

  // The value at the row of each point, where keys are unique.
  virtual void find_sums(const DeviceLookups&, const SumTarget&, cudaStream_t) const {
    fail_not_offered();
  }
  // The sum of all matches of each point.
  virtual void find_included_sums(const DeviceLookups&, const IncludedSumTarget&,
                                  cudaStream_t) const {
    fail_not_offered();
  }
  // The first or last valid row of each range, in the order of (key, rowID), with one search each.
  virtual void find_edges(const DeviceLookups&, const EdgeTarget&, cudaStream_t) const {
    fail_not_offered();
  }
  // The number of keys up to the starts, or before the ends, of the matches of queries.
  virtual void find_ranks(const DeviceLookups&, const RankTarget&, cudaStream_t) const {
    fail_not_offered();
  }
  // Points of this column and of a newer one of the same kind, both with unique keys. `newer_keys`
  // filters those of the newer one.
  virtual void answer_pair(const PositionSearcher& newer, const DeviceLookups& lookups,
                           const DeviceLookups& newer_lookups, const KeyFilter& newer_keys,
                           const DeviceRequest& request, cudaStream_t stream) const {
    static_cast<void>(newer), static_cast<void>(lookups), static_cast<void>(newer_lookups);
    static_cast<void>(newer_keys), static_cast<void>(request), static_cast<void>(stream);
    fail_not_offered();
  }

 protected:
  FusedKernels() = default;

  FusedOffer fused_;
};

// Finds positions among the sorted keys, or slots, of a segment in device memory. Kernels are
// launched on the stream; no call waits for them. Functions that return rows skip deleted rows;
// those that return positions do not.
class PositionSearcher : public FusedKernels {
 public:
  // Whether find_rows() finds the first of the rows in key order where keys are not unique.
  [[nodiscard]] bool finds_first_rows() const { return finds_first_rows_; }
  [[nodiscard]] bool casts_rays() const { return casts_rays_; }
  // Index::build_profile().
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& build_profile() const {
    return build_profile_;
  }

  // One rowID for each point lookup, or miss_row: all matches where keys are unique.
  virtual void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                         cudaStream_t stream) const = 0;
  // The positions of all matches of each point lookup.
  virtual void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const = 0;
  // The positions of all matches of each range lookup; intervals only.
  virtual void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const = 0;
  // The column in row order.
  [[nodiscard]] virtual DeviceColumn column(const DeviceOrder& order, const Queue& queue) const {
    return order.column(queue);
  }
  // Bytes by name, without the keys and rowIDs in key order.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::size_t>> bytes() const = 0;
  // Lines for describe().
  [[nodiscard]] virtual std::string describe() const = 0;

 protected:
  bool finds_first_rows_ = true;
  bool casts_rays_ = false;
  std::vector<std::pair<std::string, double>> build_profile_;
};

}  // namespace rtindex::cuda
