#pragma once

#include "keys/codec.hpp"

namespace rtindex {

[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file);

}  // namespace rtindex
