#pragma once

#include "keys/codec.hpp"

namespace rtindex {

// The ordered_bits() of a column's smallest and largest valid key.
struct KeyExtent {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;

  [[nodiscard]] bool empty() const { return smallest > largest; }
};

// Native columns: ordered_bits() minus that of the smallest key.
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file);

// Strings: a dictionary of the column's beginnings (string_dictionary.hpp) encodes them in their
// order. Those that their codes do not tell apart are kept, and compared inside the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const ColumnView& column, KeyUse use);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const FileReader& file, std::size_t rows);
// Throws unless lookups are strings.
void require_strings(const ColumnView& lookups);
// Strings of structures that answer points only: their hashes, where the dictionary would leave
// strings that must be compared. Their order is lost.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(const FileReader& file,
                                                               std::size_t rows);
// Strings from a file of before there were dictionaries.
[[nodiscard]] std::unique_ptr<KeyCodec> make_head_codec(const FileReader& file, std::size_t rows);

// Composite keys: each part is encoded by itself and takes as many bits as its values span; parts
// are packed from the first on until 64 bits are full. What does not fit is compared in the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const FileReader& file,
                                                             std::size_t rows);
// The same for native parts of these types and extents, none of them empty; null where they do not
// fit into 64 bits. Its keys may reach from 0 to the greatest that the parts can make.
[[nodiscard]] std::unique_ptr<KeyCodec> make_packed_codec(std::span<const Type> types,
                                                          std::span<const KeyExtent> extents);

}  // namespace rtindex
