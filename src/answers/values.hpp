#pragma once

#include <cstdint>

#include "base/macros.hpp"
#include "base/types.hpp"

namespace rtindex {

// The class that a value type is accumulated in: uint64, int64 or double.
template <class T>
using accumulator_t = std::conditional_t<
    std::is_floating_point_v<value_t<T>>, double,
    std::conditional_t<std::is_signed_v<value_t<T>>, std::int64_t, std::uint64_t>>;

enum class ValueClass : std::uint8_t { u64, i64, f64 };

[[nodiscard]] inline ValueClass class_of(Type type) {
  return visit_native(type, []<class T>() {
    using Class = accumulator_t<T>;
    if constexpr (std::is_same_v<Class, double>) return ValueClass::f64;
    if constexpr (std::is_same_v<Class, std::int64_t>) return ValueClass::i64;
    return ValueClass::u64;
  });
}

// Calls visitor.template operator()<Class>() with the C++ type of a value class.
template <class Visitor>
decltype(auto) visit_class(ValueClass value_class, Visitor&& visitor) {
  if (value_class == ValueClass::f64) return visitor.template operator()<double>();
  if (value_class == ValueClass::i64) return visitor.template operator()<std::int64_t>();
  return visitor.template operator()<std::uint64_t>();
}

// The value column of a call, read as its class.
template <class Class>
struct Values {
  const void* data = nullptr;
  Type type = Type::u64;

  [[nodiscard]] RTINDEX_HD Class operator[](std::size_t row) const {
    if constexpr (std::is_same_v<Class, double>) {
      return type == Type::f32 ? static_cast<double>(at<float>(row)) : at<double>(row);
    } else if constexpr (std::is_same_v<Class, std::int64_t>) {
      switch (type) {
        case Type::i8: return at<std::int8_t>(row);
        case Type::i16: return at<std::int16_t>(row);
        case Type::i32:
        case Type::date32: return at<std::int32_t>(row);
        default: return at<std::int64_t>(row);
      }
    } else {
      switch (type) {
        case Type::boolean: return at<std::uint8_t>(row) != 0 ? 1 : 0;
        case Type::u8: return at<std::uint8_t>(row);
        case Type::u16: return at<std::uint16_t>(row);
        case Type::u32: return at<std::uint32_t>(row);
        default: return at<std::uint64_t>(row);
      }
    }
  }

 private:
  template <class T>
  [[nodiscard]] RTINDEX_HD T at(std::size_t row) const {
    return static_cast<const T*>(data)[row];
  }
};

// Sums of integers wrap around.
template <class Class>
[[nodiscard]] RTINDEX_HD constexpr Class add(Class a, Class b) {
  if constexpr (std::is_same_v<Class, std::int64_t>)
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

// Order with NaN greater than every number.
template <class Class>
[[nodiscard]] RTINDEX_HD constexpr bool less(Class a, Class b) {
  // NOLINTNEXTLINE(misc-redundant-expression): only NaN is unequal to itself
  if constexpr (std::is_same_v<Class, double>) return a < b || (b != b && a == a);
  return a < b;
}

}  // namespace rtindex
