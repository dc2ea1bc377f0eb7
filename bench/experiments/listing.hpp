#pragma once

#include <nlohmann/json.hpp>

namespace rtindex::bench {

// Every experiment with its question, figure and axes, as results/experiments.json has it.
[[nodiscard]] nlohmann::json experiments_as_json();

}  // namespace rtindex::bench
