#pragma once

#include <vector>

#include <rtindex/spec.hpp>

#include "engine/cuda/gather_option.hpp"

// The options of the backends in cuda_backends.cpp. Builds without CUDA include this file, too:
// they parse the same specs.

namespace rtindex::cuda {

// Groups of 1 and 2 and cells of 12 were the fastest on an H200; the paper's baselines use groups
// of 16 and 8.

inline constexpr SpecOption cell_option = {
    .name = "cell",
    .topic = SpecOption::Topic::density,
    .number = SpecOption::Number::whole,
    .min = 1,
    .max = 16,
    .fallback = "12",
    .help = "on a GPU, average number of keys in a cell of the native tracer's grid, 1 to 16"};

inline constexpr SpecOption tree_group_option = {
    .name = "group",
    .topic = SpecOption::Topic::search,
    .number = SpecOption::Number::power_of_two,
    .min = 1,
    .max = 16,
    .fallback = "1",
    .fallback_text = "btree 1, hash 2",
    .help = "on a GPU, threads that search a node or bucket together"};

inline constexpr SpecOption hash_group_option = {.name = "group",
                                                 .topic = SpecOption::Topic::search,
                                                 .number = SpecOption::Number::power_of_two,
                                                 .min = 1,
                                                 .max = 32,
                                                 .fallback = "2",
                                                 .fallback_text = tree_group_option.fallback_text,
                                                 .help = tree_group_option.help};

inline constexpr SpecOption load_option = {
    .name = "load",
    .topic = SpecOption::Topic::density,
    .number = SpecOption::Number::real,
    .min = 0.05,
    .max = 0.95,
    .fallback = "0.8",
    .help = "on a GPU, load factor of the hash table, 0.05 to 0.95"};

struct GridOptions {
  int keys_per_cell;

  [[nodiscard]] static GridOptions from(const Spec& spec) {
    return {static_cast<int>(cell_option.whole(spec).value_or(0))};
  }
  [[nodiscard]] static std::vector<SpecOption> declared() { return {gather_option, cell_option}; }
};

struct TreeOptions {
  int group;

  [[nodiscard]] static TreeOptions from(const Spec& spec) {
    return {static_cast<int>(tree_group_option.whole(spec).value_or(0))};
  }
  [[nodiscard]] static std::vector<SpecOption> declared() {
    return {gather_option, tree_group_option};
  }
};

struct HashOptions {
  int group;
  double load;

  [[nodiscard]] static HashOptions from(const Spec& spec) {
    return {static_cast<int>(hash_group_option.whole(spec).value_or(0)), load_option.real(spec)};
  }
  [[nodiscard]] static std::vector<SpecOption> declared() {
    return {hash_group_option, load_option};
  }
};

}  // namespace rtindex::cuda
