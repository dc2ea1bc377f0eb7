#pragma once

#include <cstdint>

#include "tracers/native/grid_group.hpp"

namespace rtindex {

// A key on its way into a grid, and the one behind it in key order.
struct KeyCell {
  std::uint64_t cell;
  std::uint64_t next_cell;  // unless it is the last
  bool first, last;         // of its level
};

// Where cells end, as the key at `position` sees it: the last key of a cell says so for that cell,
// for the empty ones behind it in its group, and for those in front of the next key in that key's
// group. bound(group, j, position) gets the end of cell j of a group, end(group, position) that of
// a group. Groups without a key get nothing, so that no key has to mark a wide gap.
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
