#pragma once

#include <memory>

#include <rtindex/spec.hpp>

#include "execution/cuda/device_structure.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex::optix {

// The options of a resolved spec with buckets: a structure over sorted keys, in which OptiX finds
// the bucket of a key and a kernel the key in it.
[[nodiscard]] cuda::DeviceOptions bucketed_options(const Spec& resolved);

// Builds it over a column that the host has encoded.
[[nodiscard]] std::unique_ptr<Structure> build_bucketed(const Spec& resolved,
                                                        const EncodedColumn& column,
                                                        const KeyCodec& codec,
                                                        const KeyText& key_text,
                                                        const BuildOptions& build);

}  // namespace rtindex::optix
