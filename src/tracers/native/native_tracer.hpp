#pragma once

#include <memory>

#include "storage/structure.hpp"

namespace rtindex {

// RX's ray tracer for a scene that is a line: no primitives in memory, exact 64-bit keys.
[[nodiscard]] std::unique_ptr<Structure> make_native_tracer(const EncodedColumn& column,
                                                            const KeyCodec& codec);

}  // namespace rtindex
