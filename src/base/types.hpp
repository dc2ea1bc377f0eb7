#pragma once

#include <cstdint>
#include <type_traits>

#include <rtindex/column.hpp>

namespace rtindex {

// A bool as it lies in memory: any byte but zero is true (reading such a byte as bool would be
// undefined).
struct Bool8 {
  std::uint8_t byte;
};

// The number that an element stands for.
template <class T>
[[nodiscard]] constexpr auto value_of(T element) {
  if constexpr (std::is_same_v<T, Bool8>)
    return static_cast<std::uint8_t>(element.byte != 0);
  else
    return element;
}

template <class T>
using value_t = decltype(value_of(T{}));

// Calls visitor.template operator()<T>() with the element type of a native, date or timestamp
// column. Not for strings and composites, which have no element type.
template <class Visitor>
decltype(auto) visit_native(Type type, Visitor&& visitor) {
  switch (type) {
    case Type::u8: return visitor.template operator()<std::uint8_t>();
    case Type::u16: return visitor.template operator()<std::uint16_t>();
    case Type::u32: return visitor.template operator()<std::uint32_t>();
    case Type::i8: return visitor.template operator()<std::int8_t>();
    case Type::i16: return visitor.template operator()<std::int16_t>();
    case Type::i32:
    case Type::date32: return visitor.template operator()<std::int32_t>();
    case Type::i64:
    case Type::timestamp64: return visitor.template operator()<std::int64_t>();
    case Type::boolean: return visitor.template operator()<Bool8>();
    case Type::f32: return visitor.template operator()<float>();
    case Type::f64: return visitor.template operator()<double>();
    case Type::u64:
    case Type::string:
    case Type::composite: break;
  }
  return visitor.template operator()<std::uint64_t>();
}

[[nodiscard]] constexpr bool is_integer(Type type) { return type <= Type::boolean; }

[[nodiscard]] constexpr bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

}  // namespace rtindex
