#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/macros.hpp"
#include "base/search.hpp"
#include "keys/spread.hpp"
#include "order/key_pieces.hpp"

namespace rtindex {

// A piece of a column in key order, within which keys lie about evenly.
struct KeyPiece {
  std::uint64_t first;  // the smallest key value that belongs to it
  std::uint32_t begin;  // the position of its first key
  float crowding;       // of its keys; 1: evenly distributed
};

// Whether smaller cells are worth their memory.
[[nodiscard]] inline bool is_crowded(const KeyPiece& piece) { return piece.crowding > 1.6F; }

// Pieces of fewer keys than 2^32 - 1 in key order: from key 0 on, with ascending first keys.
// `stretches` are those of all chunks.
[[nodiscard]] std::vector<KeyPiece> join_stretches(std::span<const KeyStretch> stretches,
                                                   std::uint32_t size, std::uint64_t last_key,
                                                   std::uint64_t span, const JoinLimits& limits);
// The pieces of a column on the host, of pairs or keys. No lookup is above `span`.
template <class Element>
[[nodiscard]] std::vector<KeyPiece> cut_into_pieces(const Element* elements, std::size_t size,
                                                    std::uint64_t span, const JoinLimits& limits);

// How the pieces of many keys are found.
enum class PieceSearch : std::uint8_t {
  in_step,  // with the same number of steps for all keys, without branches
  single,   // with a binary search for each key
};

// Finds the piece of a key: by a table over intervals of keys (slots), then by binary search. If
// the first keys of pieces are too uneven for a table, by binary search alone.
struct PieceRoot {
  Spread slots;  // unless `significant`
  bool has_table = false;
  std::uint32_t steps = 0;  // the maximum over all keys
  std::uint32_t last = 0;   // piece
  // Slots grow with their keys: the position of a key's highest set bit and this number of bits
  // after it select the slot. 0: all slots are equally wide. Only with `in_step`.
  std::uint32_t significant = 0;

  // table[slot] is the first piece that can hold keys of a slot, table[slot + 1] the last one.
  // first_of(piece) is its first key. Only with `single`.
  template <class FirstOf>
  [[nodiscard]] RTINDEX_HD std::uint32_t find(const std::uint32_t* table, std::uint64_t key,
                                              const FirstOf& first_of) const {
    const std::uint64_t slot = has_table ? slots(key) : 0;
    const std::uint32_t begin = has_table ? table[slot] : 0;
    const std::uint32_t end = has_table ? table[slot + 1] : last;
    return partition_point(begin, end,
                           [&](std::uint32_t piece) { return first_of(piece + 1) <= key; });
  }

  // Only with `in_step`.
  [[nodiscard]] std::uint32_t slot(std::uint64_t key) const {
    if (significant == 0) return static_cast<std::uint32_t>(slots(key));
    const int above = static_cast<int>(std::bit_width(key)) - static_cast<int>(significant) - 1;
    const auto shift = static_cast<std::uint32_t>(above > 0 ? above : 0);
    return (shift << significant) + static_cast<std::uint32_t>(key >> shift);
  }
};

// The pieces of keys, with the same number of steps for all and without branches. On entry found[i]
// is at most the piece of keys[i] and less than 2^steps pieces before it; `last` is the last piece
// that any key has. first_of(piece) is its first key.
template <class Key, class FirstOf>
void step_to_pieces(std::uint32_t steps, std::uint32_t last, const Key* keys, std::size_t count,
                    const FirstOf& first_of, std::uint32_t* found) {
  for (std::uint32_t step = steps; step-- > 0;)
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t next = std::min(found[i] + (1U << step), last);
      const std::uint32_t goes_on = first_of(next) <= keys[i] ? ~0U : 0U;
      found[i] += (next - found[i]) & goes_on;
    }
}

// How many steps `pieces` pieces need.
[[nodiscard]] inline std::uint32_t steps_for(std::uint32_t pieces) {
  return static_cast<std::uint32_t>(std::bit_width(pieces - 1));
}

// The root over pieces with these ascending first keys, from key 0 to `span`, and its table.
struct MadeRoot {
  PieceRoot root;
  std::vector<std::uint32_t> table;
};
[[nodiscard]] MadeRoot make_root(std::span<const std::uint64_t> firsts, std::uint64_t span,
                                 PieceSearch search);

}  // namespace rtindex
