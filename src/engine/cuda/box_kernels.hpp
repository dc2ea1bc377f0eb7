#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "answers/cuda/device_answers.hpp"
#include "answers/cuda/run.hpp"
#include "base/cuda/device_array.hpp"
#include "order/cuda/device_box_tree.hpp"
#include "order/cuda/device_boxes.hpp"

namespace rtindex::cuda {

// What finds the rows of box queries in a tree of points.
struct BoxSearch {
  const DeviceBoxTree* tree = nullptr;
  DeviceBoxes boxes;
  std::size_t count = 0;  // of queries
  RowsView rows;          // by position
  DeletedPositions deleted;
};

// Answers any, first, last, count and matched.
void answer_boxes(const BoxSearch& search, const DeviceRequest& request, const Queue& queue);

// In how many parts each query is searched, by a block of threads each: few queries are split, so
// that all of the GPU works. 1: one warp searches it. With a limit it stops when it has found
// enough.
[[nodiscard]] std::uint32_t parts_of_boxes(const BoxSearch& search, std::uint32_t limit);

// Of a query that is being counted; all 0 before and after it.
struct SingleCount {
  std::uint32_t matches, blocks;
};
// Counts the matches of one query, by all of the GPU and in one kernel, which writes them to pinned
// host memory.
void count_single_box(const BoxSearch& search, SingleCount* count, std::uint32_t* on_host,
                      cudaStream_t stream);

// The number of matches of each part of each query as a run from 0 on, at most `limit`.
void count_boxes(const BoxSearch& search, std::uint32_t parts, std::uint32_t limit, Run* sizes,
                 cudaStream_t stream);

// Where the matches of queries go.
struct BoxTarget {
  const std::uint64_t* offsets = nullptr;  // of each part, and their total
  std::uint32_t* rows = nullptr;
  std::uint32_t* positions = nullptr;  // null: not requested
  std::uint64_t capacity = ~std::uint64_t{0};
};
// As many matches of each part as its offsets have room for.
void collect_boxes(const BoxSearch& search, std::uint32_t parts, const BoxTarget& target,
                   cudaStream_t stream);

// Row bitmaps of box queries in words that are set, not cleared; null: not requested.
struct BoxBitmaps {
  std::uint32_t* bitmap = nullptr;   // of all queries
  std::uint32_t* bitmaps = nullptr;  // of each query
  std::size_t stride = 0;            // words of each of them
  std::uint32_t rows = 0;            // of a bitmap
};
void set_bits_of_boxes(const BoxSearch& search, const BoxBitmaps& out, cudaStream_t stream);

// The offsets of queries from those of their parts.
void offsets_of_parts(const std::uint64_t* of_parts, std::size_t queries, std::uint32_t parts,
                      std::uint64_t* offsets, cudaStream_t stream);
// The runs of queries from the offsets of their parts; `sizes_only`: from 0 on.
void runs_of_parts(const std::uint64_t* offsets, std::size_t queries, std::uint32_t parts,
                   bool sizes_only, Run* runs, cudaStream_t stream);

}  // namespace rtindex::cuda
