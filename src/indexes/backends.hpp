#pragma once

#include <string>
#include <vector>

#include "execution/backend.hpp"
#include "indexes/auto_choice.hpp"
#include "indexes/points_choice.hpp"

namespace rtindex {

// Every backend, in the order in which `auto` prefers them: a GPU where there is one, and on each
// device the native tracer first.
[[nodiscard]] const std::vector<const Backend*>& backends();

// The tracer that an open spec takes on a GPU.
[[nodiscard]] TracerChoice gpu_tracer(int device);

// The name of a GPU and the version of its driver.
[[nodiscard]] std::string gpu_and_driver(int device);
// The same lookups in `rx` and in a hash table on a GPU, over keys like a sample's.
[[nodiscard]] PointsCalibration measure_points_on_gpu(int device, const PointsSample& sample,
                                                      const std::string& rx);

// The classic indexes on the CPU.
[[nodiscard]] const Backend& sorted_backend();
[[nodiscard]] const Backend& btree_backend();
[[nodiscard]] const Backend& hash_backend();

}  // namespace rtindex
