#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rtindex {

// The tick that a text names, in a unit of NumPy's datetime64 ("D", "h", "m", "s", "ms", "us",
// "ns"): 2024-01-31, 2024-01-31T12:30, 2024-01-31 12:30:05.25, or the number of ticks itself.
// None where it is no such text, or falls between two ticks.
[[nodiscard]] std::optional<std::int64_t> parse_time(std::string_view text, std::string_view unit);

}  // namespace rtindex
