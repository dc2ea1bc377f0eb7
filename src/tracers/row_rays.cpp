#include "tracers/row_rays.hpp"

#include <algorithm>

#include "answers/request.hpp"
#include "base/error.hpp"

namespace rtindex {

void require_few_row_rays(const RxOptions& options, std::uint64_t span, const LookupBatch& batch) {
  const Coordinates& coordinates = options.coordinates;
  if (options.row_rays != RowRays::all || batch.kind() == LookupKind::point ||
      coordinates.row_of(span) < max_row_rays)
    return;
  if (batch.lower().memory_space() == MemorySpace::device)
    fail(
        "row_rays=all casts at most 2^24 rays a lookup, which cannot be checked for lookups in "
        "device memory, and this column has {} rows: use row_rays=occupied or more x bits",
        coordinates.row_of(span) + 1);
  Interval intervals[chunk_lookups];
  std::uint8_t checks[chunk_lookups];
  for (std::size_t first = 0; first < batch.size(); first += chunk_lookups) {
    const std::size_t count = std::min(chunk_lookups, batch.size() - first);
    batch.encode(first, count, intervals, checks);
    for (std::size_t i = 0; i < count; ++i) {
      if (intervals[i].empty()) continue;
      const std::uint64_t rows =
          coordinates.row_of(intervals[i].upper) - coordinates.row_of(intervals[i].lower) + 1;
      if (rows > max_row_rays)
        fail(
            "range {} crosses {} rows, and row_rays=all casts at most 2^24 rays a lookup: use "
            "row_rays=occupied or more x bits",
            first + i, rows);
    }
  }
}

}  // namespace rtindex
