#pragma once

#include <memory>
#include <string>

#include <rtindex/spec.hpp>

#include "execution/cuda/device_structure.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex::optix {

// The spec with every option written out; throws where one cannot be.
[[nodiscard]] Spec complete(const Spec& spec);

// "NVIDIA ..., RT cores version N", for the list of indexes.
[[nodiscard]] std::string runs_on();

// Builds over a native column in host or device memory, which is encoded on the GPU.
[[nodiscard]] cuda::BuiltOnDevice build_native(const Spec& resolved, const ColumnView& column,
                                               const BuildOptions& build);

// Builds over a column that the host has encoded.
[[nodiscard]] std::unique_ptr<Structure> build_encoded(const Spec& resolved, EncodedColumn column,
                                                       const KeyCodec& codec,
                                                       const KeyText& key_text,
                                                       const BuildOptions& build);

}  // namespace rtindex::optix
