#pragma once

#include <vector>

#include <rtindex/spec.hpp>

#include "engine/cuda/gather_option.hpp"

namespace rtindex::cuda {

// The options of rx:native on a GPU. Builds without CUDA declare them, too: they parse the same
// specs.

// Cells of 12 keys were the fastest on an H200.
inline constexpr SpecOption cell_option = {
    .name = "cell",
    .topic = SpecOption::Topic::density,
    .number = SpecOption::Number::whole,
    .min = 1,
    .max = 16,
    .fallback = "12",
    .help = "on a GPU, average number of keys in a cell of the native tracer's grid, 1 to 16"};

struct GridOptions {
  int keys_per_cell;

  [[nodiscard]] static GridOptions from(const Spec& spec) {
    return {static_cast<int>(cell_option.whole(spec).value_or(0))};
  }
  [[nodiscard]] static std::vector<SpecOption> declared() { return {gather_option, cell_option}; }
};

}  // namespace rtindex::cuda
