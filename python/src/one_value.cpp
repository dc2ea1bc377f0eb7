#include "one_value.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

// The shortest way from one Python object to its view: no arrays, no conversions.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Names and types of `datetime`, which live as long as the process.
struct DatetimeNames {
  static PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

  PyObject* type = nb::object(nb::module_::import_("datetime").attr("datetime")).release().ptr();
  PyObject* date = nb::object(nb::module_::import_("datetime").attr("date")).release().ptr();
  PyObject* tzinfo = interned("tzinfo");
  PyObject* epoch = nb::handle(type)(1970, 1, 1).release().ptr();
  PyObject* utc_epoch =
      nb::handle(type)(1970, 1, 1, 0, 0, 0, 0,
                       nb::module_::import_("datetime").attr("timezone").attr("utc"))
          .release()
          .ptr();
  std::array<PyObject*, 3> of_date = {interned("year"), interned("month"), interned("day")};
  std::array<PyObject*, 3> of_delta = {interned("days"), interned("seconds"),
                                       interned("microseconds")};
};

const DatetimeNames& names() {
  static const DatetimeNames all;
  return all;
}

template <std::size_t Count>
std::array<std::int64_t, Count> numbers_of(PyObject* object,
                                           const std::array<PyObject*, Count>& fields) {
  std::array<std::int64_t, Count> numbers{};
  for (std::size_t i = 0; i < Count; ++i) {
    const nb::object number = nb::steal(PyObject_GetAttr(object, fields[i]));
    if (!number.is_valid()) throw nb::python_error();
    numbers[i] = PyLong_AsLongLong(number.ptr());
  }
  return numbers;
}

std::int64_t days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::chrono::sys_days days = std::chrono::year_month_day(
      std::chrono::year(static_cast<int>(year)), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day)));
  return days.time_since_epoch().count();
}

// Microseconds since 1970 in UTC; none if exactly one of the time and the column has a zone, or
// where the time cannot say its offset.
std::optional<std::int64_t> microseconds_of(PyObject* time, bool is_zoned) {
  const nb::object zone = nb::steal(PyObject_GetAttr(time, names().tzinfo));
  if (!zone.is_valid()) throw nb::python_error();
  if (zone.is_none() == is_zoned) return std::nullopt;
  // One difference takes less time than the fields of a time.
  const nb::object since =
      nb::steal(PyNumber_Subtract(time, is_zoned ? names().utc_epoch : names().epoch));
  if (!since.is_valid()) {
    PyErr_Clear();
    return std::nullopt;
  }
  const auto [days, seconds, micro] = numbers_of(since.ptr(), names().of_delta);
  return (days * 86'400 + seconds) * 1'000'000 + micro;
}

constexpr std::int64_t microseconds_of_second = 1'000'000;
constexpr std::int64_t microseconds_of_day = 86'400 * microseconds_of_second;

// The digits of a number in a text; -1 where one of them is none.
std::int64_t digits_of(std::string_view text) {
  std::int64_t number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return -1;
    number = number * 10 + (digit - '0');
  }
  return number;
}

// Microseconds since 1970 of "2024-02-29", or of "2024-02-29T12:00:00"; none of other texts, some
// of which are times too.
std::optional<std::int64_t> microseconds_of_text(std::string_view text) {
  constexpr std::size_t date_size = 10, time_size = 19;
  const bool has_time = text.size() == time_size && (text[10] == 'T' || text[10] == ' ') &&
                        text[13] == ':' && text[16] == ':';
  if ((text.size() != date_size && !has_time) || text[4] != '-' || text[7] != '-')
    return std::nullopt;
  const std::int64_t year = digits_of(text.substr(0, 4)), month = digits_of(text.substr(5, 2)),
                     day = digits_of(text.substr(8, 2));
  if (year < 0 || month < 0 || day < 0) return std::nullopt;
  if (!std::chrono::year_month_day(std::chrono::year(static_cast<int>(year)),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day)))
           .ok())
    return std::nullopt;
  const std::int64_t midnight = days_since_1970(year, month, day) * microseconds_of_day;
  if (!has_time) return midnight;
  const std::int64_t hour = digits_of(text.substr(11, 2)), minute = digits_of(text.substr(14, 2)),
                     second = digits_of(text.substr(17, 2));
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59)
    return std::nullopt;
  return midnight + ((hour * 60 + minute) * 60 + second) * microseconds_of_second;
}

std::optional<ColumnView> number(std::int64_t value, ValueMemory& memory) {
  std::int64_t& held = memory.elements[memory.used++].whole;
  held = value;
  return ColumnView(std::span<const std::int64_t>(&held, 1));
}

// One beyond float32 equals no key, infinity neither.
bool fits_float32(double value) {
  return std::isinf(value) || !(std::abs(value) > std::numeric_limits<float>::max());
}

// `is_float32`: rounded to it, as NumPy compares one float of Python. Integers are exact.
std::optional<ColumnView> number(double value, bool is_float32, ValueMemory& memory) {
  ValueMemory::Element& held = memory.elements[memory.used++];
  if (is_float32) {
    held.f32 = static_cast<float>(value);
    return ColumnView(std::span<const float>(&held.f32, 1));
  }
  held.f64 = value;
  return ColumnView(std::span<const double>(&held.f64, 1));
}

std::optional<std::string_view> text_of(PyObject* object) {
  Py_ssize_t size = 0;
  const char* const bytes = PyUnicode_AsUTF8AndSize(object, &size);
  if (bytes != nullptr) return std::string_view(bytes, static_cast<std::size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

std::optional<ColumnView> text(PyObject* object, ValueMemory& memory) {
  const std::optional<std::string_view> found = text_of(object);
  if (!found) return std::nullopt;
  std::string_view& held = memory.strings[memory.used++];
  held = *found;
  return ColumnView(std::span<const std::string_view>(&held, 1));
}

// An instant as a timestamp, or as a date where the column has dates.
std::optional<ColumnView> instant(std::int64_t micro, const ValueType& type, ValueMemory& memory) {
  if (type.type == Type::date32) {
    if (micro % microseconds_of_day != 0) return std::nullopt;
    std::int32_t& held = memory.elements[memory.used++].days;
    held = static_cast<std::int32_t>(micro / microseconds_of_day);
    return ColumnView::dates(std::span<const std::int32_t>(&held, 1));
  }
  std::int64_t ticks = 0;
  if (type.multiplier == 0 || micro % type.divisor != 0 ||
      __builtin_mul_overflow(micro / type.divisor, type.multiplier, &ticks))
    return std::nullopt;
  std::int64_t& held = memory.elements[memory.used++].whole;
  held = ticks;
  return ColumnView::timestamps(std::span<const std::int64_t>(&held, 1));
}

bool is_integer(Type type) { return type <= Type::i64; }
bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }
bool has_type(PyObject* object, const PyObject* type) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == type;
}

}  // namespace

std::vector<ValueType> value_types(const std::vector<Type>& types,
                                   const std::vector<std::string_view>& units,
                                   const std::vector<bool>& zoned) {
  std::vector<ValueType> found;
  for (std::size_t i = 0; i < types.size(); ++i) {
    ValueType one{.type = types[i], .is_zoned = zoned[i]};
    const std::string_view unit = units[i];
    if (unit == "us" || unit == "ns") one.multiplier = unit == "us" ? 1 : 1000;
    if (unit == "ms" || unit == "s") {
      one.multiplier = 1;
      one.divisor = unit == "ms" ? 1000 : microseconds_of_second;
    }
    found.push_back(one);
  }
  return found;
}

std::optional<ColumnView> read_value(PyObject* object, const ValueType& type, ValueMemory& memory) {
  constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return std::nullopt;
    if (is_integer(type.type)) return number(static_cast<std::int64_t>(value), memory);
    if (!is_float(type.type) || value > exact_in_double || value < -exact_in_double)
      return std::nullopt;
    const bool is_exact = static_cast<long long>(static_cast<float>(value)) == value;
    return number(static_cast<double>(value), type.type == Type::f32 && is_exact, memory);
  }
  if (PyFloat_CheckExact(object)) {
    if (!is_float(type.type)) return std::nullopt;
    const double value = PyFloat_AsDouble(object);
    return number(value, type.type == Type::f32 && fits_float32(value), memory);
  }
  if (PyUnicode_CheckExact(object))
    return type.type == Type::string ? text(object, memory) : std::nullopt;
  if (type.type != Type::timestamp64 || !has_type(object, names().type)) return std::nullopt;
  const std::optional<std::int64_t> micro = microseconds_of(object, type.is_zoned);
  return micro ? instant(*micro, type, memory) : std::nullopt;
}

std::optional<ColumnView> read_value_or_date(PyObject* object, const ValueType& type,
                                             ValueMemory& memory) {
  const bool is_naive =
      type.type == Type::date32 || (type.type == Type::timestamp64 && !type.is_zoned);
  if (is_naive && has_type(object, names().date)) {
    const auto [year, month, day] = numbers_of(object, names().of_date);
    return instant(days_since_1970(year, month, day) * microseconds_of_day, type, memory);
  }
  if (!is_naive || !PyUnicode_CheckExact(object)) return read_value(object, type, memory);
  const std::optional<std::string_view> found = text_of(object);
  const std::optional<std::int64_t> micro = found ? microseconds_of_text(*found) : std::nullopt;
  return micro ? instant(*micro, type, memory) : std::nullopt;
}

OneNumber::OneNumber(std::string_view answer) {
  if (answer == "any")
    outputs_.any = &number_;
  else if (answer == "count")
    outputs_.count = &number_;
  else if (answer == "first")
    outputs_.first = &number_;
  else if (answer == "last")
    outputs_.last = &number_;
  else
    is_one_ = false;
}

nb::object OneNumber::result() const {
  if (outputs_.count == nullptr && number_ == miss_row) return nb::none();
  return nb::steal(PyLong_FromUnsignedLong(number_));
}

}  // namespace rtindex::python
