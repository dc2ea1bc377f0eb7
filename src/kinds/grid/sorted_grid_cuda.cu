// Columns that are sorted already.

#include "engine/cuda/sequence_finder.cuh"
#include "engine/cuda/sequence_searcher.hpp"
#include "kinds/grid/device_grid.cuh"

namespace rtindex::cuda {

namespace {

// The finders of a sequence, for with_finder(): its keys have 4 bytes.
struct SequenceFinders {
  const DeviceOrder& order;
  template <class Key>
  [[nodiscard]] SequenceFinder finder() const {
    return {SequenceView(order)};
  }
};

// A sequence beside a newer segment with a grid.
class GridSequence final : public SequenceSearcher {
 public:
  explicit GridSequence(const DeviceOrder& order) : SequenceSearcher(order) { fused_.pair = true; }

  void answer_pair(const PositionSearcher& newer, const DeviceLookups& lookups,
                   const DeviceLookups& newer_lookups, const KeyFilter& newer_keys,
                   const DeviceRequest& request, cudaStream_t stream) const override {
    const GridSearcher& other = newer_grid(newer);
    answer_points_of_both(SequenceFinders{*order_}, false, GridFinders<Layout::pairs>{other},
                          other.is_wide(), lookups, newer_lookups, newer_keys, request, stream);
  }
};

}  // namespace

std::unique_ptr<PositionSearcher> make_sorted_grid(DeviceOrder& order, int keys_per_cell,
                                                   const Queue& queue) {
  if (order.layout() == Layout::sequence) return std::make_unique<GridSequence>(order);
  return std::make_unique<DeviceGrid<Layout::keys>>(order, keys_per_cell, queue);
}

}  // namespace rtindex::cuda
