#pragma once

#include <cstdint>
#include <span>

#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>

#include "answers/request.hpp"
#include "base/array.hpp"
#include "engine/segment.hpp"
#include "keys/distance.hpp"
#include "keys/owned_column.hpp"

namespace rtindex {

// The range at whose edge the neighbour of a key lies: all keys before it, or all keys behind it.
// Of composite keys, those with the same parts but for the last.
struct NeighbourRange {
  ColumnView lower, upper;  // not set: unlimited
  RangeEnds ends;
  Edge edge;
};
[[nodiscard]] NeighbourRange neighbour_range(const ColumnView& keys, Edge edge, bool exact);

// How far neighbours may be away. Throws where keys of such a codec have no such neighbours.
[[nodiscard]] KeyDistance require_nearest(const KeyCodec& codec, const NearestOptions& nearest);

// How far element i of a column is from element i of lookups; of composites, the last parts.
[[nodiscard]] KeyDistance distance_at(const ColumnView& lookups, const ColumnView& keys,
                                      std::size_t i);
// Element i becomes null.
void set_null(OwnedColumn& keys, std::size_t i);

// The neighbours of some keys, in host memory.
struct Neighbours {
  Array<std::uint32_t> rows;  // miss_row: none
  OwnedColumn keys;           // set only if requested
};

// The part of a request that a point query of the neighbours' keys answers: all about every row of
// such a key.
[[nodiscard]] Request points_of(const Request& request);

// Searches all segments.
[[nodiscard]] Neighbours find_neighbours(std::span<const Segment> segments, const ColumnView& keys,
                                         const NearestOptions& nearest, bool wants_keys,
                                         Counters* counters);

}  // namespace rtindex
