#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "keys/codec.hpp"
#include "keys/string_dictionary.hpp"
#include "keys/string_tails.hpp"

namespace rtindex {

// The ordered_bits() of a column's smallest and largest valid key.
struct KeyExtent {
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;

  [[nodiscard]] bool empty() const { return smallest > largest; }
  void add(std::uint64_t bits) { *this = union_of(*this, {bits, bits}); }
  [[nodiscard]] static KeyExtent union_of(const KeyExtent& a, const KeyExtent& b) {
    return {std::min(a.smallest, b.smallest), std::max(a.largest, b.largest)};
  }
};

// Native columns: ordered_bits() minus that of the smallest key.
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const KeyExtent& extent);
[[nodiscard]] std::unique_ptr<KeyCodec> make_native_codec(Type type, const FileReader& file);

// Strings: a dictionary of the column's beginnings (string_dictionary.hpp) encodes them in their
// order. Those that their codes do not tell apart are kept, and compared inside the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const ColumnView& column, KeyUse use);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(const FileReader& file, std::size_t rows);
// The same where strings were encoded on a device, which keeps what is compared in full.
struct StringTailsSource {
  std::size_t prefix;  // bytes of the dictionary's common label that the tails leave out
  std::function<StringTails()> load;
};
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_codec(StringDictionary dictionary,
                                                          const KeyExtent& codes,
                                                          std::optional<StringTailsSource> tails);
// Throws unless lookups are strings.
void require_strings(const ColumnView& lookups);
// Strings of structures that answer points only: their hashes, where the dictionary would leave
// strings that must be compared. Their order is lost.
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(const FileReader& file,
                                                               std::size_t rows);
[[nodiscard]] std::unique_ptr<KeyCodec> make_string_hash_codec(
    std::uint64_t seed, bool is_empty, std::function<StringTails()> strings);
[[nodiscard]] std::uint64_t random_hash_seed();

// Composite keys: each part is encoded by itself and takes as many bits as its values span; parts
// are packed from the first on until 64 bits are full. What does not fit is compared in the hit.
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const ColumnView& column);
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(const FileReader& file,
                                                             std::size_t rows);
// The same for parts that were encoded on a device: `find_extent` finds the packed keys once it is
// known how parts are packed, and `load_keys` makes CodecPart::keys of a part.
struct PackedSource {
  std::function<KeyExtent(const CodecParts&)> find_extent;
  std::function<PackedKeys(std::size_t part)> load_keys;
};
[[nodiscard]] std::unique_ptr<KeyCodec> make_composite_codec(
    std::vector<std::unique_ptr<KeyCodec>> parts, const PackedSource& source);

}  // namespace rtindex
