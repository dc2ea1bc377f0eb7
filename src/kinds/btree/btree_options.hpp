#pragma once

#include <vector>

#include <rtindex/spec.hpp>

#include "engine/cuda/gather_option.hpp"

namespace rtindex::cuda {

// The options of btree on a GPU. Builds without CUDA declare them, too: they parse the same specs.

// Single threads were the fastest on an H200; the paper's baseline uses groups of 16.
inline constexpr SpecOption tree_group_option = {
    .name = "group",
    .topic = SpecOption::Topic::search,
    .number = SpecOption::Number::power_of_two,
    .min = 1,
    .max = 16,
    .fallback = "1",
    .fallback_text = "btree 1, hash 2",
    .help = "on a GPU, threads that search a node or bucket together"};

struct TreeOptions {
  int group;

  [[nodiscard]] static TreeOptions from(const Spec& spec) {
    return {static_cast<int>(tree_group_option.whole(spec).value_or(0))};
  }
  [[nodiscard]] static std::vector<SpecOption> declared() {
    return {gather_option, tree_group_option};
  }
};

}  // namespace rtindex::cuda
