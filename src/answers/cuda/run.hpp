#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "base/macros.hpp"
#include "keys/cuda/key_blocks.hpp"

namespace rtindex::cuda {

// The matches of one lookup: positions [begin, end) in key order.
struct Run {
  std::uint32_t begin, end;
};

// A key with its position and row; position and row are miss_row where there is none.
template <class Key>
struct Neighbour {
  std::uint32_t position = miss_row;
  Key key = 0;
  std::uint32_t row = miss_row;
};

// The rowIDs of a column in key order, by position.
struct RowsView {
  const std::uint32_t* rows = nullptr;
  std::uint32_t stride = 1;
  bool in_blocks = false;  // of KeyBlocks, whose first word `rows` points to
  // Every position below has the rowID `first_row + position`, and `rows` are those from here on; 0
  // in blocks. A hash table has the rows of unique keys in its slots.
  std::uint32_t first = 0;
  std::uint32_t first_row = 0;

  // All rows follow each other.
  [[nodiscard]] static RowsView from(std::uint32_t first_row) {
    return {.first = miss_row, .first_row = first_row};
  }

  [[nodiscard]] RTINDEX_HD std::uint32_t operator[](std::size_t position) const {
    if (position < first) return first_row + static_cast<std::uint32_t>(position);
    const std::uint32_t* const at =
        rows + (in_blocks ? KeyBlocks::row_at(static_cast<std::uint32_t>(position))
                          : (position - first) * stride);
#if defined(__CUDA_ARCH__)
    return __ldg(at);
#else
    return *at;
#endif
  }
};

// The keys of a column in key order, by position, each with a number added to it; 0 where there
// are none.
struct KeysView {
  const std::uint64_t* pairs = nullptr;   // key << 32 | rowID
  const std::uint64_t* blocks = nullptr;  // of KeyBlocks
  const std::uint32_t* narrow = nullptr;
  const std::uint64_t* wide = nullptr;
  std::uint64_t shift = 0;
  bool is_sequence = false;  // the key is the position

  [[nodiscard]] RTINDEX_HD std::uint64_t operator()(std::uint32_t position) const {
    if (pairs != nullptr) return (pairs[position] >> 32) + shift;
    if (blocks != nullptr) return blocks[KeyBlocks::key_at(position)] + shift;
    if (narrow != nullptr) return narrow[position] + shift;
    if (wide != nullptr) return wide[position] + shift;
    return is_sequence ? position + shift : 0;
  }
};

}  // namespace rtindex::cuda
