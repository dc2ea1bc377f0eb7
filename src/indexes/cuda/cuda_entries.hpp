#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rtindex/spec.hpp>

#include "execution/cuda/device_structure.hpp"

namespace rtindex::cuda {

// An index on GPUs that a spec can name.
struct DeviceKind {
  std::string kind, tracer;
  std::vector<std::string> options;
  std::string runs_on;
  bool includes;  // whether it can keep values in key order
};

[[nodiscard]] const std::vector<DeviceKind>& device_kinds();

// The spec with all options named; throws where one cannot be.
[[nodiscard]] Spec complete(const Spec& spec);

// How a resolved spec is built.
[[nodiscard]] DeviceOptions options_of(const Spec& resolved);

}  // namespace rtindex::cuda
