#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "file/loaded.hpp"
#include "keys/composite_map.hpp"
#include "keys/encoded_column.hpp"
#include "keys/native_map.hpp"
#include "keys/string_dictionary.hpp"
#include "keys/string_tails.hpp"

namespace rtindex {

// A codec part by part, as devices take it over (FullKeys). A column that is not composite has one.
struct CodecPart {
  NativeMap map;  // of strings: their codes
  int bits = 64;
  int dropped = 0;                               // PackedMap::Part
  const StringDictionary* dictionary = nullptr;  // of strings that are not hashed
  std::optional<std::uint64_t> hash_seed;        // of those that are
  const Loaded<StringTails>* tails = nullptr;    // of strings that are compared in full
  std::string_view prefix;                       // which the tails leave out
  const Loaded<PackedKeys>* keys = nullptr;      // by element, of what is compared in full
};

struct CodecParts {
  std::vector<CodecPart> parts;
  std::size_t first_compared;  // the number of parts where encoded keys tell all keys apart
  std::uint64_t base = 0;      // of the packed keys
};

// How the parts are packed; their strings are encoded by these dictionaries, one for each part.
[[nodiscard]] PackedMap packed_map_of(const CodecParts& parts, const StringMap* dictionaries);

}  // namespace rtindex
