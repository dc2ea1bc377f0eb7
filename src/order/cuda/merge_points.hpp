#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "order/cuda/device_box_tree.hpp"
#include "rows/row_bits.hpp"

namespace rtindex::cuda {

// How the keys of a column become those of a merge: a number is added to each, and the key of a
// null is replaced.
struct KeyShift {
  std::uint64_t added = 0;
  std::uint64_t null_key = ~std::uint64_t{0};  // of the segment; no key is greater
  std::uint64_t new_null_key = 0;
  bool has_nulls = false;
};

// A segment of points that is merged.
struct PointsPart {
  const DeviceBoxTree* tree = nullptr;
  const std::uint32_t* rows = nullptr;  // by position
  RowBits deleted;                      // rows to omit
  std::vector<KeyShift> shifts;         // by column
};

// Points with their rows, in no order.
struct MergedPoints {
  DevicePoints points;
  DeviceArray<std::uint32_t> rows;
};

// The valid rows of all parts. `largest`: the largest key of each column from now on. Blocks until
// they are counted.
[[nodiscard]] MergedPoints merge_points(const std::vector<PointsPart>& parts,
                                        const std::vector<std::uint64_t>& largest,
                                        const Queue& queue);

}  // namespace rtindex::cuda
