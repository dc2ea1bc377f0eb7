#pragma once

#include "keys/codec.hpp"

namespace rtindex {

// The ordered_bits() of a column's smallest and largest valid key.
struct KeyExtent {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;

  [[nodiscard]] bool empty() const { return smallest > largest; }
};

[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file);

}  // namespace rtindex
