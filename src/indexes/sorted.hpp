#pragma once

#include <memory>

#include "storage/structure.hpp"

namespace rtindex {

// The classic sorted array with binary search.
[[nodiscard]] std::unique_ptr<Structure> make_sorted(const EncodedColumn& column,
                                                     const KeyCodec& codec);

}  // namespace rtindex
