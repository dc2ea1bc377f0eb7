#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <rtindex/answer.hpp>

#include "base/macros.hpp"

// How hits are folded into answers: the one definition for native code, Embree, CUDA kernels and
// OptiX programs. Class is std::uint64_t, std::int64_t or double (values.hpp).
namespace rtindex {

// Order with NaN greater than every number.
template <class Class>
[[nodiscard]] RTINDEX_HD constexpr bool less(Class a, Class b) {
  // NOLINTNEXTLINE(misc-redundant-expression): only NaN is unequal to itself
  if constexpr (std::is_same_v<Class, double>) return a < b || (b != b && a == a);
  return a < b;
}

// The operations. Folding a value into the identity of an operation yields that value, so an
// aggregate needs no flag for its first value.

struct Sum {
  // -0.0 + x is x for every x; 0.0 + -0.0 would lose the sign.
  template <class Class>
  [[nodiscard]] RTINDEX_HD static constexpr Class identity() {
    if constexpr (std::is_same_v<Class, double>) return -0.0;
    return Class{};
  }
  // Integers wrap around.
  template <class Class>
  [[nodiscard]] RTINDEX_HD constexpr Class operator()(Class a, Class b) const {
    if constexpr (std::is_same_v<Class, std::int64_t>)
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                       static_cast<std::uint64_t>(b));
    else
      return a + b;
  }
};

struct Min {
  template <class Class>
  [[nodiscard]] RTINDEX_HD static constexpr Class identity() {
    if constexpr (std::is_same_v<Class, double>) return std::numeric_limits<double>::quiet_NaN();
    return std::numeric_limits<Class>::max();
  }
  template <class Class>
  [[nodiscard]] RTINDEX_HD constexpr Class operator()(Class a, Class b) const {
    return less(b, a) ? b : a;
  }
};

struct Max {
  template <class Class>
  [[nodiscard]] RTINDEX_HD static constexpr Class identity() {
    if constexpr (std::is_same_v<Class, double>) return -std::numeric_limits<double>::infinity();
    return std::numeric_limits<Class>::min();
  }
  template <class Class>
  [[nodiscard]] RTINDEX_HD constexpr Class operator()(Class a, Class b) const {
    return less(a, b) ? b : a;
  }
};

// The greater of two rowIDs, of which any may be a miss.
struct Last {
  template <class Row>
  [[nodiscard]] RTINDEX_HD static constexpr Row identity() {
    return miss_row;
  }
  [[nodiscard]] RTINDEX_HD constexpr std::uint32_t operator()(std::uint32_t a,
                                                              std::uint32_t b) const {
    return a == miss_row || (b != miss_row && b > a) ? b : a;
  }
};

// The sum, minimum and maximum of some values. Index files hold arrays of it.
template <class Class>
struct ValueAggregate {
  Class sum = Sum::identity<Class>();
  Class min = Min::identity<Class>();
  Class max = Max::identity<Class>();

  [[nodiscard]] RTINDEX_HD static constexpr ValueAggregate of(Class value) {
    return {value, value, value};
  }
  RTINDEX_HD constexpr void add(Class value) { merge(of(value)); }
  RTINDEX_HD constexpr void merge(const ValueAggregate& other) {
    sum = Sum{}(sum, other.sum);
    min = Min{}(min, other.min);
    max = Max{}(max, other.max);
  }
  // The answers of a lookup: these, or the miss value. Selects values, not addresses, so that GPUs
  // keep them in registers.
  [[nodiscard]] RTINDEX_HD constexpr ValueAggregate or_miss(bool matched, Class miss) const {
    return {matched ? sum : miss, matched ? min : miss, matched ? max : miss};
  }
};

// The sum alone.
template <class Class>
struct SumAggregate {
  Class sum = Sum::identity<Class>();

  RTINDEX_HD constexpr void add(Class value) { sum = Sum{}(sum, value); }
  RTINDEX_HD constexpr void merge(const SumAggregate& other) { sum = Sum{}(sum, other.sum); }
};

// The answers that need no values. `any` is the last match.
struct RowAggregate {
  std::uint32_t count = 0;
  std::uint32_t any = miss_row;
  std::uint32_t first = miss_row;

  [[nodiscard]] RTINDEX_HD constexpr bool matched() const { return count != 0; }
  RTINDEX_HD constexpr void add(std::uint32_t row) {
    ++count;
    any = row;
    first = Min{}(first, row);
  }
};

// The rows of one lookup that are collected: at most `limit`.
struct CollectedRows {
  std::uint32_t limit = 0;
  std::uint32_t count = 0;

  [[nodiscard]] RTINDEX_HD constexpr bool full() const { return count >= limit; }
  // The position of the next row among those of the lookup.
  RTINDEX_HD constexpr std::uint32_t add() { return count++; }
};

// Writes the sum, min and max of a lookup. `out` has a pointer for each; null: not requested.
template <class Class, class Out>
RTINDEX_HD void write_values(const Out& out, std::size_t lookup,
                             const ValueAggregate<Class>& values) {
  const auto write = [&](void* to, Class value) {
    if (to != nullptr) static_cast<Class*>(to)[lookup] = value;
  };
  write(out.sum, values.sum);
  write(out.min, values.min);
  write(out.max, values.max);
}

// Reads the bit of a lookup in a matched bitmap.
[[nodiscard]] RTINDEX_HD constexpr bool is_matched(const std::uint8_t* bitmap, std::size_t lookup) {
  return (bitmap[lookup / 8] >> (lookup % 8) & 1) != 0;
}

}  // namespace rtindex
