#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>

#include "column.hpp"

// Lookups that are converted before an index reads them.

namespace rtindex::python {

namespace {

// 2^digits: the first double above the type.
template <class T>
constexpr double above = 2.0 * static_cast<double>(T{1} << (std::numeric_limits<T>::digits - 1));

// One float as an integer; false: it has none.
template <class T>
bool to_whole(double value, const Rounding& rounding, T& whole) {
  if (std::isnan(value)) return false;
  const bool up = rounding.direction > 0;
  // The integer beside an open end is one step further.
  if (rounding.direction != 0) value = up != rounding.open ? std::ceil(value) : std::floor(value);
  constexpr auto smallest = static_cast<double>(std::numeric_limits<T>::min());
  if (value < smallest || value >= above<T>) {
    const bool is_clamped = up ? value < smallest : rounding.direction < 0 && value >= above<T>;
    whole = value < smallest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    return is_clamped;
  }
  whole = static_cast<T>(value);
  if (!rounding.open) return static_cast<double>(whole) == value;
  if (whole == (up ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min())) return false;
  whole = up ? whole + 1 : whole - 1;
  return true;
}

template <class T, class Float>
void append_whole(const ColumnView& floats, const Rounding& rounding, Column& column) {
  auto numbers = std::make_shared<std::vector<T>>(floats.size());
  auto validity = std::make_shared<std::vector<std::uint8_t>>((floats.size() + 7) / 8);
  const auto* from = static_cast<const Float*>(floats.data());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    if (!floats.valid(i) || std::isnan(from[i])) continue;
    if (to_whole(static_cast<double>(from[i]), rounding, (*numbers)[i]))
      (*validity)[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    else if (!rounding.rejection.empty())
      throw Error(
          fmt::format("invalid number {}: {}", static_cast<double>(from[i]), rounding.rejection));
  }
  column.append(ColumnView(*numbers).with_validity(validity->data()));
  column.keep(std::move(numbers));
  column.keep(std::move(validity));
}

template <class T>
Column whole_numbers_as(const Column& floats, const Rounding& rounding) {
  Column column(type_of<T>(), "");
  for (const ColumnView& piece : floats.pieces()) {
    if (floats.type() == Type::f32)
      append_whole<T, float>(piece, rounding, column);
    else
      append_whole<T, double>(piece, rounding, column);
  }
  column.set_rounded(rounding.direction != 0);
  return column;
}

template <class T>
Column filled(Type type, const std::string& unit, std::size_t size, T value) {
  auto elements = std::make_shared<std::vector<T>>(size, value);
  Column column(type, unit);
  column.append(ColumnView::of(type, elements->data(), size));
  column.keep(std::move(elements));
  return column;
}

template <class T>
Column filled_to(bool upper, Type type, const std::string& unit, std::size_t size) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>)  // NaN is greater than every number
    return filled<T>(type, unit, size, upper ? Limits::quiet_NaN() : -Limits::infinity());
  else
    return filled<T>(type, unit, size, upper ? Limits::max() : Limits::min());
}

// UTF-8 has no byte 0xff, so that only keys of that many such bytes or more are above it.
constexpr std::size_t longest_end = 1 << 16;

Column open_string_end(std::size_t size, bool upper) {
  static const std::string largest(longest_end, '\xff');
  auto ends = std::make_shared<std::vector<std::string_view>>(
      size, upper ? std::string_view(largest) : std::string_view());
  Column column(Type::string, "");
  column.append(ColumnView(*ends));
  column.keep(std::move(ends));
  return column;
}

}  // namespace

Column whole_numbers(const Column& floats, Type type, const Rounding& rounding) {
  return type == Type::u64 ? whole_numbers_as<std::uint64_t>(floats, rounding)
                           : whole_numbers_as<std::int64_t>(floats, rounding);
}

Column open_end(Type type, const std::string& unit, std::size_t size, bool upper) {
  if (type == Type::string) return open_string_end(size, upper);
  if (type == Type::u64) return filled_to<std::uint64_t>(upper, type, unit, size);
  if (type == Type::date32) return filled_to<std::int32_t>(upper, type, unit, size);
  if (type == Type::time32 || type == Type::time64 || type == Type::duration64)
    return filled_to<std::int64_t>(upper, type == Type::time32 ? Type::time64 : type, unit, size);
  if (type == Type::f16) return filled_to<float>(upper, Type::f32, unit, size);
  if (type == Type::f32) return filled_to<float>(upper, type, unit, size);
  if (type == Type::f64) return filled_to<double>(upper, type, unit, size);
  if (type == Type::timestamp64) return filled_to<std::int64_t>(upper, type, unit, size);
  return filled_to<std::int64_t>(upper, Type::i64, unit, size);  // integers compare at any width
}

}  // namespace rtindex::python
