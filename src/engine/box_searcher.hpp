#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "engine/searcher.hpp"
#include "keys/point_codec.hpp"

namespace rtindex {

// A searcher of points in host memory: box queries in a tree of blocks (order/box_tree.hpp).
[[nodiscard]] std::unique_ptr<Searcher> make_box_searcher(EncodedColumn column,
                                                          const PointCodec& codec,
                                                          std::span<const ColumnView> include);
// Opens one that was saved.
[[nodiscard]] std::unique_ptr<Searcher> load_box_searcher(const FileReader& file,
                                                          const PointCodec& codec,
                                                          std::size_t rows);

}  // namespace rtindex
