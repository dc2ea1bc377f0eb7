#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtindex::cli {

// A text as a JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(std::string_view text);

// An array of strings, and what it holds; nothing if the text is another one.
[[nodiscard]] std::string json_array(const std::vector<std::string>& texts);
[[nodiscard]] std::optional<std::vector<std::string>> strings_of_json(std::string_view json);

}  // namespace rtindex::cli
