#include "keys/codec_parts.hpp"

namespace rtindex {

PackedMap packed_map_of(const CodecParts& parts, const StringMap* dictionaries) {
  PackedMap map;
  map.first_compared = parts.first_compared;
  map.base = parts.base;
  map.empty = parts.parts.front().map.empty;
  for (const CodecPart& part : parts.parts) {
    PackedMap::Part& own = map.parts[map.count];
    own.map = part.map;
    own.bits = part.bits;
    own.dropped = part.dropped;
    own.strings.map = dictionaries[map.count];
    own.strings.is_hashed = part.hash_seed.has_value();
    own.strings.hash = StringHash(part.hash_seed.value_or(0));
    own.strings.keeps_tails = part.tails != nullptr;
    ++map.count;
  }
  return map;
}

}  // namespace rtindex
