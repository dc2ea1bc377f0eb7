#pragma once

#include <memory>

#include "execution/cuda/answerer.hpp"
#include "keys/encoded_column.hpp"
#include "tracers/optix/pipeline.hpp"
#include "tracers/optix/scene.hpp"

namespace rtindex::optix {

// Answers lookups by casting their rays.
class RayAnswerer final : public cuda::Answerer {
 public:
  // What it reads; all of it outlives the answerer.
  struct Sources {
    const RxOptions& options;
    const Pipeline& pipeline;
    const Pipeline& point_pipeline;
    SceneView scene;
    // The keys on the host, if full keys must be compared there.
    const EncodedColumn* on_host;
    const std::shared_ptr<DeviceMemory>& memory;
  };

  explicit RayAnswerer(const Sources& sources) : from_(sources) {}

  [[nodiscard]] cuda::FoundRows answer(const LookupBatch& batch, std::size_t first,
                                       const cuda::DeviceLookups& lookups,
                                       const cuda::DeviceRequest& request, cuda::RowsWanted wanted,
                                       cudaStream_t stream) const override;

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
  void launch(const Pipeline& pipeline, const LaunchParams& params, cudaStream_t stream) const;
  void fold(LaunchParams params, const cuda::DeviceRequest& request, cudaStream_t stream) const;
  // A run per lookup, as long as its number of hits, up to the limit.
  [[nodiscard]] cuda::DeviceArray<cuda::Run> sizes_of(LaunchParams params, std::uint32_t limit,
                                                      cudaStream_t stream) const;
  [[nodiscard]] Collected collect(LaunchParams params, const cuda::DeviceArray<cuda::Run>& sizes,
                                  std::uint32_t limit, cudaStream_t stream) const;
  [[nodiscard]] cuda::FoundRows rows_of(Collected collected, std::size_t lookups,
                                        cudaStream_t stream) const;
  // Compares full keys on the host; the result are rowIDs.
  [[nodiscard]] cuda::FoundRows filter_residuals(const LookupBatch& batch, std::size_t first,
                                                 const Collected& collected, std::size_t lookups,
                                                 cudaStream_t stream) const;

  Sources from_;
};

}  // namespace rtindex::optix
