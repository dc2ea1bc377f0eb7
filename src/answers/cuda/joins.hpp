#pragma once

#include <cstddef>
#include <cstdint>

#include "answers/cuda/runs.hpp"
#include "answers/request.hpp"

namespace rtindex::cuda {

// Pairs of lookups and rows go to arrays in device memory, in the order of the lookups. Those that
// do not fit are counted but not written.

// Joins lookups that match one row at most, or miss_row.
void join_rows(const std::uint32_t* rows, std::size_t count, const JoinRequest& join,
               const Queue& queue);

// Joins lookups with all their rows.
void join_sources(const RowSources& from, std::size_t count, const JoinRequest& join,
                  const Queue& queue);

}  // namespace rtindex::cuda
