#pragma once

#include <memory>

#include <rtindex/spec.hpp>

#include "execution/cuda/device_structure.hpp"
#include "tracers/rx_options.hpp"

namespace rtindex::optix {

// How a resolved spec with buckets is built: a structure over sorted keys, in which rays find a
// bucket.
[[nodiscard]] cuda::DeviceOptions bucketed_options(const Spec& resolved);

// Builds it over a column that the host has encoded.
[[nodiscard]] std::unique_ptr<Structure> build_bucketed(const Spec& resolved,
                                                        const EncodedColumn& column,
                                                        const KeyCodec& codec,
                                                        const KeyText& key_text,
                                                        const BuildOptions& build);

}  // namespace rtindex::optix
