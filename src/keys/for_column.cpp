#include "base/types.hpp"
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

std::unique_ptr<KeyCodec> KeyCodec::from_file(const FileReader& file, std::size_t rows) {
  const std::string& name = file.text("type");
  if (name == name_of(Type::string)) return make_string_codec(file, rows);
  if (name == name_of(Type::composite)) return make_composite_codec(file, rows);
  for (auto type = Type::u8; is_native(type);
       type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1))
    if (name == name_of(type)) return make_native_codec(type, file);
  file.refuse("its keys are of the unknown type '{}'", name);
}

}  // namespace rtindex
