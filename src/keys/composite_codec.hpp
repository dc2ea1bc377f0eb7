#pragma once

#include "keys/codec.hpp"

namespace rtindex {

// Composite keys: each part is encoded by itself and takes as many bits as its values span; parts
// are packed from the first on until 64 bits are full. What does not fit is compared in the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const FileReader& file,
                                                             std::size_t rows);

}  // namespace rtindex
