#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/checked_cast.hpp"
#include "engine/cuda/box_kernels.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "engine/cuda/ordered_searcher.hpp"
#include "order/cuda/device_points.hpp"

namespace rtindex::cuda {

// Searches points on a GPU: box queries in a tree of blocks (order/cuda/device_box_tree.hpp).
class BoxSearcher final : public DeviceSearcher {
 public:
  // Row i of `rows` is element i of the points, which rows.ids maps to rowIDs; its column is unset.
  // `largest`: the largest key of each column.
  BoxSearcher(GpuContext gpu, DeviceRows rows, const DevicePoints& points,
              std::vector<std::uint64_t> largest, const MemoryMeter& meter);
  ~BoxSearcher() override;

  [[nodiscard]] Encoding encoding() const override;
  [[nodiscard]] SegmentTraits traits(std::size_t included_column) const override;
  [[nodiscard]] FoundRows answer_on_device(Method method, const SearchedLookups& searched,
                                           const DeviceRequest& request, RowsWanted wanted,
                                           cudaStream_t stream) const override;
  // Rows [0, capacity) of those that the queries match, at most `limit` each, without a copy of
  // them, and the offsets of each query. `rows`: null where only the offsets are requested.
  void write_rows(const SearchedLookups& searched, std::uint32_t limit, std::uint64_t* offsets,
                  std::uint32_t* rows, std::uint64_t capacity, cudaStream_t stream) const;
  void set_bits(const SearchedLookups& searched, const BoxBitmaps& out, cudaStream_t stream) const;
  // The number of rows that one query matches, of all rows.
  [[nodiscard]] std::uint32_t count_single(const DeviceBoxes& box) const;
  void find_edges_on_device(const SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                            std::uint64_t* keys, cudaStream_t stream) const override;

  // Points have no single key: this throws.
  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override;
  [[nodiscard]] EncodedColumn column() const override;
  [[nodiscard]] IncludedRows included_rows() const override;
  void save(FileWriter file) const override;
  [[nodiscard]] std::string describe() const override;

 private:
  [[nodiscard]] DeletedRowsUse deleted_in(const DeviceLookups& lookups, cudaStream_t stream) const;
  [[nodiscard]] BoxSearch search_of(const DeviceLookups& lookups,
                                    const DeletedRowsUse& deleted) const;
  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_entries() const override;
  [[nodiscard]] static FoundRows collect(const BoxSearch& search, const RowsWanted& wanted,
                                         const Queue& queue);
  // In the order of the tree, in host memory.
  [[nodiscard]] PackedKeys keys_in_order(std::size_t column, cudaStream_t stream) const;
  [[nodiscard]] Array<std::uint32_t> rows_in_order(cudaStream_t stream) const;

  std::vector<std::uint64_t> largest_;
  std::unique_ptr<OrderedArrays> arrays_;
};

// Whether a searcher of points has them in blocks; else rays find them.
[[nodiscard]] inline bool is_box_searcher(const DeviceSearcher& searcher) {
  return !searcher.traits(0).folds_hits;
}
[[nodiscard]] inline const BoxSearcher& box_searcher(const DeviceSearcher& searcher) {
  return checked_cast<const BoxSearcher&>(searcher);
}

// The points of a column that the host has encoded.
[[nodiscard]] DevicePoints uploaded_points(const EncodedColumn& column, const Queue& queue);

}  // namespace rtindex::cuda
