#pragma once

#include <memory>

#include "storage/structure.hpp"

namespace rtindex {

// The classic hash table: point lookups only.
[[nodiscard]] std::unique_ptr<Structure> make_hash(const EncodedColumn& column,
                                                   const KeyCodec& codec);

}  // namespace rtindex
