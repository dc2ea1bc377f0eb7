#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "bind.hpp"
#include "one_value.hpp"
#include "without_gil.hpp"

// What these calls do not read is NotImplemented, and takes the way of batches.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Lookups of one key on an index.
class OneKey {
 public:
  // `units` and `zoned` of each part.
  OneKey(const Index& index, const std::vector<std::string_view>& units,
         const std::vector<bool>& zoned)
      : index_(index),
        is_composite_(index.type() == Type::composite),
        parts_(value_types(is_composite_ ? index.part_types() : std::vector{index.type()}, units,
                           zoned)) {}

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
  [[nodiscard]] std::optional<ColumnView> view_of(PyObject* object, ValueMemory& memory) const {
    if (!is_composite_) return read_value(object, parts_.front(), memory);
    if (!PyTuple_CheckExact(object) || PyTuple_Size(object) != std::ssize(parts_) ||
        parts_.size() > ValueMemory::capacity)
      return std::nullopt;
    std::vector<ColumnView> views;
    views.reserve(parts_.size());
    for (const ValueType& part : parts_) {
      const auto position = static_cast<Py_ssize_t>(views.size());
      std::optional<ColumnView> view = read_value(PyTuple_GetItem(object, position), part, memory);
      if (!view) return std::nullopt;
      views.push_back(std::move(*view));
    }
    return ColumnView::composite(std::move(views));
  }

  template <class MakeQuery>
  [[nodiscard]] nb::object answered(nb::handle object, std::string_view answer,
                                    const MakeQuery& make_query) const {
    OneNumber number(answer);
    ValueMemory memory;
    std::optional<ColumnView> view;
    if (number.is_one()) view = view_of(object.ptr(), memory);
    if (!view) return nb::borrow(Py_NotImplemented);
    {
      const WithoutGil unlocked;  // `object` keeps the bytes of strings
      index_.answer_into(make_query(std::move(*view)), {}, number.outputs());
    }
    return number.result();
  }

  const Index& index_;
  bool is_composite_;
  std::vector<ValueType> parts_;
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
