#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/deleted_sets.hpp"
#include "answers/matches.hpp"
#include "base/prefetch.hpp"
#include "keys/interval.hpp"
#include "order/key_order.hpp"
#include "rows/row_bits.hpp"

namespace rtindex {

// The valid position that is closest to an edge; the end of the match where there is none.
[[nodiscard]] inline std::uint64_t valid_edge(Edge edge, const Match& match,
                                              const DeletedBits& deleted) {
  return edge == Edge::first ? deleted.first_valid(match) : deleted.last_valid(match);
}
// Tests row by row, which is cheaper than DeletedPositions where a valid row is near. `set`, which
// may be null, adds up the tests of all lookups and has positions once they pay off.
template <class Key, class Keys, class Rows>
[[nodiscard]] std::uint64_t valid_edge(const KeyOrder<Key>& order, const Keys& keys,
                                       const Rows& rows, Edge edge, const Match& match,
                                       const Interval& interval, const RowBits& deleted,
                                       DeletedSet* set) {
  constexpr std::uint64_t stride = 256;
  for (std::uint64_t i = 0; i < match.size(); ++i) {
    if (set != nullptr && i % stride == stride - 1)
      if (const DeletedPositions* const made = set->positions(stride, order.size(), rows, deleted))
        return valid_edge(edge, match, made->bits());
    const std::uint64_t at = edge == Edge::first ? match.begin + i : match.end - 1 - i;
    if (!interval.contains(keys[at])) break;
    if (!deleted.has(rows[at])) return at;
  }
  return match.end;
}

// The valid row at the edge of each match and its key; miss_row if the key lies outside the
// interval.
template <class Key, class Keys>
void find_edge_rows(const KeyOrder<Key>& order, const Keys& in_order, Edge edge,
                    const Interval* intervals, const Match* found, std::size_t count,
                    const RowBits& deleted, DeletedSet* set, std::uint32_t* rows,
                    std::uint64_t* keys) {
  constexpr std::uint64_t few_steps = 8;  // about as many as from a deleted edge to a valid row
  const OrderRows<Key> rows_in_order = order.rows();
  std::uint64_t at[chunk_lookups];
  std::size_t deleted_edges = 0;
  for (std::size_t i = 0; i < count; ++i) {
    at[i] = edge == Edge::first ? found[i].begin : found[i].end - 1;
    prefetch(order.address(found[i].size() == 0 ? 0 : at[i]));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_there =
        found[i].size() != 0 && intervals[i].contains(std::uint64_t{in_order[at[i]]});
    rows[i] = is_there ? rows_in_order[at[i]] : miss_row;
    keys[i] = is_there ? in_order[at[i]] : 0;
    if (is_there && deleted.has(rows[i])) ++deleted_edges;
  }
  if (deleted_edges == 0) return;
  const DeletedPositions* const positions =
      set == nullptr
          ? nullptr
          : set->positions(deleted_edges * few_steps, order.size(), rows_in_order, deleted);
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i] == miss_row || !deleted.has(rows[i])) continue;
    const std::uint64_t valid = positions != nullptr
                                    ? valid_edge(edge, found[i], positions->bits())
                                    : valid_edge(order, in_order, rows_in_order, edge, found[i],
                                                 intervals[i], deleted, set);
    const bool is_there = valid != found[i].end && intervals[i].contains(in_order[valid]);
    rows[i] = is_there ? rows_in_order[valid] : miss_row;
    keys[i] = is_there ? in_order[valid] : 0;
  }
}

template <class Key>
void find_edge_rows(const KeyOrder<Key>& order, Edge edge, const Interval* intervals,
                    const Match* found, std::size_t count, const RowBits& deleted, DeletedSet* set,
                    std::uint32_t* rows, std::uint64_t* keys) {
  order.with_keys([&](const auto& keys_in_order) {
    find_edge_rows(order, keys_in_order, edge, intervals, found, count, deleted, set, rows, keys);
  });
}

}  // namespace rtindex
