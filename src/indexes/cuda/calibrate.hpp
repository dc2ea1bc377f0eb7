#pragma once

#include <string>

#include "indexes/auto_choice.hpp"
#include "indexes/points_choice.hpp"

namespace rtindex::cuda {

// Which tracer an open spec takes on this GPU; chosen once per process.
[[nodiscard]] TracerChoice tracer_choice(int device);

[[nodiscard]] std::string gpu_and_driver(int device);
// The same lookups in `rx` and in a hash table, over keys like a sample's of a native type.
[[nodiscard]] PointsCalibration measure_points(int device, const PointsSample& sample,
                                               const std::string& rx);

}  // namespace rtindex::cuda
