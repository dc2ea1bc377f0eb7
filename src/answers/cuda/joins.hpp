#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/cuda/runs.hpp"
#include "answers/request.hpp"
#include "base/cuda/device_array.hpp"

namespace rtindex::cuda {

// Pairs of lookups and rows go to arrays in device memory. Those that do not fit are counted but
// not written.

// Joins lookups that match one row at most, or miss_row.
void join_rows(const std::uint32_t* rows, std::size_t count, const JoinRequest& join,
               const Queue& queue);

// Joins lookups with all their rows.
void join_sources(const RowSources& from, std::size_t count, const JoinRequest& join,
                  const Queue& queue);

// A join whose number of pairs is in device memory: that of the caller, or of the call.
class CountedJoin {
 public:
  CountedJoin(const JoinRequest& join, const Queue& queue);
  [[nodiscard]] const JoinRequest& get() const { return join_; }
  // Reads the number of pairs where the host requests it.
  void finish(cudaStream_t stream) const;

 private:
  JoinRequest join_;
  DeviceArray<std::uint64_t> own_count_;
};

}  // namespace rtindex::cuda
