#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "workload/tasks.hpp"

namespace rtindex::bench {

// What a place on the GPU does for workloads, on the default stream.

void run_on_device(const Task& task, std::size_t count);

// The places of the keys in ascending order, batch by batch; equal ones stay in their order.
void order_on_device(const KeyData& keys, std::size_t count, std::size_t batch,
                     std::uint32_t* order);

// sums[i] becomes the sum of the first i values, for 0 .. count.
void running_sums_on_device(const std::uint32_t* values, std::size_t count, std::uint64_t* sums);

// These two wait for the answer.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> ends_on_device(const KeyData& keys,
                                                                     std::size_t count);
[[nodiscard]] std::size_t first_difference_on_device(const std::uint64_t* a, const std::uint64_t* b,
                                                     std::size_t count);

// Launches a kernel of the name profile_marker: it stands before those of every profiled point.
void mark_profiled_point();

}  // namespace rtindex::bench
