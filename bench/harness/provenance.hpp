#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace rtindex::bench {

// The machine that this process runs on: CPU, cores, memory, system, and the GPU where there is
// one.
[[nodiscard]] nlohmann::json machine();

// The commit of the source tree, with "+" where it has uncommitted changes; "unknown" elsewhere.
[[nodiscard]] std::string commit();

}  // namespace rtindex::bench
