#pragma once

#include "keys/codec.hpp"

namespace rtindex {

// Strings: the column's longest common prefix is dropped, up to 8 bytes after it (the head) are the
// encoded key, and what follows (the tail) is kept and compared inside the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const FileReader& file, std::size_t rows);

}  // namespace rtindex
