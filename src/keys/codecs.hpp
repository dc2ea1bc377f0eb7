#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "keys/bits_128.hpp"
#include "keys/codec.hpp"
#include "keys/string_dictionary.hpp"
#include "keys/string_tails.hpp"

namespace rtindex {

// Native columns: ordered_bits() minus that of the smallest key.
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file);
// The ordered_bits() of new keys minus the base of the column; null keys become 0. Throws where the
// column's type cannot hold a key.
KeyExtent encode_new_keys(Type type, const NativeMap& map, const ColumnView& keys,
                          std::uint64_t* encoded);

// Columns of 128 bits: their highest 64 bits, after the smallest key is subtracted. Keys that share
// them are compared in the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_128_bit_codec(const ColumnView& column);
// Keys that were encoded on a device, which keeps what is compared in full.
[[nodiscard]] std::unique_ptr<KeyCodec> make_128_bit_codec(Type type, const Extent128& extent,
                                                           std::function<PackedKeys()> load_low);
[[nodiscard]] std::unique_ptr<KeyCodec> make_128_bit_codec(Type type, const FileReader& file,
                                                           std::size_t rows);

// Strings: a dictionary of the column's beginnings (string_dictionary.hpp) encodes them in their
// order. Strings that share a code are kept, and compared inside the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const ColumnView& column, KeyUse use);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const FileReader& file, std::size_t rows);
// Strings that were encoded on a device, which keeps what is compared in full.
struct StringTailsSource {
  std::size_t prefix;  // bytes of the dictionary's common label that the tails leave out
  std::function<StringTails()> load;
};
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(StringDictionary dictionary,
                                                          const KeyExtent& codes,
                                                          std::optional<StringTailsSource> source);
// Hashed strings, for structures that answer points only, where a dictionary would leave strings
// that must be compared. Their order is lost.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(
    std::uint64_t seed, bool is_empty, std::function<StringTails()> strings);
[[nodiscard]] std::uint64_t random_hash_seed();

// Composite keys: each field is encoded by itself in as many bits as its values span. Fields are
// packed from the first on until 64 bits are full. What does not fit is compared in the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const FileReader& file,
                                                             std::size_t rows);
// Fields that were encoded on a device. The codec decides how they are packed; `find_extent` then
// packs them there, and `load_keys` makes CodecField::keys.
struct PackedSource {
  std::function<KeyExtent(const CodecFields&)> find_extent;
  std::function<PackedKeys(std::size_t field)> load_keys;
};
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(
    std::vector<std::unique_ptr<KeyCodec>> fields, const PackedSource& source);

}  // namespace rtindex
