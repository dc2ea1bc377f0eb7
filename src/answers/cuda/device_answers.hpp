#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include <rtindex/answer.hpp>

#include "answers/cuda/ordered_values.hpp"
#include "answers/cuda/runs.hpp"
#include "answers/values.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// What a batch wants, in device memory; null: not wanted. As Request and Outputs say.
struct DeviceRequest {
  std::uint32_t* any = nullptr;
  std::uint32_t* first = nullptr;
  std::uint32_t* count = nullptr;
  void* sum = nullptr;
  void* min = nullptr;
  void* max = nullptr;
  std::uint8_t* matched = nullptr;

  const void* values = nullptr;
  Type value_type = Type::u64;
  MissValues miss;

  [[nodiscard]] bool wants_values() const {
    return sum != nullptr || min != nullptr || max != nullptr;
  }
};

// Whether values are put into key order before they are added up.
enum class Gather : std::uint8_t { automatic, on, off };

// Answers from one rowID per lookup, or 2^32 - 1: all there is where keys are unique.
void answer_rows(const std::uint32_t* rows, std::size_t count, const DeviceRequest& request,
                 cudaStream_t stream);

// The same as runs: lookup i has position i among `rows`, or none.
void runs_of_rows(const std::uint32_t* rows, std::size_t count, Run* runs, cudaStream_t stream);

// Answers from the positions of each lookup's matches among `rows`, of which there are `size`.
// `ascending`: the rowIDs of each run ascend. `included`: values in key order to take in place of
// the request's.
void answer_runs(const Run* runs, std::size_t count, RowsView rows, std::size_t size,
                 bool ascending, const DeviceRequest& request, const OrderedValues* included,
                 Gather gather, const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);

// offsets[i] = where the rowIDs of lookup i start, at most `limit` each; offsets[count] = how many
// there are in all.
void offsets_of(const Run* runs, std::size_t count, std::uint32_t limit, std::uint64_t* offsets,
                const std::shared_ptr<DeviceMemory>& memory, cudaStream_t stream);
// The rowIDs from `begin` on, as many as there is room for.
void collect_rows(const Run* runs, std::size_t count, RowsView rows, const std::uint64_t* offsets,
                  std::uint64_t begin, std::uint64_t room, std::uint32_t* out, cudaStream_t stream);

}  // namespace rtindex::cuda
