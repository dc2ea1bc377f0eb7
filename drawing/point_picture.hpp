#pragma once

#include <string>

#include <rtindex/column.hpp>
#include <rtindex/query.hpp>

#include "drawing/scene_picture.hpp"

namespace rtindex {

// Points of two columns in the cells of their scene, a box query and its rays as an SVG document.
// The rows are those that an index on the CPU returns. Throws where the points have other columns,
// or are too many.
[[nodiscard]] std::string point_picture(const ColumnView& points, const Query& box,
                                        const PictureOptions& options);

}  // namespace rtindex
