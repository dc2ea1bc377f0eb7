#pragma once

#include <memory>

#include "engine/cuda/ordered_searcher.hpp"
#include "keys/point_codec.hpp"
#include "kinds/optix/scene.hpp"
#include "kinds/scene/rx_options.hpp"

namespace rtindex::optix {

// Builds over keys that are on the GPU.
[[nodiscard]] std::unique_ptr<Searcher> build_tracer(const SceneOptions& options,
                                                     cuda::DeviceRows rows,
                                                     const cuda::GpuContext& gpu,
                                                     const cuda::MemoryMeter& meter);

// Builds over a column that the host has encoded.
[[nodiscard]] std::unique_ptr<Searcher> build_tracer(const SceneOptions& options,
                                                     EncodedColumn column, const KeyCodec& codec,
                                                     const cuda::GpuContext& gpu);

// How intervals and points are made into scenes: as boxes, which our own program intersects.
[[nodiscard]] SceneOptions box_options(const SceneOptions& options);

// Builds over intervals that are on the GPU.
[[nodiscard]] std::unique_ptr<Searcher> build_interval_tracer(const SceneOptions& options,
                                                              cuda::DeviceIntervalRows rows,
                                                              const cuda::GpuContext& gpu,
                                                              const cuda::MemoryMeter& meter);

// Builds over points that the host has encoded.
[[nodiscard]] std::unique_ptr<Searcher> build_point_tracer(const SceneOptions& options,
                                                           const EncodedColumn& column,
                                                           const PointCodec& codec,
                                                           const cuda::GpuContext& gpu,
                                                           const cuda::MemoryMeter& meter);

// A position searcher over sorted keys: rays find the bucket of a key, a binary search its position
// in the bucket.
[[nodiscard]] std::unique_ptr<cuda::PositionSearcher> make_bucket_locator(
    const SceneOptions& options, const cuda::DeviceOrder& order, const cuda::Queue& queue);

}  // namespace rtindex::optix
