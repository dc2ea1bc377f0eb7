#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include <rtindex/answer.hpp>

#include "answers/cuda/ordered_values.hpp"
#include "answers/cuda/runs.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Included values of a segment by position, and 1 for each that is not null, else 0; no `valid`: no
// value is null.
struct IncludedSource {
  const OrderedValues* values = nullptr;
  const OrderedValues* valid = nullptr;
};

// The values of the rows of a batch: a column by rowID with its validity bitmap, as in Request, in
// device memory; or included values.
struct RowValues {
  const void* data = nullptr;
  Type type = Type::u64;
  const std::uint8_t* validity = nullptr;
  std::size_t validity_offset = 0;
  bool is_included = false;
  std::array<IncludedSource, RowSources::max_segments> included = {};  // of each source
};

// What is folded over the rows of each lookup, in device memory; null: not requested.
struct RowFolds {
  std::uint32_t* last = nullptr;
  void* sum = nullptr;
  void* min = nullptr;
  void* max = nullptr;
  double* mean = nullptr;
  std::uint32_t* value_counts = nullptr;  // values that are not null
  MissValues miss;

  [[nodiscard]] bool wants_values() const {
    return sum != nullptr || min != nullptr || max != nullptr || mean != nullptr ||
           value_counts != nullptr;
  }
  // Those of the lookups from `first` on.
  [[nodiscard]] RowFolds from(std::size_t first) const;
};

// Folds all rows of each lookup, of all segments at once. It reads every row: slower than
// answer_runs(), but it skips null values, counts the others and sums integers in 128 bits.
void fold_rows(const RowSources& rows, std::size_t count, const RowValues& values,
               const RowFolds& out, const Queue& queue);

// Sets the bits of the lookups whose count is not 0, and clears the others.
void write_validity(const std::uint32_t* counts, std::size_t count, std::uint8_t* validity,
                    cudaStream_t stream);

}  // namespace rtindex::cuda
