#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <rtindex/column.hpp>

namespace rtindex::test {

__extension__ using Whole = __int128;  // holds every integer of the tests' columns

// One element as a plain value: null, an integer, a real number or a string.
using Part = std::variant<std::monostate, Whole, double, std::string>;

// The key of a row: one part, or several where the column is composite.
using Key = std::vector<Part>;

[[nodiscard]] bool is_null(const Key& key);

// How two values compare: <0, 0, >0. Integers by value, real numbers exactly (-0 equals +0, NaNs
// are equal and greatest), strings byte by byte as unsigned numbers. This is the tests' own
// definition of order; it shares no line with the library.
[[nodiscard]] int compare(const Part& a, const Part& b);
// Part after part. Neither key may be null.
[[nodiscard]] int compare(const Key& a, const Key& b);

[[nodiscard]] std::string text_of(const Key& key);

// How a column lays out strings in memory.
enum class Layout { strings, views, fixed, offsets32, offsets64 };

// What a test column is made of.
struct Shape {
  Type type = Type::u64;
  Layout layout = Layout::strings;
  std::vector<Shape> parts = {};  // of a composite
};

[[nodiscard]] bool is_integer_shape(const Shape& shape);
[[nodiscard]] bool is_float_shape(const Shape& shape);
// Columns of 128 bits hold 126 of them here, so that differences fit a Whole.
[[nodiscard]] Whole smallest_of(Type type);
[[nodiscard]] Whole largest_of(Type type);

// The float16 with these bits, and the bits of one with this value; none has it: no bits.
[[nodiscard]] double half_value(std::uint16_t bits);
[[nodiscard]] std::optional<std::uint16_t> half_bits(double value);

// Whether a column of this shape can hold the key as it is.
[[nodiscard]] bool fits(const Part& part, const Shape& shape);
[[nodiscard]] bool fits(const Key& key, const Shape& shape);

// The shape of each part; a shape that is not composite is its own only part.
[[nodiscard]] std::vector<Shape> parts_of(const Shape& shape);
[[nodiscard]] std::string text_of(const Shape& shape);

}  // namespace rtindex::test
