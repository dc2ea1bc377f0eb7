#include "column_files/text_encoding.hpp"

namespace rtindex {

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
  } else {
    add(0xf0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3f));
    add(0x80 | (code >> 6 & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

namespace {

std::uint8_t byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<std::uint8_t>(bytes[i]);
}

// What Windows writes where Latin-1 has control characters, 0x80 to 0x9f: the euro, quotes, dashes.
// Its five free bytes stay as they are.
constexpr std::uint32_t windows_1252[] = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

std::string from_utf16(std::string_view bytes) {
  const bool big = bytes.starts_with("\xfe\xff");
  if (has_utf16_mark(bytes)) bytes.remove_prefix(2);
  const auto unit_at = [&](std::size_t i) -> std::uint32_t {
    const std::uint32_t first = byte_at(bytes, i);
    const std::uint32_t second = byte_at(bytes, i + 1);
    return big ? first << 8 | second : second << 8 | first;
  };
  constexpr std::uint32_t replacement = 0xfffd;
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit_at(i);
    if (code >= 0xd800 && code < 0xe000) {
      const std::uint32_t low = code < 0xdc00 && i + 3 < bytes.size() ? unit_at(i + 2) : 0;
      const bool is_pair = low >= 0xdc00 && low < 0xe000;
      code = is_pair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : replacement;
      if (is_pair) i += 2;
    }
    append_utf8(text, code);
  }
  return text;
}

}  // namespace

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::uint8_t lead = byte_at(text, i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || lead > 0xf4 || text.size() - i < length) return i;
    for (std::size_t k = 1; k < length; ++k)
      if ((byte_at(text, i + k) & 0xc0) != 0x80) return i;
    // Overlong forms, surrogates and codes beyond U+10FFFF.
    const std::uint8_t next = byte_at(text, i + 1);
    if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next >= 0xa0) ||
        (lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next >= 0x90))
      return i;
    i += length;
  }
  return std::nullopt;
}

bool has_utf16_mark(std::string_view bytes) {
  return bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff");
}

std::string decoded(std::string_view bytes, std::string_view encoding) {
  if (encoding == "utf-16") return from_utf16(bytes);
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    append_utf8(text, byte < 0x80 || byte > 0x9f ? byte : windows_1252[byte - 0x80]);
  }
  return text;
}

}  // namespace rtindex
