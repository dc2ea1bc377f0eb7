#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/lazy.hpp"
#include "keys/bits_128.hpp"
#include "keys/composite_map.hpp"
#include "keys/encoded_column.hpp"
#include "keys/native_map.hpp"
#include "keys/string_dictionary.hpp"
#include "keys/string_tails.hpp"

namespace rtindex {

// How one field is encoded, and what of it is compared in full. Devices copy it (FullKeys).
struct CodecField {
  NativeMap map;  // of strings: their codes
  int bits = 64;
  int dropped = 0;                               // PackedMap::Field
  const StringDictionary* dictionary = nullptr;  // of strings that are not hashed
  std::optional<std::uint64_t> hash_seed;        // of hashed strings
  const Lazy<StringTails>* tails = nullptr;      // of strings that are compared in full
  std::string_view prefix;                       // of these strings, dropped from the tails
  const Lazy<PackedKeys>* keys = nullptr;        // by element, of a field that is compared in full
  Map128 map_128{};                              // of keys of 128 bits
  const Lazy<PackedKeys>* low = nullptr;         // the bits that it drops, by element
};

// All fields of a codec; a column of strings or of 128 bits has one.
struct CodecFields {
  std::vector<CodecField> fields;
  std::size_t first_compared = 0;  // the number of fields where no two keys share an encoded key
  std::uint64_t base = 0;          // of the packed keys
};

// `dictionaries`: the map of the strings of each field.
[[nodiscard]] inline PackedMap packed_map_of(const CodecFields& codec,
                                             const StringMap* dictionaries) {
  PackedMap map;
  map.first_compared = codec.first_compared;
  map.base = codec.base;
  map.empty = codec.fields.front().map.empty;
  for (const CodecField& field : codec.fields) {
    map.fields[map.count] = {field.map,
                             field.bits,
                             field.dropped,
                             {dictionaries[map.count], StringHash(field.hash_seed.value_or(0)),
                              field.hash_seed.has_value(), field.tails != nullptr},
                             field.map_128};
    ++map.count;
  }
  return map;
}

}  // namespace rtindex
