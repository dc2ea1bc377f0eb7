#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/cuda/gather_option.hpp"
#include "engine/cuda/ordered_searcher.hpp"
#include "engine/kind.hpp"

namespace rtindex::cuda {

// A kind on GPUs. `description` is followed by the name of the GPU; `searchers` parses the options
// of a complete spec.
[[nodiscard]] Kind device_kind(std::string kind, std::string tracer, std::string description,
                               std::vector<SpecOption> options,
                               std::function<DeviceSearchers(const Spec&)> searchers);

// The engine of an index on a GPU.
[[nodiscard]] Engine device_engine(int device, std::shared_ptr<DeviceMemory> memory,
                                   const DeviceSearchers& searchers);

[[nodiscard]] Gather gather_of(const Spec& spec);

// Throws where the spec names a GPU that this machine does not have.
void require_gpu(const Spec& spec);

}  // namespace rtindex::cuda
