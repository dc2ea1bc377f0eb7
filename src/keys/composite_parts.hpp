#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "file/loaded.hpp"
#include "keys/codec.hpp"
#include "keys/composite_map.hpp"
#include "keys/encoded_column.hpp"
#include "keys/interval.hpp"

namespace rtindex {

// The parts of composite keys side by side in 64 bits, the first in the highest ones.

struct CompositePart {
  std::unique_ptr<KeyCodec> codec;
  int bits = 0;     // of the packed key that hold this part
  int dropped = 0;  // low bits of the part's own key that did not fit
  // The part's own keys by element, where they are compared in the hit.
  Loaded<PackedKeys> residual{PackedKeys()};
};

// What PackedMap has of any number of parts.
struct PackedParts {
  std::span<const CompositePart> parts;
  std::size_t count;
  std::size_t first_compared;
  std::uint64_t base, span;
};

// One end of a block of lookups: the smallest and greatest packed keys that begin with each.
struct PackedEnds {
  static constexpr std::size_t most = 256;  // lookups

  std::uint64_t first[most];
  std::uint64_t last[most];
  bool is_known[most];  // false: a part has a value that the column's cannot have
};

inline void pack_ends(std::span<const CompositePart> parts, const ColumnView& lookups,
                      std::size_t first, std::size_t count, PackedEnds& ends) {
  std::fill_n(ends.first, count, 0);
  std::fill_n(ends.is_known, count, true);
  Interval own[PackedEnds::most];
  int bits_behind = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const CompositePart& part = parts[p];
    if (p >= lookups.parts().size()) {
      bits_behind += part.bits;
      continue;
    }
    const ColumnView& elements = lookups.parts()[p];
    part.codec->encode_lookups(elements, elements, {}, first, count, own, nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      ends.is_known[i] = ends.is_known[i] && !own[i].empty();
      ends.first[i] = shift_left(ends.first[i], part.bits) | own[i].lower;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    ends.last[i] = last_with(ends.first[i], bits_behind);
    ends.first[i] = shift_left(ends.first[i], bits_behind);
  }
}

}  // namespace rtindex
