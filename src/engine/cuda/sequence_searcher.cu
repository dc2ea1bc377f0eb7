#include "engine/cuda/sequence_searcher.hpp"

#include "engine/cuda/locate.cuh"
#include "engine/cuda/locate_edges.cuh"
#include "engine/cuda/sequence_finder.cuh"

namespace rtindex::cuda {

SequenceSearcher::SequenceSearcher(const DeviceOrder& order) : order_(&order) {
  fused_ = {.sums = true,
            .included_sums = true,
            .edges = true,
            .edges_read_elements = true,
            .ranks = true};
}

void SequenceSearcher::find_rows(const DeviceLookups& lookups, std::uint32_t* rows,
                                 cudaStream_t stream) const {
  launch_find_rows(SequenceFinder{SequenceView(*order_)}, lookups, rows, stream);
}

void SequenceSearcher::find_points(const DeviceLookups& lookups, Run* runs,
                                   cudaStream_t stream) const {
  launch_find_points(SequenceFinder{SequenceView(*order_)}, lookups, runs, stream);
}

void SequenceSearcher::find_ranges(const DeviceLookups& lookups, Run* runs,
                                   cudaStream_t stream) const {
  launch_find_ranges(SequenceFinder{SequenceView(*order_)}, *order_, lookups, runs, stream);
}

void SequenceSearcher::find_sums(const DeviceLookups& lookups, const SumTarget& target,
                                 cudaStream_t stream) const {
  launch_find_sums(SequenceFinder{SequenceView(*order_)}, lookups, target, stream);
}

void SequenceSearcher::find_included_sums(const DeviceLookups& lookups,
                                          const IncludedSumTarget& target,
                                          cudaStream_t stream) const {
  launch_find_included_sums(SequenceFinder{SequenceView(*order_)}, lookups, true, target, stream);
}

void SequenceSearcher::find_ranks(const DeviceLookups& lookups, const RankTarget& target,
                                  cudaStream_t stream) const {
  launch_find_ranks(SequenceFinder{SequenceView(*order_)}, *order_, lookups, target, stream);
}

void SequenceSearcher::find_edges(const DeviceLookups& lookups, const EdgeTarget& target,
                                  cudaStream_t stream) const {
  launch_find_edges<EdgeForms::all>(SequenceFinder{SequenceView(*order_)}, *order_, lookups, target,
                                    stream);
}

}  // namespace rtindex::cuda
