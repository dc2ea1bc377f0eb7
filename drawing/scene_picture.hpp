#pragma once

#include <span>
#include <string>

#include <rtindex/column.hpp>
#include <rtindex/query.hpp>
#include <rtindex/spec.hpp>

namespace rtindex {

struct PictureOptions {
  std::string title;
  bool bvh = false;
};

// The scene of a column and the rays of queries as an SVG document: title, a table of the column if
// it is short, the scene, and a legend with each query and the rows that it returned. Throws where
// the column is too large, or where the index casts no rays.
[[nodiscard]] std::string scene_picture(const ColumnView& column, std::span<const Query> queries,
                                        const Spec& spec, const PictureOptions& options);

}  // namespace rtindex
