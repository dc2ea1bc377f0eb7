#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "column.hpp"

// Times in another unit, decimals and integers with another scale, and floats whose NaNs are null.

namespace rtindex::python {

namespace {

__extension__ using Int128 = __int128;

__extension__ using Uint128 = unsigned __int128;

constexpr auto largest = static_cast<Int128>(~Uint128{0} >> 1);
constexpr Int128 smallest = -largest - 1;

// The quotient, rounded down.
Int128 floor_divided(Int128 value, Int128 divisor) {
  const Int128 quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

// One element in the new unit, between `low` and `high`; false: it has none.
bool to_unit(Int128 value, const Rescale& rescale, Int128 low, Int128 high, Int128& scaled) {
  const Rounding& rounding = rescale.rounding;
  const bool up = rounding.direction > 0;
  Int128 product = 0;
  bool is_below = value < 0;
  if (!__builtin_mul_overflow(value, static_cast<Int128>(rescale.multiplier), &product)) {
    const Int128 divisor = rescale.divisor;
    scaled = floor_divided(product, divisor);
    const bool is_between = scaled * divisor != product;
    if (rounding.direction == 0 && is_between) return false;
    // A lower end becomes the first tick inside the range, an upper end the last one.
    if (up && (is_between || rounding.open)) ++scaled;
    if (rounding.direction < 0 && !is_between && rounding.open) --scaled;
    if (scaled >= low && scaled <= high) return true;
    is_below = scaled < low;
  }
  scaled = is_below ? low : high;
  return is_below ? up : rounding.direction < 0;
}

template <class To, class From>
void append_rescaled(const ColumnView& from, const Rescale& rescale, std::size_t first,
                     Rescaled& result) {
  constexpr bool is_wide = sizeof(To) == 16;
  const Int128 low = is_wide ? smallest : static_cast<Int128>(std::numeric_limits<To>::min());
  const Int128 high = is_wide ? largest : static_cast<Int128>(std::numeric_limits<To>::max());
  auto elements = std::make_shared<std::vector<To>>(from.size());
  auto validity = std::make_shared<std::vector<std::uint8_t>>((from.size() + 7) / 8);
  const auto* const values = static_cast<const From*>(from.data());
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from.valid(i)) continue;
    const auto value = static_cast<Int128>(values[i]);
    Int128 scaled = 0;
    if (to_unit(value, rescale, low, high, scaled)) {
      (*elements)[i] = static_cast<To>(scaled);
      (*validity)[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    } else if (!result.rejected) {
      result.rejected = {first + i, static_cast<std::int64_t>(value)};
    }
  }
  ColumnView view = ColumnView::of(rescale.type, elements->data(), elements->size());
  if (is_decimal(rescale.type)) view = view.with_scale(rescale.scale);
  result.column.append(view.with_validity(validity->data()));
  result.column.keep(std::move(elements));
  result.column.keep(std::move(validity));
}

template <class To>
void append_as(const ColumnView& from, const Rescale& rescale, std::size_t first,
               Rescaled& result) {
  switch (from.type()) {
    case Type::u8:
    case Type::boolean: append_rescaled<To, std::uint8_t>(from, rescale, first, result); break;
    case Type::i8: append_rescaled<To, std::int8_t>(from, rescale, first, result); break;
    case Type::u16: append_rescaled<To, std::uint16_t>(from, rescale, first, result); break;
    case Type::i16: append_rescaled<To, std::int16_t>(from, rescale, first, result); break;
    case Type::u32: append_rescaled<To, std::uint32_t>(from, rescale, first, result); break;
    case Type::u64: append_rescaled<To, std::uint64_t>(from, rescale, first, result); break;
    case Type::decimal128:
    case Type::i128: append_rescaled<To, Int128>(from, rescale, first, result); break;
    default:
      if (width_of(from.type()) == sizeof(std::int32_t))
        append_rescaled<To, std::int32_t>(from, rescale, first, result);
      else
        append_rescaled<To, std::int64_t>(from, rescale, first, result);
  }
}

template <class Float>
void append_without_nans(const ColumnView& from, Column& column) {
  const auto* const values = static_cast<const Float*>(from.data());
  if (std::none_of(values, values + from.size(), [](Float value) { return std::isnan(value); })) {
    column.append(from);
    return;
  }
  auto validity = std::make_shared<std::vector<std::uint8_t>>((from.size() + 7) / 8);
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from.valid(i) && !std::isnan(values[i]))
      (*validity)[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
  column.append(from.with_validity(validity->data()));
  column.keep(std::move(validity));
}

}  // namespace

Rescaled rescaled(const Column& column, const Rescale& rescale) {
  Rescaled result{Column(rescale.type, rescale.unit), std::nullopt};
  std::size_t first = 0;
  for (const ColumnView& piece : column.pieces()) {
    switch (width_of(rescale.type)) {
      case 4: append_as<std::int32_t>(piece, rescale, first, result); break;
      case 8: append_as<std::int64_t>(piece, rescale, first, result); break;
      default: append_as<Int128>(piece, rescale, first, result);
    }
    first += piece.size();
  }
  result.column.set_rounded(rescale.rounding.direction != 0);
  return result;
}

Column nan_as_null(const Column& column) {
  if (column.type() != Type::f32 && column.type() != Type::f64) return column;
  Column without(column.type(), column.unit());
  for (const ColumnView& piece : column.pieces()) {
    if (column.type() == Type::f32)
      append_without_nans<float>(piece, without);
    else
      append_without_nans<double>(piece, without);
  }
  for (const Owner& owner : column.owners()) without.keep(owner);
  return without;
}

}  // namespace rtindex::python
