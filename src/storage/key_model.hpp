#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/macros.hpp"
#include "keys/spread.hpp"
#include "storage/key_pieces.hpp"

namespace rtindex {

template <class Key>
struct Pair;

// A piece of a column in key order, within which keys lie about evenly.
struct KeyPiece {
  std::uint64_t first;  // the smallest key value that belongs to it
  std::uint32_t begin;  // the position of its first key
  float crowding;       // of its keys; 1 where they are spread evenly
};

// Pieces of fewer keys than 2^32 - 1 in key order: from key 0 on, with ascending first keys.
// `stretches` are those of all chunks.
[[nodiscard]] std::vector<KeyPiece> join_stretches(std::span<const KeyStretch> stretches,
                                                   std::uint32_t size, std::uint64_t last_key,
                                                   std::uint64_t span);
// The pieces of a column on the host. No lookup is above `span`.
template <class Key>
[[nodiscard]] std::vector<KeyPiece> cut_into_pieces(const Pair<Key>* pairs, std::size_t size,
                                                    std::uint64_t span);

// Finds the piece of a key: a table over even intervals of keys, then steps of a search by halves.
// Where the first keys of pieces are too uneven for a table, it has one entry.
struct PieceRoot {
  Spread slots;
  std::uint32_t slot_count = 1;
  std::uint32_t steps = 0;
  std::uint32_t last = 0;  // piece

  // From the piece of the table's entry; first_of(piece) is its first key.
  template <class FirstOf>
  [[nodiscard]] RTINDEX_HD std::uint32_t search(std::uint32_t piece, std::uint64_t key,
                                                const FirstOf& first_of) const {
    for (std::uint32_t step = steps; step-- > 0;) {
      const std::uint32_t next = piece + (1U << step);
      const std::uint32_t at = next < last ? next : last;
      if (first_of(at) <= key) piece = at;
    }
    return piece;
  }
};

// The root over pieces with these ascending first keys, from key 0 to `span`, and its table: the
// piece of the lowest key of every slot.
struct MadeRoot {
  PieceRoot root;
  std::vector<std::uint32_t> table;
};
[[nodiscard]] MadeRoot make_root(std::span<const std::uint64_t> firsts, std::uint64_t span);

}  // namespace rtindex
