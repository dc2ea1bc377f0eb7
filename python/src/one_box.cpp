#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "bind.hpp"
#include "long_call.hpp"
#include "one_value.hpp"

// What these calls do not read is NotImplemented, and takes the way of batches.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// The conditions of one query, and the memory of their values.
struct BoxConditions {
  std::vector<Condition> all;
  ValueMemory memory;
  std::vector<std::vector<std::int64_t>> sets = {};  // of isin
  std::vector<nb::object> held = {};                 // strings whose bytes are viewed
};

// The longest list of isin that is read here.
constexpr Py_ssize_t max_set = 64;

// Filters of one query on an index of points.
class OneBox {
 public:
  // The names, units and zones of the columns; `between` and `isin`: the classes of conditions.
  OneBox(const Index& index, const std::vector<std::string_view>& names,
         const std::vector<std::string_view>& units, const std::vector<bool>& zoned,
         nb::object between, nb::object isin)
      : index_(index),
        columns_(value_types(index.part_types(), units, zoned)),
        between_(std::move(between)),
        isin_(std::move(isin)) {
    for (std::size_t i = 0; i < names.size(); ++i)
      positions_[nb::str(names[i].data(), names[i].size())] = i;
  }

  // "any", "first" and "last" return a row or None, "count" a number.
  [[nodiscard]] nb::object filter(nb::handle conditions, std::string_view answer) const {
    OneNumber number(answer);
    if (!number.is_one() || !PyDict_CheckExact(conditions.ptr()))
      return nb::borrow(Py_NotImplemented);
    BoxConditions box{.all = std::vector<Condition>(columns_.size()), .memory = {}};
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    const nb::object own = nb::steal(PyDict_Copy(conditions.ptr()));  // time zones run code
    if (!own.is_valid()) nb::raise_python_error();
    for (Py_ssize_t next = 0; PyDict_Next(own.ptr(), &next, &name, &value) != 0;) {
      // Names that differ may equal the same column, which has two ends.
      if (box.memory.used + 2 > ValueMemory::capacity || !read_condition(name, value, box))
        return nb::borrow(Py_NotImplemented);
    }
    {
      const LongCall running;
      index_.answer_into(Query::box(std::move(box.all)), {}, number.outputs());
    }
    return number.result();
  }

 private:
  [[nodiscard]] bool read_condition(PyObject* name, PyObject* value, BoxConditions& box) const {
    PyObject* const found = PyDict_GetItemWithError(positions_.ptr(), name);
    if (found == nullptr) {
      PyErr_Clear();
      return false;
    }
    const auto column = static_cast<std::size_t>(PyLong_AsSsize_t(found));
    const ValueType& type = columns_[column];
    Condition& condition = box.all[column];
    const auto* const own = reinterpret_cast<const PyObject*>(Py_TYPE(value));
    if (own == isin_.ptr()) return read_set(PyTuple_GetItem(value, 0), type, condition, box);
    condition.kind = ConditionKind::range;
    if (own == between_.ptr())
      condition.ends =
          ends_named(nb::cast<std::string_view>(nb::handle(PyTuple_GetItem(value, 2))));
    else if (!PyTuple_CheckExact(value))
      return read_end(value, type, condition.lower, box) &&
             (condition.upper = condition.lower, true);
    else if (PyTuple_Size(value) != 2)
      return false;
    for (const auto& [position, end] : {std::pair(0, &condition.lower), {1, &condition.upper}}) {
      PyObject* const given = PyTuple_GetItem(value, position);
      if (given != Py_None && !read_end(given, type, *end, box)) return false;
    }
    return true;
  }

  // An equality, or the end of a range. NaN is not read: it may be null.
  [[nodiscard]] static bool read_end(PyObject* value, const ValueType& type, ColumnView& end,
                                     BoxConditions& box) {
    if (PyFloat_CheckExact(value) && std::isnan(PyFloat_AsDouble(value))) return false;
    std::optional<ColumnView> view = read_value_or_date(value, type, box.memory);
    if (!view) return false;
    if (type.type == Type::string) box.held.push_back(nb::borrow(value));
    end = std::move(*view);
    return true;
  }

  // A short list of integers.
  [[nodiscard]] static bool read_set(PyObject* values, const ValueType& type, Condition& condition,
                                     BoxConditions& box) {
    if (!PyList_CheckExact(values) || PyList_Size(values) > max_set || type.type > Type::i64)
      return false;
    std::vector<std::int64_t>& set = box.sets.emplace_back();
    for (Py_ssize_t i = 0; i < PyList_Size(values); ++i) {
      PyObject* const item = PyList_GetItem(values, i);
      int overflow = 0;
      if (!PyLong_CheckExact(item)) return false;
      set.push_back(PyLong_AsLongLongAndOverflow(item, &overflow));
      if (overflow != 0) return false;
    }
    condition = Condition::isin(set);  // its elements stay where they are when `sets` grows
    return true;
  }

  const Index& index_;
  std::vector<ValueType> columns_;
  nb::dict positions_;
  nb::object between_, isin_;
};

}  // namespace

void bind_one_box(nb::module_& module) {
  nb::class_<OneBox>(module, "OneBox", "Filters of one query; NotImplemented where it needs more.")
      .def(nb::init<const Index&, const std::vector<std::string_view>&,
                    const std::vector<std::string_view>&, const std::vector<bool>&, nb::object,
                    nb::object>(),
           nb::arg("index"), nb::arg("names"), nb::arg("units"), nb::arg("zoned"),
           nb::arg("between"), nb::arg("isin"), nb::keep_alive<1, 2>())
      .def("filter", &OneBox::filter, nb::arg("conditions").none(), nb::arg("answer"));
}

}  // namespace rtindex::python
