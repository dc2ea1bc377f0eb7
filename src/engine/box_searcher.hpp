#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/searcher.hpp"
#include "keys/point_codec.hpp"

namespace rtindex {

// A searcher of points in host memory: box queries in a tree of blocks (order/box_tree.hpp).
[[nodiscard]] std::unique_ptr<Searcher> make_box_searcher(EncodedColumn column,
                                                          const PointCodec& codec,
                                                          std::span<const ColumnView> include);
// Points in the order of a tree, of an index with so many rows.
struct PointsInOrder {
  std::vector<PackedKeys> columns;
  Array<std::uint32_t> rows;  // by position
  std::size_t row_count = 0;
  std::vector<std::uint64_t> largest;  // key of each column
};
// Writes what such a searcher saves. `include` has a value for each row of `numbers`.
void save_box_searcher(FileWriter file, PointsInOrder points, const RowNumbers& numbers,
                       std::span<const ColumnView> include);
// Opens one that was saved.
[[nodiscard]] std::unique_ptr<Searcher> load_box_searcher(const FileReader& file,
                                                          const PointCodec& codec,
                                                          std::size_t rows);

}  // namespace rtindex
