#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "bind.hpp"
#include "without_gil.hpp"

// The shortest way from one Python object to its answer: no arrays, no conversions. What it does
// not read is NotImplemented, and takes the way of batches.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Names and types of `datetime`, which live as long as the process.
struct DatetimeNames {
  static PyObject* interned(const char* text) { return PyUnicode_InternFromString(text); }

  PyObject* type = nb::object(nb::module_::import_("datetime").attr("datetime")).release().ptr();
  PyObject* tzinfo = interned("tzinfo");
  PyObject* utcoffset = interned("utcoffset");
  std::array<PyObject*, 7> fields = {interned("year"),       interned("month"),  interned("day"),
                                     interned("hour"),       interned("minute"), interned("second"),
                                     interned("microsecond")};
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

// Microseconds since 1970 in UTC; none if exactly one of the time and the column has a zone.
std::optional<std::int64_t> microseconds_of(PyObject* time, bool is_zoned) {
  const auto [year, month, day, hour, minute, second, micro] = numbers_of(time, names().fields);
  const std::chrono::sys_days days = std::chrono::year_month_day(
      std::chrono::year(static_cast<int>(year)), std::chrono::month(static_cast<unsigned>(month)),
      std::chrono::day(static_cast<unsigned>(day)));
  const std::int64_t seconds =
      ((days.time_since_epoch().count() * 24 + hour) * 60 + minute) * 60 + second;
  const std::int64_t ticks = seconds * 1'000'000 + micro;
  const nb::object zone = nb::steal(PyObject_GetAttr(time, names().tzinfo));
  if (!zone.is_valid()) throw nb::python_error();
  if (zone.is_none()) return is_zoned ? std::nullopt : std::optional(ticks);
  if (!is_zoned) return std::nullopt;
  const nb::object offset = nb::steal(PyObject_CallMethodObjArgs(time, names().utcoffset, nullptr));
  if (!offset.is_valid()) throw nb::python_error();
  if (offset.is_none()) return std::nullopt;
  const auto [delta_days, delta_seconds, delta_micro] = numbers_of(offset.ptr(), names().of_delta);
  return ticks - ((delta_days * 86'400 + delta_seconds) * 1'000'000 + delta_micro);
}

// A part of a key, or the whole of it.
struct PartType {
  Type type = Type::u64;
  // Ticks of timestamps: microseconds times multiplier / divisor; 0: a unit that is not read here.
  std::int64_t multiplier = 0, divisor = 1;
  bool is_zoned = false;
};

union Element {
  std::int64_t whole;
  float f32;
  double f64;
};

// One key in memory that a view can point to.
struct Key {
  std::array<Element, 8> elements;
  std::array<std::string_view, 8> strings;
  std::size_t used = 0;

  std::optional<ColumnView> number(std::int64_t value) {
    elements[used].whole = value;
    return ColumnView(std::span<const std::int64_t>(&elements[used].whole, 1));
  }
  std::optional<ColumnView> number(double value, Type type) {
    // As NumPy compares one float of Python. One beyond float32 equals no key, infinity neither.
    const bool fits = std::isinf(value) || !(std::abs(value) > std::numeric_limits<float>::max());
    if (type == Type::f32 && fits) {
      elements[used].f32 = static_cast<float>(value);
      return ColumnView(std::span<const float>(&elements[used].f32, 1));
    }
    elements[used].f64 = value;
    return ColumnView(std::span<const double>(&elements[used].f64, 1));
  }
  std::optional<ColumnView> text(PyObject* object) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(object, &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      return std::nullopt;
    }
    strings[used] = {bytes, static_cast<std::size_t>(size)};
    return ColumnView(std::span<const std::string_view>(&strings[used], 1));
  }
  std::optional<ColumnView> time(PyObject* object, const PartType& part) {
    const std::optional<std::int64_t> micro = microseconds_of(object, part.is_zoned);
    std::int64_t ticks = 0;
    if (!micro || part.multiplier == 0 || *micro % part.divisor != 0 ||
        __builtin_mul_overflow(*micro / part.divisor, part.multiplier, &ticks))
      return std::nullopt;
    elements[used].whole = ticks;
    return ColumnView::timestamps(std::span<const std::int64_t>(&elements[used].whole, 1));
  }
};

bool is_integer(Type type) { return type <= Type::i64; }
bool is_float(Type type) { return type == Type::f32 || type == Type::f64; }

// The object as a key of this type; none where it needs a conversion.
std::optional<ColumnView> read(PyObject* object, const PartType& part, Key& key) {
  constexpr std::int64_t exact_in_double = std::int64_t{1} << 53;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return std::nullopt;
    if (is_integer(part.type)) return key.number(static_cast<std::int64_t>(value));
    if (!is_float(part.type) || std::abs(value) > exact_in_double) return std::nullopt;
    return key.number(static_cast<double>(value), part.type);
  }
  if (PyFloat_CheckExact(object))
    return is_float(part.type) ? key.number(PyFloat_AsDouble(object), part.type) : std::nullopt;
  if (PyUnicode_CheckExact(object))
    return part.type == Type::string ? key.text(object) : std::nullopt;
  if (part.type == Type::timestamp64 &&
      reinterpret_cast<PyObject*>(Py_TYPE(object)) == names().type)
    return key.time(object, part);
  return std::nullopt;
}

// Lookups of one key on an index.
class OneKey {
 public:
  // `units` and `zoned` of each part.
  OneKey(const Index& index, const std::vector<std::string_view>& units,
         const std::vector<bool>& zoned)
      : index_(index), is_composite_(index.type() == Type::composite) {
    std::vector<Type> types = index.part_types();
    if (!is_composite_) types = {index.type()};
    for (std::size_t i = 0; i < types.size(); ++i) {
      PartType part{.type = types[i], .is_zoned = zoned[i]};
      const std::string_view unit = units[i];
      if (unit == "us" || unit == "ns") part.multiplier = unit == "us" ? 1 : 1000;
      if (unit == "ms" || unit == "s") {
        part.multiplier = 1;
        part.divisor = unit == "ms" ? 1000 : 1'000'000;
      }
      parts_.push_back(part);
    }
  }

  // "any", "first" and "last" return a row or None, "count" a number.
  [[nodiscard]] nb::object lookup(nb::handle object, std::string_view answer) const {
    return answered(object, answer, [](ColumnView view) { return Query::equal(std::move(view)); });
  }

  [[nodiscard]] nb::object nearest(nb::handle object, std::string_view direction,
                                   bool exact) const {
    return answered(object, "any", [&](ColumnView view) {
      const NearestOptions options{.direction = direction_named(direction), .exact = exact};
      return Query::nearest(std::move(view), options);
    });
  }

  [[nodiscard]] nb::object contains(nb::handle object) const {
    const nb::object found = lookup(object, "any");
    if (found.is(nb::handle(Py_NotImplemented))) return found;
    return nb::bool_(!found.is_none());
  }

 private:
  [[nodiscard]] std::optional<ColumnView> view_of(PyObject* object, Key& key) const {
    if (!is_composite_) return read(object, parts_.front(), key);
    if (!PyTuple_CheckExact(object) || PyTuple_Size(object) != std::ssize(parts_) ||
        parts_.size() > key.elements.size())
      return std::nullopt;
    std::vector<ColumnView> views;
    views.reserve(parts_.size());
    for (const PartType& part : parts_) {
      const auto position = static_cast<Py_ssize_t>(key.used);
      std::optional<ColumnView> view = read(PyTuple_GetItem(object, position), part, key);
      if (!view) return std::nullopt;
      views.push_back(std::move(*view));
      ++key.used;
    }
    return ColumnView::composite(std::move(views));
  }

  template <class MakeQuery>
  [[nodiscard]] nb::object answered(nb::handle object, std::string_view answer,
                                    const MakeQuery& make_query) const {
    std::uint32_t number = 0;
    Outputs outputs;
    if (answer == "any")
      outputs.any = &number;
    else if (answer == "count")
      outputs.count = &number;
    else if (answer == "first")
      outputs.first = &number;
    else if (answer == "last")
      outputs.last = &number;
    else
      return nb::borrow(Py_NotImplemented);
    Key key;
    std::optional<ColumnView> view = view_of(object.ptr(), key);
    if (!view) return nb::borrow(Py_NotImplemented);
    {
      const WithoutGil unlocked;  // `object` keeps the bytes of strings
      index_.answer_into(make_query(std::move(*view)), {}, outputs);
    }
    if (outputs.count == nullptr && number == miss_row) return nb::none();
    return nb::steal(PyLong_FromUnsignedLong(number));
  }

  const Index& index_;
  bool is_composite_;
  std::vector<PartType> parts_;
};

}  // namespace

void bind_one_key(nb::module_& module) {
  nb::class_<OneKey>(module, "OneKey", "Lookups of one key; NotImplemented where it needs more.")
      .def(nb::init<const Index&, const std::vector<std::string_view>&, const std::vector<bool>&>(),
           nb::arg("index"), nb::arg("units"), nb::arg("zoned"), nb::keep_alive<1, 2>())
      .def("lookup", &OneKey::lookup, nb::arg("key").none(), nb::arg("answer"))
      .def("nearest", &OneKey::nearest, nb::arg("key").none(), nb::arg("direction"),
           nb::arg("exact"))
      .def("contains", &OneKey::contains, nb::arg("key").none());
}

}  // namespace rtindex::python
