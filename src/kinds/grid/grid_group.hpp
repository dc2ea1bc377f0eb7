#pragma once

#include <cstdint>
#include <vector>

#include "base/macros.hpp"
#include "keys/spread.hpp"
#include "order/key_model.hpp"

namespace rtindex {

// The native tracer's grid for GPUs. A cell is an interval of keys with a few keys in it (cell=N);
// neighbouring cells share a group of 16 bytes, which a thread reads at once: the start of the
// first cell, and one byte for the start of each other cell. At twelve keys a cell that is 0.12
// bytes a key, so that the grid stays in the GPU's cache for hundreds of millions of keys; more
// than sixteen would not fit the bytes.
struct alignas(16) GridGroup {
  static constexpr std::uint32_t cells = 11;
  enum class Kind : std::uint8_t {
    cells = 0,   // bounds[j] is where cell j starts and bounds[j + 1] where it ends, from `begin`
    search = 1,  // too many keys for bytes: a binary search of positions begin..end
  };

  std::uint32_t begin;
  std::uint8_t bounds[cells + 1];  // bounds[0] is the Kind, which is also where cell 0 starts

  static constexpr std::uint32_t max_keys = 255;
};

static_assert(sizeof(GridGroup) == 16);

// A piece of the column (order/key_model.hpp) with cells of equal width.
struct alignas(16) GridPiece {
  Spread spread;
  std::uint32_t first_group;
  std::uint32_t begin;  // the position of its first key
};

static_assert(sizeof(GridPiece) == 32);

[[nodiscard]] inline RTINDEX_HD std::uint64_t cells_for(std::uint64_t keys, int keys_per_cell) {
  const auto each = static_cast<std::uint64_t>(keys_per_cell);
  return keys == 0 ? 1 : (keys + each - 1) / each;
}

// The pieces of a grid, with their cells and groups.
struct GridLayout {
  std::vector<GridPiece> pieces;
  std::uint64_t groups = 0;
  PieceRoot root;
  std::vector<std::uint32_t> table;  // of the root
};

// Over `size` keys, none above `span`. The cells of a piece with crowded keys are smaller.
[[nodiscard]] GridLayout lay_out_grid(const std::vector<KeyPiece>& pieces, std::uint32_t size,
                                      std::uint64_t span, int keys_per_cell);

// A group as two words in registers.
struct GroupWords {
  std::uint64_t words[2];

  [[nodiscard]] RTINDEX_HD std::uint32_t begin() const {
    return static_cast<std::uint32_t>(words[0]);
  }
  [[nodiscard]] RTINDEX_HD GridGroup::Kind kind() const {
    return static_cast<GridGroup::Kind>(words[0] >> 32 & 0xff);
  }
  // The end of a group with Kind::search.
  [[nodiscard]] RTINDEX_HD std::uint32_t end() const {
    return static_cast<std::uint32_t>(words[1]);
  }
  [[nodiscard]] RTINDEX_HD std::uint32_t bound(std::uint32_t j) const {
    const std::uint32_t byte = j + 4;
    const std::uint64_t word = byte < 8 ? words[0] : words[1];
    return static_cast<std::uint32_t>(word >> (byte % 8 * 8)) & 0xffU;
  }
};

// The index of this end.
inline constexpr std::uint32_t group_end_at = 4;  // in `bounds`: byte 8 of the group

// A group at positions begin..end, from one whose bounds behind the first hold the lowest bytes of
// where cells end. The bytes of a group without keys are unspecified.
[[nodiscard]] inline RTINDEX_HD GridGroup finished_group(GridGroup group, std::uint32_t begin,
                                                         std::uint32_t end) {
  group.begin = begin;
  group.bounds[0] = static_cast<std::uint8_t>(GridGroup::Kind::cells);
  if (end - begin > GridGroup::max_keys) {
    group.bounds[0] = static_cast<std::uint8_t>(GridGroup::Kind::search);
    for (std::uint32_t byte = 0; byte < 4; ++byte)
      group.bounds[group_end_at + byte] = static_cast<std::uint8_t>(end >> (8 * byte));
    return group;
  }
  for (std::uint32_t j = 1; j <= GridGroup::cells; ++j)
    group.bounds[j] = static_cast<std::uint8_t>(begin == end ? 0 : group.bounds[j] - begin);
  return group;
}

// A key that is added to a grid, and its successor in key order.
struct KeyCell {
  std::uint64_t cell;
  std::uint64_t next_cell;  // unless it is the last
  bool first, last;         // of its piece
};

// The ends of cells that the key at `position` determines. The last key of a cell determines the
// end of that cell, of the empty cells behind it in its group, and of those before the next key in
// that key's group. Calls bound(group, j, position) with the end of cell j of a group and
// end(group, position) with that of a group. Groups without a key are skipped, so that a wide gap
// costs nothing.
template <class Bound, class End>
RTINDEX_HD void mark_key(const KeyCell& at, std::uint32_t position, Bound&& bound, End&& end) {
  constexpr std::uint32_t cells = GridGroup::cells;
  const auto fill = [&](std::uint64_t group, std::uint32_t from, std::uint32_t to,
                        std::uint32_t at_position) {
    for (std::uint32_t j = from; j < to; ++j) bound(group, j, at_position);
  };
  const std::uint64_t group = at.cell / cells;
  const auto j = static_cast<std::uint32_t>(at.cell - group * cells);
  if (at.first) fill(group, 0, j, position);
  if (!at.last && at.next_cell == at.cell) return;
  const std::uint64_t next_group = at.next_cell / cells;
  const auto next_j = static_cast<std::uint32_t>(at.next_cell - next_group * cells);
  if (!at.last && next_group == group) return fill(group, j, next_j, position + 1);
  fill(group, j, cells, position + 1);
  end(group, position + 1);
  if (!at.last) fill(next_group, 0, next_j, position + 1);
}

}  // namespace rtindex
