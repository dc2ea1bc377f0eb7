#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/cuda/ordered_values.hpp"
#include "answers/cuda/runs.hpp"
#include "answers/values.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// The answers of a batch, as in Request and Outputs, in device memory; null: not requested.
struct DeviceRequest {
  std::uint32_t* any = nullptr;
  std::uint32_t* first = nullptr;
  std::uint32_t* last = nullptr;
  std::uint32_t* count = nullptr;
  void* sum = nullptr;
  void* min = nullptr;
  void* max = nullptr;
  double* mean = nullptr;            // from fold_rows()
  std::uint8_t* validity = nullptr;  // from fold_rows(), or the same as `matched`
  std::uint8_t* matched = nullptr;
  void* key = nullptr;  // of neighbours

  const void* values = nullptr;  // null: those of the included column
  std::size_t included_column = 0;
  Type value_type = Type::u64;
  MissValues miss;

  [[nodiscard]] bool wants_values() const {
    return sum != nullptr || min != nullptr || max != nullptr;
  }
  [[nodiscard]] bool wants_rows() const {
    return any != nullptr || first != nullptr || last != nullptr || count != nullptr;
  }
  [[nodiscard]] bool wants_sum_alone() const {
    return sum != nullptr && !wants_rows() && min == nullptr && max == nullptr &&
           matched == nullptr;
  }
};

// Whether values are put into key order before they are aggregated.
enum class Gather : std::uint8_t { automatic, on, off };

// Answers lookups with at most one match each, from its rowID or miss_row.
void answer_rows(const std::uint32_t* rows, std::size_t count, const DeviceRequest& request,
                 cudaStream_t stream);

// A column in key order that runs point into.
struct OrderedRows {
  RowsView rows;
  std::size_t size = 0;
  bool ascending = false;    // the rowIDs of each run ascend
  DeletedPositions deleted;  // positions that no lookup matches
};

// Answers lookups from their runs. `included`: values in key order that replace the request's.
void answer_runs(const Run* runs, std::size_t count, const OrderedRows& from,
                 const DeviceRequest& request, const OrderedValues* included, Gather gather,
                 const Queue& queue);

}  // namespace rtindex::cuda
