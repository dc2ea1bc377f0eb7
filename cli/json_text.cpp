#include "cli/json_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

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

std::string json_array(const std::vector<std::string>& texts) {
  std::string json;
  for (const std::string& text : texts) json += (json.empty() ? "" : ", ") + json_text(text);
  return "[" + json + "]";
}

namespace {

bool skip(std::string_view& json, std::string_view word) {
  while (json.starts_with(' ')) json.remove_prefix(1);
  if (!json.starts_with(word)) return false;
  json.remove_prefix(word.size());
  return true;
}

// The four digits of \u.
std::optional<std::uint32_t> code_unit(std::string_view& json) {
  std::uint32_t unit = 0;
  if (json.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(json.data(), json.data() + 4, unit, 16);
  if (error != std::errc() || end != json.data() + 4) return std::nullopt;
  json.remove_prefix(4);
  return unit;
}

// The character of an escape, whose backslash was read. Characters beyond 16 bits are two escapes.
bool append_unescaped(std::string& text, std::string_view& json) {
  if (json.empty()) return false;
  const char c = json.front();
  json.remove_prefix(1);
  constexpr std::string_view escapes = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (c != 'u') {
    const std::size_t at = escapes.find(c);
    if (at == std::string_view::npos) return false;
    text += meanings[at];
    return true;
  }
  const auto high = code_unit(json);
  if (!high) return false;
  std::uint32_t code = *high;
  if (code >= 0xd800 && code < 0xdc00) {
    const auto low = skip(json, "\\u") ? code_unit(json) : std::nullopt;
    if (!low || *low < 0xdc00 || *low > 0xdfff) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (*low - 0xdc00);
  }
  append_utf8(text, code);
  return true;
}

std::optional<std::string> next_string(std::string_view& json) {
  if (!skip(json, "\"")) return std::nullopt;
  std::string text;
  while (!json.empty()) {
    const char c = json.front();
    json.remove_prefix(1);
    if (c == '"') return text;
    if (c != '\\')
      text += c;
    else if (!append_unescaped(text, json))
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::string>> strings_of_json(std::string_view json) {
  std::vector<std::string> texts;
  if (!skip(json, "[")) return std::nullopt;
  if (skip(json, "]")) return texts;
  do {
    std::optional<std::string> text = next_string(json);
    if (!text) return std::nullopt;
    texts.push_back(std::move(*text));
  } while (skip(json, ","));
  if (!skip(json, "]")) return std::nullopt;
  return texts;
}

}  // namespace rtindex::cli
