#include "kinds/sorted/sorted_cuda.hpp"

#include "engine/cuda/locate.cuh"
#include "engine/cuda/locate_edges.cuh"
#include "engine/cuda/sequence_searcher.hpp"
#include "order/cuda/order_view.cuh"

namespace rtindex::cuda {

namespace {

template <class KeyType>
struct BinaryFinder {
  using Key = KeyType;
  static constexpr int lanes = 1;

  OrderView<Key, Layout::split> order;

  [[nodiscard]] __device__ std::uint32_t lower_bound(Key key) const {
    return order.lower_bound(0, order.size, key);
  }
  [[nodiscard]] __device__ std::uint32_t row(Key key) const {
    return order.row_at(lower_bound(key), order.size, key);
  }
  [[nodiscard]] __device__ Run equal(Key key) const {
    return order.run_at(lower_bound(key), order.size, key);
  }
};

class BinarySearch final : public PositionSearcher {
 public:
  explicit BinarySearch(const DeviceOrder& order) : order_(&order) {
    fused_.edges = fused_.edges_read_elements = fused_.ranks = true;
  }

  template <class Key>
  [[nodiscard]] BinaryFinder<Key> finder() const {
    return {OrderView<Key, Layout::split>(*order_)};
  }

  void find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                 cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(),
                [&](const auto& finder) { launch_find_rows(finder, lookups, rows, stream); });
  }
  void find_points(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(),
                [&](const auto& finder) { launch_find_points(finder, lookups, runs, stream); });
  }
  void find_ranges(const DeviceLookups& lookups, Run* runs, cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(), [&](const auto& finder) {
      launch_find_ranges(finder, *order_, lookups, runs, stream);
    });
  }
  void find_ranks(const DeviceLookups& lookups, const RankTarget& target,
                  cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(), [&](const auto& finder) {
      launch_find_ranks(finder, *order_, lookups, target, stream);
    });
  }
  void find_edges(const DeviceLookups& lookups, const EdgeTarget& target,
                  cudaStream_t stream) const override {
    with_finder(*this, order_->is_wide(), [&](const auto& finder) {
      launch_find_edges<EdgeForms::all>(finder, *order_, lookups, target, stream);
    });
  }
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> bytes() const override {
    return {};
  }
  [[nodiscard]] std::string describe() const override { return "search: bisection\n"; }

 private:
  const DeviceOrder* order_;
};

}  // namespace

std::unique_ptr<PositionSearcher> make_binary_search(const DeviceOrder& order) {
  if (order.layout() == Layout::sequence) return std::make_unique<SequenceSearcher>(order);
  return std::make_unique<BinarySearch>(order);
}

}  // namespace rtindex::cuda
