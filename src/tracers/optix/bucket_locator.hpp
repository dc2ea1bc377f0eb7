#pragma once

#include <memory>

#include "execution/cuda/locator.hpp"
#include "tracers/optix/scene.hpp"

namespace rtindex::optix {

// Finds keys by rays: OptiX the bucket, a kernel the key in it.
[[nodiscard]] std::unique_ptr<cuda::Locator> make_bucket_locator(
    const SceneOptions& options, const cuda::DeviceOrder& order,
    const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

}  // namespace rtindex::optix
