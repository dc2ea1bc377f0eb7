#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <rtindex/answer.hpp>

#include "base/macros.hpp"
#include "base/types.hpp"

namespace rtindex {

// Values are aggregated in the class of their type: uint64, int64 or double.
template <class T>
using value_class_t = std::conditional_t<
    std::is_floating_point_v<value_t<T>>, double,
    std::conditional_t<std::is_signed_v<value_t<T>>, std::int64_t, std::uint64_t>>;

// An element of a value column in its class.
template <class T>
[[nodiscard]] RTINDEX_HD constexpr value_class_t<T> to_class(T element) {
  return static_cast<value_class_t<T>>(value_of(element));  // NOLINT(*-signed-char-misuse)
}

// Calls visitor.template operator()<Class>() with the C++ type of a value class. The visitor may be
// host code alone, which nvcc would warn of.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Visitor>
RTINDEX_HD decltype(auto) visit_class(ValueClass value_class, Visitor&& visitor) {
  if (value_class == ValueClass::u64) return visitor.template operator()<std::uint64_t>();
  if (value_class == ValueClass::i64) return visitor.template operator()<std::int64_t>();
  return visitor.template operator()<double>();
}

// The miss value of a class.
template <class Class>
[[nodiscard]] RTINDEX_HD constexpr Class miss_as(const MissValues& miss) {
  if constexpr (std::is_same_v<Class, double>)
    return miss.f64;
  else if constexpr (std::is_same_v<Class, std::int64_t>)
    return miss.i64;
  else
    return miss.u64;
}

// A value column whose type is known at run time, read in its class.
template <class Class>
struct Values {
  const void* data = nullptr;
  Type type = Type::u64;

  [[nodiscard]] RTINDEX_HD Class operator[](std::size_t row) const {
    if constexpr (std::is_same_v<Class, double>) {
      if (type == Type::f16) return at<Half>(row);
      return type == Type::f32 ? at<float>(row) : at<double>(row);
    } else if constexpr (std::is_same_v<Class, std::int64_t>) {
      switch (type) {
        case Type::i8: return at<std::int8_t>(row);
        case Type::i16: return at<std::int16_t>(row);
        case Type::i32:
        case Type::date32:
        case Type::time32:
        case Type::decimal32: return at<std::int32_t>(row);
        default: return at<std::int64_t>(row);
      }
    } else {
      switch (type) {
        case Type::boolean: return at<Bool8>(row);
        case Type::u8: return at<std::uint8_t>(row);
        case Type::u16: return at<std::uint16_t>(row);
        case Type::u32: return at<std::uint32_t>(row);
        default: return at<std::uint64_t>(row);
      }
    }
  }

 private:
  template <class T>
  [[nodiscard]] RTINDEX_HD Class at(std::size_t row) const {
    return to_class(static_cast<const T*>(data)[row]);
  }
};

}  // namespace rtindex
