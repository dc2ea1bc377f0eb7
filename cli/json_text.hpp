#pragma once

#include <string>
#include <string_view>

namespace rtindex::cli {

// A text as a JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

}  // namespace rtindex::cli
