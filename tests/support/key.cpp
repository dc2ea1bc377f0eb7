#include "support/key.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace rtindex::test {

namespace {

template <class T>
int order(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

int compare_reals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return order(std::isnan(a), std::isnan(b));
  return order(a, b);
}

int compare_bytes(const std::string& a, const std::string& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int bytes = order(static_cast<unsigned char>(a[i]), static_cast<unsigned char>(b[i]));
    if (bytes != 0) return bytes;
  }
  return order(a.size(), b.size());
}

std::string text_of_whole(Whole value) {
  if (value < 0) return "-" + text_of_whole(-value);
  if (value < 10) return {static_cast<char>('0' + static_cast<int>(value))};
  return text_of_whole(value / 10) + static_cast<char>('0' + static_cast<int>(value % 10));
}

std::string text_of_string(const std::string& bytes) {
  std::string text = "\"";
  for (const char c : bytes)
    text += c >= ' ' && c <= '~' ? std::string(1, c)
                                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text + "\"";
}

}  // namespace

bool is_null(const Key& key) {
  return std::any_of(key.begin(), key.end(), [](const Part& part) { return part.index() == 0; });
}

int compare(const Part& a, const Part& b) {
  if (const auto* whole = std::get_if<Whole>(&a)) return order(*whole, std::get<Whole>(b));
  if (const auto* real = std::get_if<double>(&a)) return compare_reals(*real, std::get<double>(b));
  return compare_bytes(std::get<std::string>(a), std::get<std::string>(b));
}

int compare(const Key& a, const Key& b) {
  for (std::size_t part = 0; part < a.size(); ++part)
    if (const int result = compare(a[part], b[part]); result != 0) return result;
  return 0;
}

std::string text_of(const Key& key) {
  std::string text;
  for (const Part& part : key) {
    if (!text.empty()) text += ", ";
    if (const auto* whole = std::get_if<Whole>(&part)) text += text_of_whole(*whole);
    if (const auto* real = std::get_if<double>(&part))
      text += fmt::format("{} ({:a})", *real, *real);
    if (const auto* bytes = std::get_if<std::string>(&part)) text += text_of_string(*bytes);
    if (part.index() == 0) text += "null";
  }
  return key.size() == 1 ? text : "(" + text + ")";
}

bool is_integer_shape(const Shape& shape) {
  return shape.type != Type::string && shape.type != Type::composite &&
         shape.type != Type::binary16 && !is_float_shape(shape);
}

bool is_float_shape(const Shape& shape) {
  return shape.type == Type::f16 || shape.type == Type::f32 || shape.type == Type::f64;
}

Whole smallest_of(Type type) {
  switch (type) {
    case Type::i8: return std::numeric_limits<std::int8_t>::min();
    case Type::i16: return std::numeric_limits<std::int16_t>::min();
    case Type::i32:
    case Type::time32:
    case Type::decimal32:
    case Type::date32: return std::numeric_limits<std::int32_t>::min();
    case Type::i64:
    case Type::time64:
    case Type::duration64:
    case Type::decimal64:
    case Type::timestamp64: return std::numeric_limits<std::int64_t>::min();
    case Type::i128:
    case Type::decimal128: return -(Whole{1} << 125);
    default: return 0;
  }
}

Whole largest_of(Type type) {
  switch (type) {
    case Type::boolean: return 1;
    case Type::u8: return std::numeric_limits<std::uint8_t>::max();
    case Type::u16: return std::numeric_limits<std::uint16_t>::max();
    case Type::u32: return std::numeric_limits<std::uint32_t>::max();
    case Type::i8: return std::numeric_limits<std::int8_t>::max();
    case Type::i16: return std::numeric_limits<std::int16_t>::max();
    case Type::i32:
    case Type::time32:
    case Type::decimal32:
    case Type::date32: return std::numeric_limits<std::int32_t>::max();
    case Type::i64:
    case Type::time64:
    case Type::duration64:
    case Type::decimal64:
    case Type::timestamp64: return std::numeric_limits<std::int64_t>::max();
    case Type::i128:
    case Type::u128:
    case Type::decimal128: return (Whole{1} << 125) - 1;
    default: return std::numeric_limits<std::uint64_t>::max();
  }
}

double half_value(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::optional<std::uint16_t> half_bits(double value) {
  // Magnitudes, up to infinity, by their bits.
  static const std::vector<double> all = [] {
    std::vector<double> values;
    for (std::uint16_t bits = 0; bits <= 0x7c00; ++bits) values.push_back(half_value(bits));
    return values;
  }();
  if (std::isnan(value)) return 0x7e01;
  const auto found = std::lower_bound(all.begin(), all.end(), std::fabs(value));
  if (found == all.end() || *found != std::fabs(value)) return std::nullopt;
  return static_cast<std::uint16_t>((found - all.begin()) | (std::signbit(value) ? 0x8000 : 0));
}

bool fits(const Part& part, const Shape& shape) {
  if (part.index() == 0) return true;
  if (is_integer_shape(shape)) {
    const auto* whole = std::get_if<Whole>(&part);
    return whole != nullptr && smallest_of(shape.type) <= *whole &&
           *whole <= largest_of(shape.type);
  }
  if (is_float_shape(shape)) {
    const auto* real = std::get_if<double>(&part);
    if (real == nullptr) return false;
    if (shape.type == Type::f16) return half_bits(*real).has_value();
    return shape.type == Type::f64 || std::isnan(*real) ||
           static_cast<double>(static_cast<float>(*real)) == *real;
  }
  const auto* bytes = std::get_if<std::string>(&part);
  if (bytes == nullptr) return false;
  if (shape.type == Type::binary16) return bytes->size() == 16;
  return shape.layout != Layout::fixed || bytes->empty() || bytes->back() != '\0';
}

bool fits(const Key& key, const Shape& shape) {
  if (shape.type != Type::composite) return key.size() == 1 && fits(key[0], shape);
  return std::equal(key.begin(), key.end(), shape.parts.begin(), shape.parts.end(),
                    [](const Part& part, const Shape& of) { return fits(part, of); });
}

std::vector<Shape> parts_of(const Shape& shape) {
  return shape.type == Type::composite ? shape.parts : std::vector{shape};
}

std::string text_of(const Shape& shape) {
  std::string text(name_of(shape.type));
  if (shape.type == Type::composite) {
    text = "";
    for (const Shape& part : shape.parts) text += (text.empty() ? "" : "_") + text_of(part);
  }
  return text;
}

}  // namespace rtindex::test
