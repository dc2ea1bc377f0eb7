#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rtindex {

// Appends a character by its code, which Unicode may not have assigned.
void append_utf8(std::string& text, std::uint32_t code);

// The position of the first byte that is not UTF-8.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// Whether the bytes begin with the byte-order mark of UTF-16.
[[nodiscard]] bool has_utf16_mark(std::string_view bytes);

// The bytes of a file in UTF-8. `encoding`: "latin-1" or "utf-16", the latter little-endian unless
// a byte-order mark says otherwise. Half of a surrogate pair becomes U+FFFD.
[[nodiscard]] std::string decoded(std::string_view bytes, std::string_view encoding);

}  // namespace rtindex
