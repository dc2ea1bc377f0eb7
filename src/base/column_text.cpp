#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include <rtindex/column.hpp>

#include "base/error.hpp"
#include "base/timestamp_text.hpp"
#include "base/types.hpp"

// Elements as text, for messages and tables.
namespace rtindex {

namespace {

// The bytes of the UTF-8 character that a text begins with; 0 where it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (length > 2 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)))
    return 0;
  return length;
}

// A string for messages: quoted, what is not printable UTF-8 as \xNN, long ones cut.
std::string quoted(std::string_view text) {
  constexpr std::size_t max_bytes = 200;
  std::string result = "\"";
  while (!text.empty() && result.size() < max_bytes) {
    const std::size_t length = utf8_length(text);
    const bool is_printable = length > 1 || (length == 1 && text[0] >= ' ' && text[0] != '\x7f');
    if (is_printable)
      result += text.substr(0, length);
    else
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(is_printable ? length : 1);
  }
  return result + (text.empty() ? "\"" : "...\"");
}

// A whole number times 10^-scale.
std::string with_point(std::string digits, int scale) {
  if (scale < 0) return digits == "0" ? digits : digits + std::string(-scale, '0');
  if (scale == 0) return digits;
  const std::size_t sign = digits.front() == '-' ? 1 : 0;
  const auto behind = static_cast<std::size_t>(scale);
  if (digits.size() <= sign + behind) digits.insert(sign, sign + behind + 1 - digits.size(), '0');
  return digits.insert(digits.size() - behind, ".");
}

// Digits of decimals, and of integers of 128 bits.
std::string integer_text(Bits128 bits, Type type) {
  const bool is_negative = type != Type::u128 && bits.high >> 63 != 0;
  Bits128 rest = bits;
  if (is_negative) rest = {0 - bits.low, ~bits.high + (bits.low == 0 ? 1 : 0)};
  std::string digits;
  do {
    // Long division by 10, 32 bits at a time.
    std::uint64_t remainder = 0;
    for (std::uint64_t* word : {&rest.high, &rest.low}) {
      const std::uint64_t top = remainder << 32 | *word >> 32;
      const std::uint64_t bottom = top % 10 << 32 | (*word & 0xffffffff);
      *word = top / 10 << 32 | bottom / 10;
      remainder = bottom % 10;
    }
    digits += static_cast<char>('0' + remainder);
  } while (rest.high != 0 || rest.low != 0);
  if (is_negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string uuid_text(const unsigned char* bytes) {
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

// HH:MM:SS.fff; ticks that are no time of day, or have no unit, are numbers.
std::string time_text(std::int64_t ticks, TimeUnit unit) {
  const int digits = unit == TimeUnit::nanosecond    ? 9
                     : unit == TimeUnit::microsecond ? 6
                     : unit == TimeUnit::millisecond ? 3
                                                     : 0;
  std::int64_t second = 1;
  for (int i = 0; i < digits; ++i) second *= 10;
  const bool has_seconds = digits != 0 || unit == TimeUnit::second;
  if (!has_seconds || ticks < 0 || ticks / second >= std::int64_t{24} * 60 * 60)
    return fmt::format("{}", ticks);
  const std::int64_t seconds = ticks / second;
  const std::string text =
      fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return digits == 0 ? text : text + fmt::format(".{:0{}}", ticks % second, digits);
}

}  // namespace

std::string ColumnView::text(std::size_t row) const {
  if (!valid(row)) return "null";
  if (type_ == Type::string) return quoted(string(row));
  if (type_ == Type::composite) {
    std::string text = "(";
    for (const ColumnView& part : parts()) text += (text.size() > 1 ? ", " : "") + part.text(row);
    return text + ")";
  }
  const void* const element = static_cast<const std::byte*>(data_) + row * width_of(type_);
  if (type_ == Type::binary16) return uuid_text(static_cast<const unsigned char*>(element));
  if (is_128_bit(type_)) return with_point(integer_text(load_bits128(element), type_), scale_);
  return visit_native(type_, [&]<class T>() {
    const auto value = value_of(*static_cast<const T*>(element));
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      if (is_decimal(type_)) return with_point(fmt::format("{}", value), scale_);
      if (type_ == Type::date32) return timestamp_text(value, TimeUnit::day);
      if (type_ == Type::timestamp64) return timestamp_text(value, time_unit_);
      if (type_ == Type::time32 || type_ == Type::time64) return time_text(value, time_unit_);
      if (type_ == Type::duration64 && time_unit_ != TimeUnit::unspecified)
        return fmt::format("{} {}", value, name_of(time_unit_));
    }
    if constexpr (std::is_floating_point_v<decltype(value)>)
      if (std::isnan(value)) return std::string("nan");  // its sign means nothing
    return fmt::format("{}", value);
  });
}

}  // namespace rtindex
