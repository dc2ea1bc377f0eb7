#include "cli/json_text.hpp"

#include <fmt/format.h>

#include "column_files/text_encoding.hpp"

namespace rtindex::cli {

namespace {

void append_escaped(std::string& json, std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\')
      json += {'\\', c};
    else if (c == '\n')
      json += "\\n";
    else if (static_cast<unsigned char>(c) < ' ')
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      json += c;
  }
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string json = "\"";
  while (const auto invalid = first_invalid_utf8(text)) {
    append_escaped(json, text.substr(0, *invalid));
    json += "\xef\xbf\xbd";
    text.remove_prefix(*invalid + 1);
  }
  append_escaped(json, text);
  return json + '"';
}

}  // namespace rtindex::cli
