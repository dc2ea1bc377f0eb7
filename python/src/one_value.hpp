#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <rtindex/answer.hpp>
#include <rtindex/column.hpp>

namespace rtindex::python {

// A column, or a part of a composite, to which single values are converted.
struct ValueType {
  Type type = Type::u64;
  // Ticks of timestamps: microseconds times multiplier / divisor; 0: a unit that is not read here.
  std::int64_t multiplier = 0, divisor = 1;
  bool is_zoned = false;
};

// The types of columns with these units; empty: they have none.
[[nodiscard]] std::vector<ValueType> value_types(const std::vector<Type>& types,
                                                 const std::vector<std::string_view>& units,
                                                 const std::vector<bool>& zoned);

// Memory for single values, to which views point.
struct ValueMemory {
  static constexpr std::size_t capacity = 16;  // two ends for each column of points

  union Element {
    std::int64_t whole;
    std::int32_t days;
    float f32;
    double f64;
  };
  std::array<Element, capacity> elements;
  std::array<std::string_view, capacity> strings;
  std::size_t used = 0;  // less than `capacity` when a value is read
};

// The object of Python as a value of this type, which views `memory` and, of strings, the object;
// none where it needs a conversion.
[[nodiscard]] std::optional<ColumnView> read_value(PyObject* object, const ValueType& type,
                                                   ValueMemory& memory);
// As read_value, and what compares with dates and timestamps: dates, and strings like "2024-02-29"
// and "2024-02-29T12:00:00".
[[nodiscard]] std::optional<ColumnView> read_value_or_date(PyObject* object, const ValueType& type,
                                                           ValueMemory& memory);

// The answer of one query that is one number: a row, or None of a miss, or a count.
class OneNumber {
 public:
  explicit OneNumber(std::string_view answer);
  OneNumber(const OneNumber&) = delete;
  OneNumber& operator=(const OneNumber&) = delete;

  // False: an answer of this name is no number.
  [[nodiscard]] bool is_one() const { return is_one_; }
  [[nodiscard]] const Outputs& outputs() const { return outputs_; }
  [[nodiscard]] nanobind::object result() const;

 private:
  std::uint32_t number_ = 0;
  bool is_one_ = true;
  Outputs outputs_;
};

}  // namespace rtindex::python
