#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "bind.hpp"
#include "long_call.hpp"
#include "outputs.hpp"
#include "query.hpp"

// What these calls do not read is NotImplemented, and takes the way of all other batches.

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// Larger batches are answered in pieces, and reading their arguments takes little of a call.
constexpr std::size_t max_queries = 4096;

// An array of NumPy with one dimension, whose elements are native numbers side by side.
class NumberArray {
 public:
  explicit NumberArray(PyObject* array) {
    is_held_ = PyObject_GetBuffer(array, &view_, PyBUF_ND | PyBUF_FORMAT) == 0;
    if (!is_held_) PyErr_Clear();
  }
  NumberArray(const NumberArray&) = delete;
  NumberArray& operator=(const NumberArray&) = delete;
  ~NumberArray() {
    if (is_held_) PyBuffer_Release(&view_);
  }

  // None where the elements have another type.
  [[nodiscard]] std::optional<ColumnView> as(Type type) const {
    if (!is_held_ || view_.ndim != 1) return std::nullopt;
    switch (type) {
      case Type::u8: return as<std::uint8_t>();
      case Type::u16: return as<std::uint16_t>();
      case Type::u32: return as<std::uint32_t>();
      case Type::u64: return as<std::uint64_t>();
      case Type::i8: return as<std::int8_t>();
      case Type::i16: return as<std::int16_t>();
      case Type::i32: return as<std::int32_t>();
      case Type::i64: return as<std::int64_t>();
      case Type::f32: return as<float>();
      case Type::f64: return as<double>();
      default: return std::nullopt;
    }
  }

 private:
  template <class T>
  [[nodiscard]] std::optional<ColumnView> as() const {
    constexpr std::string_view formats = std::is_floating_point_v<T> ? "fd"
                                         : std::is_signed_v<T>       ? "bhilq"
                                                                     : "BHILQ";
    const std::string_view format = view_.format == nullptr ? "" : view_.format;
    if (format.size() != 1 || formats.find(format.front()) == std::string_view::npos ||
        view_.itemsize != sizeof(T))
      return std::nullopt;
    return ColumnView(std::span<const T>(static_cast<const T*>(view_.buf),
                                         static_cast<std::size_t>(view_.len) / sizeof(T)));
  }

  Py_buffer view_{};
  bool is_held_ = false;
};

// How an answer is stored until it is an array.
struct Numbers {
  std::string_view name;
  ValueClass type = ValueClass::u64;
  std::vector<std::uint32_t> rows = {};   // any, first, last and count
  std::vector<std::uint64_t> words = {};  // sum, min and max, whatever their class
  std::vector<double> means = {};
};

// rowIDs in an array of uint32 or int64.
class RowArray {
 public:
  explicit RowArray(PyObject* array) : array_(array), view_(array_.as(Type::u32)) {
    if (view_) return;
    const std::optional<ColumnView> wide = array_.as(Type::i64);
    if (!wide || wide->size() > max_queries) return;
    const auto* const rows = static_cast<const std::int64_t*>(wide->data());
    for (std::size_t i = 0; i < wide->size(); ++i) {
      if (rows[i] < 0 || rows[i] > std::numeric_limits<std::uint32_t>::max()) return;
      copied_.push_back(static_cast<std::uint32_t>(rows[i]));
    }
    view_ = ColumnView(copied_);
  }

  // Null where one of them is not below `size`, or the array holds something else.
  [[nodiscard]] const ColumnView* below(std::size_t size) const {
    if (!view_ || view_->size() > max_queries) return nullptr;
    const auto* const rows = static_cast<const std::uint32_t*>(view_->data());
    const auto is_row = [&](std::uint32_t row) { return row < size; };
    return std::all_of(rows, rows + view_->size(), is_row) ? &*view_ : nullptr;
  }

 private:
  NumberArray array_;
  std::vector<std::uint32_t> copied_;
  std::optional<ColumnView> view_;
};

// Queries and changes of few rows, in NumPy arrays of the types of the index: so common, and so
// quickly done, that reading any kind of arguments takes most of the time of a call.
class SmallBatches {
 public:
  // `included`: the type of each included column that holds plain numbers. `rows` and `answers`:
  // the classes of results.
  SmallBatches(Index& index, const std::map<std::string, std::string>& included, nb::object rows,
               nb::object answers)
      : index_(index), rows_(std::move(rows)), answers_(std::move(answers)) {
    for (const auto& [name, type] : included) included_.emplace(name, type_named(type));
    columns_ = index.included().size();
  }

  [[nodiscard]] nb::object lookup(nb::handle keys, nb::handle answer, nb::handle values) const {
    const NumberArray array(keys.ptr());
    const std::optional<ColumnView> view = array.as(index_.type());
    if (!view) return nb::borrow(Py_NotImplemented);
    return answered(Query::equal(*view), answer, values);
  }

  [[nodiscard]] nb::object range(nb::handle lower, nb::handle upper, std::string_view ends,
                                 nb::handle answer, nb::handle values) const {
    const NumberArray low(lower.ptr());
    const NumberArray high(upper.ptr());
    const std::optional<ColumnView> from = low.as(index_.type());
    const std::optional<ColumnView> to = high.as(index_.type());
    if (!from || !to || from->size() != to->size()) return nb::borrow(Py_NotImplemented);
    return answered(Query::range(*from, *to, ends_named(ends)), answer, values);
  }

  // `values`: None, an array, or a dict of arrays.
  [[nodiscard]] nb::object insert(nb::handle keys, nb::handle values) {
    const NumberArray array(keys.ptr());
    const std::optional<ColumnView> view = array.as(index_.type());
    if (!view || view->size() > max_queries) return nb::borrow(Py_NotImplemented);
    std::deque<NumberArray> held;
    std::vector<IncludedColumn> included;
    const auto add = [&](std::string name, PyTypeObject* type, nb::handle column) {
      const std::optional<Type> wanted = type_of_included(name);
      if (!wanted || Py_TYPE(column.ptr()) != type) return false;
      const std::optional<ColumnView> found = held.emplace_back(column.ptr()).as(*wanted);
      if (found) included.push_back({std::move(name), *found});
      return found.has_value();
    };
    PyTypeObject* const array_type = Py_TYPE(keys.ptr());
    if (PyDict_CheckExact(values.ptr())) {
      for (const auto& [name, column] : nb::borrow<nb::dict>(values))
        if (!PyUnicode_CheckExact(name.ptr()) ||
            !add(nb::cast<std::string>(name), array_type, column))
          return nb::borrow(Py_NotImplemented);
    } else if (!values.is_none() && !add({}, array_type, values)) {
      return nb::borrow(Py_NotImplemented);
    }
    std::uint32_t first = 0;
    {
      const LongCall running;
      first = index_.insert(*view, std::move(included));
    }
    return nb::int_(first);
  }

  [[nodiscard]] bool update(nb::handle rows, nb::handle keys) {
    const RowArray row_array(rows.ptr());
    const NumberArray key_array(keys.ptr());
    const ColumnView* const changed = row_array.below(index_.size());
    const std::optional<ColumnView> view = key_array.as(index_.type());
    if (changed == nullptr || !view) return false;
    const LongCall running;
    index_.update(*changed, *view);
    return true;
  }

  [[nodiscard]] bool erase(nb::handle rows) {
    const RowArray row_array(rows.ptr());
    const ColumnView* const erased = row_array.below(index_.size());
    if (erased == nullptr) return false;
    const LongCall running;
    index_.erase(*erased);
    return true;
  }

  [[nodiscard]] bool set_included(nb::handle rows, nb::handle values, const std::string& name) {
    const RowArray row_array(rows.ptr());
    const NumberArray value_array(values.ptr());
    const std::optional<Type> wanted = type_of_included(name);
    if (!wanted) return false;
    const ColumnView* const changed = row_array.below(index_.size());
    const std::optional<ColumnView> view = value_array.as(*wanted);
    if (changed == nullptr || !view) return false;
    const LongCall running;
    index_.set_included(*changed, *view, name);
    return true;
  }

 private:
  [[nodiscard]] nb::object answered(const Query& query, nb::handle answer,
                                    nb::handle values) const {
    const std::size_t size = query.size();
    AnswerOptions options;
    std::optional<ValueClass> included;
    if (size > max_queries || !read_values(values, options.included, included))
      return nb::borrow(Py_NotImplemented);
    if (PyUnicode_CheckExact(answer.ptr())) {
      const auto name = nb::cast<std::string_view>(answer);
      if (name == "rows") return row_lists(query, options);
      Numbers numbers;
      if (!read_name(name, included, numbers)) return nb::borrow(Py_NotImplemented);
      Outputs to;
      receive(numbers, size, to);
      run(query, options, to);
      return as_array_of(numbers);
    }
    if (!PyList_CheckExact(answer.ptr()) || PyList_Size(answer.ptr()) < 2)
      return nb::borrow(Py_NotImplemented);
    return several(query, answer, options, included);
  }

  [[nodiscard]] nb::object several(const Query& query, nb::handle names, AnswerOptions& options,
                                   std::optional<ValueClass> included) const {
    std::array<Numbers, 9> all;  // as many as there are names
    std::size_t count = 0;
    bool has_values = false;
    Outputs to;
    for (nb::handle item : nb::borrow<nb::list>(names)) {
      if (count == all.size() || !PyUnicode_CheckExact(item.ptr()))
        return nb::borrow(Py_NotImplemented);
      Numbers& numbers = all[count];
      if (!read_name(nb::cast<std::string_view>(item), included, numbers))
        return nb::borrow(Py_NotImplemented);
      for (std::size_t i = 0; i < count; ++i)
        if (all[i].name == numbers.name) return nb::borrow(Py_NotImplemented);
      receive(numbers, query.size(), to);
      has_values = has_values || is_of_values(numbers.name);
      ++count;
    }
    std::vector<std::uint8_t> matched(has_values ? query.size() / 8 + 1 : 0);
    std::vector<std::uint8_t> validity(matched.size());
    options.matched = has_values;
    if (has_values) {
      to.matched = matched.data();
      to.validity = validity.data();
    }
    run(query, options, to);
    nb::dict found;
    nb::dict valid;
    for (std::size_t i = 0; i < count; ++i) {
      const nb::str name(all[i].name.data(), all[i].name.size());
      if (is_of_values(all[i].name)) valid[name] = unpacked(validity, query.size());
      found[name] = as_array_of(all[i]);
    }
    return answers_(query.size(), found, valid);
  }

  // The included column of a name, or the only one; false: the values need another way.
  [[nodiscard]] bool read_values(nb::handle values, std::string& name,
                                 std::optional<ValueClass>& type) const {
    if (!values.is_none() && !PyUnicode_CheckExact(values.ptr())) return false;
    if (!values.is_none()) name = nb::cast<std::string>(values);
    if (const std::optional<Type> found = type_of_included(name)) type = class_of(*found);
    return type.has_value() || values.is_none();
  }

  // Of the only included column where the name is empty; none of one that holds other values.
  [[nodiscard]] std::optional<Type> type_of_included(const std::string& name) const {
    if (name.empty() && columns_ == 1 && included_.size() == 1) return included_.begin()->second;
    const auto found = included_.find(name);
    return found == included_.end() ? std::nullopt : std::optional(found->second);
  }

  [[nodiscard]] static bool is_of_values(std::string_view name) {
    return name == "sum" || name == "min" || name == "max" || name == "mean";
  }

  [[nodiscard]] static bool read_name(std::string_view name, std::optional<ValueClass> included,
                                      Numbers& numbers) {
    numbers.name = name;
    if (name == "any" || name == "first" || name == "last" || name == "count") return true;
    if (!is_of_values(name) || !included) return false;
    numbers.type = *included;
    return true;
  }

  static void receive(Numbers& numbers, std::size_t size, Outputs& to) {
    const std::string_view name = numbers.name;
    if (name == "mean") {
      numbers.means.resize(size);
      to.mean = numbers.means.data();
    } else if (is_of_values(name)) {
      numbers.words.resize(size);
      (name == "sum" ? to.sum : name == "min" ? to.min : to.max) = numbers.words.data();
    } else {
      numbers.rows.resize(size);
      (name == "any"     ? to.any
       : name == "first" ? to.first
       : name == "last"  ? to.last
                         : to.count) = numbers.rows.data();
    }
  }

  [[nodiscard]] static nb::object as_array_of(Numbers& numbers) {
    if (numbers.name == "mean") return as_array(std::move(numbers.means));
    if (numbers.name == "count")
      return as_array(std::vector<std::int64_t>(numbers.rows.begin(), numbers.rows.end()));
    if (!is_of_values(numbers.name)) return as_array(std::move(numbers.rows));
    switch (numbers.type) {
      case ValueClass::u64: return as_array(std::move(numbers.words));
      case ValueClass::i64: return as_array<std::uint64_t, std::int64_t>(std::move(numbers.words));
      case ValueClass::f64: break;
    }
    return as_array<std::uint64_t, double>(std::move(numbers.words));
  }

  [[nodiscard]] static nb::object unpacked(const std::vector<std::uint8_t>& bits,
                                           std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = bits[i / 8] >> (i % 8) & 1;
    return as_array<std::uint8_t, bool>(std::move(bytes));
  }

  [[nodiscard]] nb::object row_lists(const Query& query, AnswerOptions& options) const {
    options.answers = Answer::rows;
    std::vector<Answers> answered;
    {
      const LongCall running;
      answered.push_back(index_.answer(query, options));
    }
    return rows_(*nb::borrow<nb::tuple>(as_row_lists(std::move(answered))));
  }

  void run(const Query& query, const AnswerOptions& options, const Outputs& to) const {
    const LongCall running;  // the caller holds the arrays
    index_.answer_into(query, options, to);
  }

  Index& index_;
  nb::object rows_, answers_;
  std::map<std::string, Type> included_;
  std::size_t columns_ = 0;
};

}  // namespace

void bind_small_batches(nb::module_& module) {
  nb::class_<SmallBatches>(
      module, "SmallBatches",
      "Small batches of numbers; NotImplemented or False where they need more.")
      .def(nb::init<Index&, const std::map<std::string, std::string>&, nb::object, nb::object>(),
           nb::arg("index"), nb::arg("included"), nb::arg("rows"), nb::arg("answers"),
           nb::keep_alive<1, 2>())
      .def("lookup", &SmallBatches::lookup, nb::arg("keys"), nb::arg("answer"),
           nb::arg("values").none())
      .def("range", &SmallBatches::range, nb::arg("lower"), nb::arg("upper"), nb::arg("ends"),
           nb::arg("answer"), nb::arg("values").none())
      .def("insert", &SmallBatches::insert, nb::arg("keys"), nb::arg("values").none())
      .def("update", &SmallBatches::update, nb::arg("rows"), nb::arg("keys"))
      .def("erase", &SmallBatches::erase, nb::arg("rows"))
      .def("set_included", &SmallBatches::set_included, nb::arg("rows"), nb::arg("values"),
           nb::arg("name"));
}

}  // namespace rtindex::python
