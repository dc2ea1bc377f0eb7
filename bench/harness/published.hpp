#pragma once

#include <string_view>
#include <vector>

#include "harness/record.hpp"

namespace rtindex::bench {

// The figures that the paper's authors published, as records (results/paper/).
[[nodiscard]] const std::vector<Record>& published_records();

// The same as JSON lines.
[[nodiscard]] std::string_view published_text();

}  // namespace rtindex::bench
