#pragma once

#include <vector>

#include <rtindex/spec.hpp>

#include "engine/cuda/gather_option.hpp"

namespace rtindex::cuda {

// The options of hash on a GPU. Builds without CUDA declare them, too: they parse the same specs.

// Groups of 2 were the fastest on an H200; the paper's baseline uses groups of 8.
inline constexpr SpecOption hash_group_option = {
    .name = "group",
    .topic = SpecOption::Topic::search,
    .number = SpecOption::Number::power_of_two,
    .min = 1,
    .max = 32,
    .fallback = "2",
    .fallback_text = "btree 1, hash 2",
    .help = "on a GPU, threads that search a node or bucket together"};

inline constexpr SpecOption load_option = {
    .name = "load",
    .topic = SpecOption::Topic::density,
    .number = SpecOption::Number::real,
    .min = 0.05,
    .max = 0.95,
    .fallback = "0.8",
    .help = "on a GPU, load factor of the hash table, 0.05 to 0.95"};

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
