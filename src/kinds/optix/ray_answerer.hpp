#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/cuda/device_searcher.hpp"
#include "keys/encoded_column.hpp"
#include "kinds/optix/pipeline.hpp"
#include "kinds/optix/scene.hpp"

namespace rtindex::optix {

// Answers lookups by casting their rays.
class RayAnswerer {
 public:
  // Inputs; all of them outlive this object.
  struct Sources {
    const RxOptions& options;
    const Pipeline& pipeline;
    const Pipeline& point_pipeline;
    // Compiled at the first call.
    std::function<const Pipeline&()> edge_pipeline;
    SceneView scene;
    IntervalView intervals;  // of a column of intervals
    // The keys on the host, if full keys must be compared there.
    const EncodedColumn* on_host;
    const std::shared_ptr<DeviceMemory>& memory;
    PointView points = {};  // of a column of points, without boxes
  };

  explicit RayAnswerer(Sources sources) : from_(std::move(sources)) {}

  // See DeviceSearcher.
  [[nodiscard]] cuda::FoundRows answer(const cuda::SearchedLookups& searched,
                                       const cuda::DeviceRequest& request, cuda::RowsWanted wanted,
                                       cudaStream_t stream) const;
  void find_edges(const cuda::SearchedLookups& searched, Edge edge, std::uint32_t* rows,
                  std::uint64_t* keys, cudaStream_t stream) const;

 private:
  // The primitives that the rays of each lookup hit, lookup by lookup; none if there are too many
  // for one array.
  struct Collected {
    cuda::DeviceArray<std::uint64_t> offsets;
    std::uint64_t total = 0;
    cuda::DeviceArray<std::uint32_t> primitives;
  };

  [[nodiscard]] LaunchParams params(const LookupBatch& batch,
                                    const cuda::DeviceLookups& lookups) const;
  void fold(LaunchParams params, const cuda::DeviceRequest& request,
            const cuda::Queue& queue) const;
  // A run per lookup, as long as its number of hits, up to the limit.
  [[nodiscard]] cuda::DeviceArray<cuda::Run> sizes_of(LaunchParams params, std::uint32_t limit,
                                                      const cuda::Queue& queue) const;
  [[nodiscard]] Collected collect(LaunchParams params, const cuda::DeviceArray<cuda::Run>& sizes,
                                  std::uint32_t limit, const cuda::Queue& queue) const;
  [[nodiscard]] cuda::FoundRows rows_of(Collected collected, std::size_t lookups,
                                        const cuda::Queue& queue) const;
  // All rows, in the order of their keys.
  [[nodiscard]] cuda::FoundRows rows_in_order(const LaunchParams& rays,
                                              const cuda::Queue& queue) const;
  // Compares full keys on the host; returns rowIDs, and their keys if `in_order`.
  [[nodiscard]] cuda::FoundRows filter_residuals(const LookupBatch& batch, std::size_t first,
                                                 const Collected& collected, std::size_t lookups,
                                                 bool in_order, const cuda::Queue& queue) const;
  // Throws where the hits do not fit one array.
  static void require_room(const Collected& collected, std::size_t lookups, const char* doing);
  // The valid rows of one encoded key for each lookup, or none.
  [[nodiscard]] Collected rows_at_keys(const LaunchParams& edges, const std::vector<EdgeRow>& keys,
                                       const cuda::Queue& queue) const;
  // Compares full keys on the host, and repeats the search where all rows of an encoded key lie
  // outside the range.
  [[nodiscard]] std::vector<EdgeRow> find_full_edges(const LookupBatch& batch, std::size_t first,
                                                     LaunchParams edges,
                                                     const cuda::Queue& queue) const;

  Sources from_;
};

}  // namespace rtindex::optix
