#pragma once

#include <cstddef>
#include <cstdint>

#include <rtindex/column.hpp>

#include "base/types.hpp"
#include "keys/bits_128.hpp"
#include "keys/ordered_bits.hpp"

namespace rtindex {

// How two numbers compare: <0, 0, >0.
template <class T>
[[nodiscard]] constexpr int compare(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// Element i of a column against element j of another one of its type, in the order of keys.
[[nodiscard]] inline int compare_elements(const ColumnView& a, std::size_t i, const ColumnView& b,
                                          std::size_t j) {
  if (a.type() == Type::string) return a.string(i).compare(b.string(j));
  if (a.type() == Type::composite) {
    for (std::size_t p = 0; p < a.parts().size(); ++p)
      if (const int order = compare_elements(a.parts()[p], i, b.parts()[p], j); order != 0)
        return order;
    return 0;
  }
  if (is_128_bit(a.type()))
    return compare(ordered_bits_128(a, i, a.type()).bits, ordered_bits_128(b, j, a.type()).bits);
  return visit_native(a.type(), [&]<class T>() {
    const auto bits = [](const ColumnView& column, std::size_t at) {
      return ordered_bits(value_of(static_cast<const T*>(column.data())[at]));
    };
    return compare(bits(a, i), bits(b, j));
  });
}

// Element i of a column against element j of one whose type compares with it; neither column is
// composite.
[[nodiscard]] inline int compare_values(const ColumnView& a, std::size_t i, const ColumnView& b,
                                        std::size_t j) {
  if (a.type() == b.type()) return compare_elements(a, i, b, j);
  if (!is_float(a.type())) {
    const Integer128 x = integer_128_at(a, i);
    const Integer128 y = integer_128_at(b, j);
    return x.negative != y.negative ? (x.negative ? -1 : 1) : compare(x.bits, y.bits);
  }
  const auto bits = [](const ColumnView& column, std::size_t at) {
    return visit_native(column.type(), [&]<class T>() {
      return ordered_bits(static_cast<double>(value_of(static_cast<const T*>(column.data())[at])));
    });
  };
  return compare(bits(a, i), bits(b, j));
}

}  // namespace rtindex
