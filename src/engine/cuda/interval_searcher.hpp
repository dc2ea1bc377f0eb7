#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/cuda/pooled_stream.hpp"
#include "engine/cuda/device_searcher.hpp"
#include "engine/cuda/interval_kernels.hpp"
#include "order/cuda/device_extent_tree.hpp"

namespace rtindex::cuda {

// A searcher of intervals on a GPU, over two searchers of a kind that keeps its keys in order: of
// the starts and of the ends. Counts and sums of integers are differences of ranks; rows are found
// among the starts by a tree of ends.
class IntervalSearcher final : public DeviceSearcher {
 public:
  // Both searchers have the same rows. `ends`: their ends in row order; null: those of the
  // searcher.
  IntervalSearcher(GpuContext gpu, std::shared_ptr<Searcher> starts, std::shared_ptr<Searcher> ends,
                   const DeviceColumn* ends_by_row, const MemoryMeter& meter);
  ~IntervalSearcher() override;

  [[nodiscard]] Encoding encoding() const override;
  [[nodiscard]] SegmentTraits traits(std::size_t included_column) const override;
  [[nodiscard]] FoundRows answer_on_device(Method method, const SearchedLookups& searched,
                                           const DeviceRequest& request, RowsWanted wanted,
                                           cudaStream_t stream) const override;
  void join_on_device(const SearchedLookups& searched, const JoinRequest& join,
                      cudaStream_t stream) const override;
  void find_edges_on_device(const SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                            std::uint64_t* keys, cudaStream_t stream) const override;

  void select(const KeyCodec& codec, std::span<const std::uint64_t> positions,
              std::uint32_t* rows) const override;
  [[nodiscard]] IntervalPoints interval_points() const override { return {starts_, ends_}; }
  // The starts.
  [[nodiscard]] DeviceColumn device_column(cudaStream_t stream) const override;
  [[nodiscard]] EncodedColumn column() const override;
  [[nodiscard]] EncodedColumn column_of(std::span<const std::uint32_t> rows) const override;
  [[nodiscard]] IncludedRows included_rows() const override;
  void save(FileWriter file) const override;
  [[nodiscard]] std::string describe() const override;

 private:
  struct Arrays {
    PooledStream stream;
    DeviceExtentTree tree;
  };

  [[nodiscard]] std::vector<std::pair<std::string, std::size_t>> memory_entries() const override;
  [[nodiscard]] bool is_wide() const { return rtindex::is_wide(encoding().span); }
  // The positions of the starts that queries name.
  [[nodiscard]] DeviceArray<Run> find_starts(const DeviceLookups& queries,
                                             cudaStream_t stream) const;
  [[nodiscard]] IntervalWalk walk(const SearchedLookups& searched, const Run* starts) const;
  void answer_by_rank(const SearchedLookups& searched, const DeviceRequest& request,
                      cudaStream_t stream) const;
  // Without deleted rows, in two kernels.
  void count_by_rank(const DeviceLookups& queries, const DeviceRequest& request,
                     const Queue& queue) const;
  [[nodiscard]] FoundRows collect(const IntervalWalk& walk, const RowsWanted& wanted,
                                  const Queue& queue) const;

  std::shared_ptr<Searcher> starts_;
  std::shared_ptr<Searcher> ends_;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace rtindex::cuda
