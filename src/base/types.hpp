#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include <rtindex/column.hpp>

#include "base/macros.hpp"

namespace rtindex {

// A bool as it lies in memory: any byte but zero is true (reading such a byte as bool would be
// undefined).
struct Bool8 {
  std::uint8_t byte;
};

// A float16 as it lies in memory. Every one is exact as a float.
struct Half {
  std::uint16_t bits = 0;

  constexpr Half() = default;
  // The float16 with this value; towards zero where there is none.
  RTINDEX_HD constexpr explicit Half(float value) {
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = wide >> 16 & 0x8000;
    const std::uint32_t magnitude = wide & 0x7fffffff;
    const std::uint32_t exponent = magnitude >> 23;
    std::uint32_t half = 0;
    if (magnitude > 0x7f800000)
      half = 0x7e00;
    else if (exponent >= 143)  // 2^16 and more
      half = 0x7c00;
    else if (exponent >= 113)
      half = (magnitude - 0x38000000) >> 13;
    else if (exponent >= 103)  // subnormal
      half = ((magnitude & 0x7fffff) | 0x800000) >> (126 - exponent);
    bits = static_cast<std::uint16_t>(sign | half);
  }

  [[nodiscard]] RTINDEX_HD constexpr float value() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = bits >> 10 & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0) {
      const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
      return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 0x1f ? 0x7f800000 : (exponent + 112) << 23;
    return std::bit_cast<float>(sign | wide | fraction << 13);
  }
};

// An element of 128 bits.
struct Bits128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// Elements of 16 bytes may have any alignment.
[[nodiscard]] RTINDEX_HD inline Bits128 load_bits128(const void* element) {
#if defined(__CUDA_ARCH__)
  // Two loads; memcpy would load each byte.
  if (reinterpret_cast<std::uintptr_t>(element) % alignof(Bits128) == 0)
    return *static_cast<const Bits128*>(element);
#endif
  Bits128 bits;
  std::memcpy(&bits, element, sizeof(bits));
  return bits;
}

// The number that an element stands for.
template <class T>
[[nodiscard]] RTINDEX_HD constexpr auto value_of(T element) {
  if constexpr (std::is_same_v<T, Bool8>)
    return static_cast<std::uint8_t>(element.byte != 0);
  else if constexpr (std::is_same_v<T, Half>)
    return element.value();
  else
    return element;
}

template <class T>
using value_t = decltype(value_of(T{}));

// Calls visitor.template operator()<T>() with the element type of a native column. Not for 128-bit
// types, and not for strings and composites, which have no element type.
template <class Visitor>
decltype(auto) visit_native(Type type, Visitor&& visitor) {
  switch (type) {
    case Type::u8: return visitor.template operator()<std::uint8_t>();
    case Type::u16: return visitor.template operator()<std::uint16_t>();
    case Type::u32: return visitor.template operator()<std::uint32_t>();
    case Type::i8: return visitor.template operator()<std::int8_t>();
    case Type::i16: return visitor.template operator()<std::int16_t>();
    case Type::i32:
    case Type::date32:
    case Type::time32:
    case Type::decimal32: return visitor.template operator()<std::int32_t>();
    case Type::i64:
    case Type::timestamp64:
    case Type::time64:
    case Type::duration64:
    case Type::decimal64: return visitor.template operator()<std::int64_t>();
    case Type::boolean: return visitor.template operator()<Bool8>();
    case Type::f16: return visitor.template operator()<Half>();
    case Type::f32: return visitor.template operator()<float>();
    case Type::f64: return visitor.template operator()<double>();
    case Type::u64:
    case Type::string:
    case Type::composite:
    case Type::decimal128:
    case Type::i128:
    case Type::u128:
    case Type::binary16: break;
  }
  return visitor.template operator()<std::uint64_t>();
}

[[nodiscard]] constexpr bool is_integer(Type type) { return type <= Type::boolean; }

[[nodiscard]] constexpr bool is_float(Type type) {
  return type == Type::f16 || type == Type::f32 || type == Type::f64;
}

// The type of that name.
[[nodiscard]] inline std::optional<Type> find_type(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Type::binary16); ++i)
    if (name_of(static_cast<Type>(i)) == name) return static_cast<Type>(i);
  return std::nullopt;
}

}  // namespace rtindex
