#pragma once

#include "keys/codec.hpp"

namespace rtindex {

[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column);

}  // namespace rtindex
