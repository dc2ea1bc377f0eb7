#pragma once

#include <cstdint>
#include <string>

#include <rtindex/column.hpp>

namespace rtindex {

// A tick since 1970 in ISO 8601: "2024-01-31", or "2024-01-31T12:30:05.250000" in microseconds. The
// number itself if the unit is unknown or the year is not in 0 to 9999.
[[nodiscard]] std::string timestamp_text(std::int64_t ticks, TimeUnit unit);

}  // namespace rtindex
