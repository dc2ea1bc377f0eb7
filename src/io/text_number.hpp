#pragma once

#include <charconv>
#include <concepts>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace rtindex {

[[nodiscard]] constexpr std::string_view without_spaces_around(std::string_view text) {
  constexpr std::string_view spaces = " \t";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// The number that the whole text spells, spaces around it aside; none where it spells no T.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  text = without_spaces_around(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  T number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (stop != end || text.empty()) return std::nullopt;
  if (error == std::errc()) return number;
  if constexpr (std::floating_point<T>) {
    // Too large or too small to write down: infinity or zero, as the standard library rounds it.
    if (error == std::errc::result_out_of_range) {
      const std::string copy(text);
      if constexpr (sizeof(T) == sizeof(float)) return std::strtof(copy.c_str(), nullptr);
      return std::strtod(copy.c_str(), nullptr);
    }
  }
  return std::nullopt;
}

// Whether the text spells an integer of any size.
[[nodiscard]] constexpr bool is_integer_text(std::string_view text) {
  text = without_spaces_around(text);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace rtindex
