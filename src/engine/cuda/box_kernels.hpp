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

// How many warps search for the rows of each query: few queries are split, so that all of the GPU
// works. With a limit one warp stops when it has found enough.
[[nodiscard]] std::uint32_t parts_of_boxes(const BoxSearch& search, std::uint32_t limit);

// The number of matches of each part of each query as a run from 0 on, at most `limit`.
void count_boxes(const BoxSearch& search, std::uint32_t parts, std::uint32_t limit, Run* sizes,
                 cudaStream_t stream);

// Where the matches of queries go.
struct BoxTarget {
  const std::uint64_t* offsets = nullptr;  // of each part, and their total
  std::uint32_t* rows = nullptr;
  std::uint32_t* positions = nullptr;  // null: not requested
};
// As many matches of each part as its offsets have room for.
void collect_boxes(const BoxSearch& search, std::uint32_t parts, const BoxTarget& target,
                   cudaStream_t stream);

// The runs of queries from the offsets of their parts; `sizes_only`: from 0 on.
void runs_of_parts(const std::uint64_t* offsets, std::size_t queries, std::uint32_t parts,
                   bool sizes_only, Run* runs, cudaStream_t stream);

}  // namespace rtindex::cuda
