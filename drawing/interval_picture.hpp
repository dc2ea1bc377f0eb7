#pragma once

#include <span>
#include <string>

#include <rtindex/column.hpp>
#include <rtindex/query.hpp>

#include "drawing/scene_picture.hpp"

namespace rtindex {

// Intervals as bars along x and the rays of queries as an SVG document: `contains` is a ray across
// the bars, `overlaps` the same at the lower end and a ray along x to the upper end, which meets
// the starts. The rows are those that an index on the CPU returns. Throws where intervals have
// leading columns, or are no numbers or times.
[[nodiscard]] std::string interval_picture(const ColumnView& column, std::span<const Query> queries,
                                           const PictureOptions& options);

}  // namespace rtindex
