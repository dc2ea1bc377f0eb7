#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cuda/position_searcher.hpp"

namespace rtindex::cuda {

// Finds positions in a dense sequence of keys, of which none are stored: by a subtraction. A kind
// whose searcher needs keys in memory uses it for Layout::sequence.
class SequenceSearcher : public PositionSearcher {
 public:
  explicit SequenceSearcher(const DeviceOrder& order);

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override;
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override;
  void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override;
  void find_sums(const DeviceLookups& lookups, const SumTarget& target,
                 cudaStream_t stream) const override;
  void find_included_sums(const DeviceLookups& lookups, const IncludedSumTarget& target,
                          cudaStream_t stream) const override;
  void find_ranks(const DeviceLookups& lookups, const RankTarget& target,
                  cudaStream_t stream) const override;
  void find_edges(const DeviceLookups& lookups, const EdgeTarget& target,
                  cudaStream_t stream) const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {};
  }
  [[nodiscard]] std::string describe() const override { return "search: subtraction\n"; }

 protected:
  const DeviceOrder* order_;
};

}  // namespace rtindex::cuda
