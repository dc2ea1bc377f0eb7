#pragma once

#include <memory>

#include "base/cuda/stopwatch.hpp"
#include "execution/cuda/answerer.hpp"
#include "keys/encoded_column.hpp"
#include "tracers/optix/pipeline.hpp"
#include "tracers/optix/scene.hpp"

namespace rtindex::optix {

// Answers lookups by casting their rays.
class RayAnswerer final : public cuda::Answerer {
 public:
  struct Parts {
    const RxOptions& options;
    const Pipeline& pipeline;
    const Pipeline& point_pipeline;
    SceneView scene;
    // The keys on the host, where full keys must be compared there.
    const EncodedColumn* on_host;
    const std::shared_ptr<DeviceMemory>& memory;
    Counters* counters;  // on the device; null: nothing is counted
    cuda::LaunchTimes& times;
  };

  explicit RayAnswerer(const Parts& parts) : parts_(parts) {}

  [[nodiscard]] cuda::FoundRows answer(const LookupBatch& batch, std::size_t first,
                                       const cuda::DeviceLookups& lookups,
                                       const cuda::DeviceRequest& request, cuda::RowsWanted wanted,
                                       cudaStream_t stream) const override;

 private:
  // The primitives that the rays of each lookup hit, one lookup's behind the other's; none where
  // there are too many for one array.
  struct Collected {
    cuda::DeviceArray<std::uint64_t> offsets;
    std::uint64_t total = 0;
    cuda::DeviceArray<std::uint32_t> primitives;
  };

  [[nodiscard]] LaunchParams params(const LookupBatch& batch,
                                    const cuda::DeviceLookups& lookups) const;
  // Casts the rays of so many lookups.
  void launch(const Pipeline& pipeline, const LaunchParams& params, std::size_t lookups,
              cudaStream_t stream) const;
  void fold(LaunchParams params, std::size_t lookups, const cuda::DeviceRequest& request,
            cudaStream_t stream) const;
  // As many positions for each lookup as its rays hit primitives, up to the limit.
  [[nodiscard]] cuda::DeviceArray<cuda::Run> sizes_of(LaunchParams params, std::size_t lookups,
                                                      std::uint32_t limit,
                                                      cudaStream_t stream) const;
  [[nodiscard]] Collected collect(LaunchParams params, const cuda::DeviceArray<cuda::Run>& sizes,
                                  std::uint32_t limit, cudaStream_t stream) const;
  [[nodiscard]] cuda::FoundRows rows_of(Collected collected, std::size_t lookups,
                                        cudaStream_t stream) const;
  // Compares full keys on the host; what is left are rowIDs.
  [[nodiscard]] cuda::FoundRows narrow(const LookupBatch& batch, std::size_t first,
                                       const Collected& collected, std::size_t lookups,
                                       cudaStream_t stream) const;

  Parts parts_;
};

}  // namespace rtindex::optix
