#include "kinds/scene/row_directory.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/parallel.hpp"
#include "base/search.hpp"

namespace rtindex {

namespace {

constexpr std::size_t block_keys = std::size_t{1} << 16;

// The distinct rows of a block of keys, sorted. Neighbouring keys of one row are dropped early.
std::vector<std::uint64_t> rows_of_block(const Coordinates& coordinates,
                                         const EncodedColumn& column, std::size_t first,
                                         std::size_t count) {
  std::vector<std::uint64_t> rows;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::uint64_t row = coordinates.row_of(column.keys[i]);
    if (rows.empty() || rows.back() != row) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

std::vector<std::uint64_t> merge(const std::vector<std::uint64_t>& a,
                                 const std::vector<std::uint64_t>& b) {
  std::vector<std::uint64_t> merged;
  merged.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(merged));
  return merged;
}

}  // namespace

RowDirectory::RowDirectory(const Coordinates& coordinates, const EncodedColumn& column) {
  const std::size_t blocks = (column.size() + block_keys - 1) / block_keys;
  std::vector<std::vector<std::uint64_t>> runs(blocks);
  parallel_for(column.size(), block_keys, [&](std::size_t first, std::size_t count) {
    runs[first / block_keys] = rows_of_block(coordinates, column, first, count);
  });
  for (std::size_t width = 1; width < blocks; width *= 2) {
    parallel_for((blocks + 2 * width - 1) / (2 * width), 1, [&](std::size_t pair, std::size_t) {
      const std::size_t left = pair * 2 * width;
      if (left + width >= blocks) return;
      runs[left] = merge(runs[left], runs[left + width]);
      runs[left + width] = {};
    });
  }
  if (blocks == 0) return;
  rows_ = PackedKeys(runs[0].size(), coordinates.row_of(column.span));
  for (std::size_t i = 0; i < runs[0].size(); ++i) rows_.set(i, runs[0][i]);
}

std::size_t RowDirectory::find(std::uint64_t row) const {
  return partition_point<std::size_t>(0, rows_.size(),
                                      [&](std::size_t i) { return rows_[i] < row; });
}

}  // namespace rtindex
