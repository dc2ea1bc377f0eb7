#include "keys/codec.hpp"
#include "keys/composite_codec.hpp"
#include "keys/native_codec.hpp"
#include "keys/string_codec.hpp"

namespace rtindex {

std::unique_ptr<KeyCodec> KeyCodec::for_column(const ColumnView& column) {
  if (column.type() == Type::string) return make_string_codec(column);
  if (column.type() == Type::composite) return make_composite_codec(column);
  return make_native_codec(column);
}

}  // namespace rtindex
