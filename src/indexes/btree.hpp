#pragma once

#include <memory>

#include "storage/structure.hpp"

namespace rtindex {

// The classic B+-tree, bulk-loaded.
[[nodiscard]] std::unique_ptr<Structure> make_btree(const EncodedColumn& column,
                                                    const KeyCodec& codec);

}  // namespace rtindex
