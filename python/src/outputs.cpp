#include "outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <rtindex/error.hpp>

namespace nb = nanobind;

namespace rtindex::python {

namespace {

void copy_to(std::uint32_t* to, std::span<const std::uint32_t> from) {
  std::copy(from.begin(), from.end(), to);
}

void copy_to(void* to, const Aggregates& from) {
  std::visit(
      [to](const auto& values) {
        if (!values.empty()) std::memcpy(to, values.data(), values.size() * sizeof(values.front()));
      },
      from);
}

// An array that views memory of `owner`.
template <class T>
nb::object array_of(std::span<const T> elements, const nb::object& owner) {
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(const_cast<T*>(elements.data()),
                                                         {elements.size()}, owner));
}

// Strings that are not UTF-8 are bytes.
nb::object string_object(std::string_view text) {
  const auto size = static_cast<Py_ssize_t>(text.size());
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), size, nullptr);
  if (object == nullptr) {
    PyErr_Clear();
    object = PyBytes_FromStringAndSize(text.data(), size);
  }
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

nb::object key_part(const ColumnView& keys) {
  if (keys.type() != Type::string)
    return nb::bytes(keys.data(), keys.size() * width_of(keys.type()));
  nb::list strings;
  for (std::size_t i = 0; i < keys.size(); ++i)
    strings.append(keys.valid(i) ? string_object(keys.string(i)) : nb::none());
  return strings;
}

}  // namespace

HostOutputs::HostOutputs(const HostArrays& arrays, std::size_t lookups, Type key_type)
    : key_width_(width_of(key_type)) {
  for (const auto& [name, array] : arrays) {
    const auto text = nb::cast<nb::str>(name);
    if (std::string_view(text.c_str()) == "counters") {
      counters_ = std::make_unique<Buffer>(array.ptr(), Buffer::Access::write);
      if (counters_->bytes() != sizeof(Counters))
        throw Error(fmt::format("invalid array for counters: expected {} bytes, got {}",
                                sizeof(Counters), counters_->bytes()));
      continue;
    }
    const std::size_t slot = slot_of(text.c_str());
    buffers_[slot] = std::make_unique<Buffer>(array.ptr(), Buffer::Access::write);
    const std::size_t bytes = bytes_of(slot, lookups);
    if (buffers_[slot]->bytes() != bytes)
      throw Error(fmt::format("invalid array for '{}': expected {} bytes for {} lookups, got {}",
                              text.c_str(), bytes, lookups, buffers_[slot]->bytes()));
  }
}

Outputs HostOutputs::from(std::size_t lookup, std::uint8_t* own_matched,
                          std::uint8_t* own_validity) const {
  Outputs outputs{.any = at<std::uint32_t>(any, lookup),
                  .first = at<std::uint32_t>(first, lookup),
                  .count = at<std::uint32_t>(count, lookup),
                  .sum = at<std::uint64_t>(sum, lookup),
                  .min = at<std::uint64_t>(min, lookup),
                  .max = at<std::uint64_t>(max, lookup)};
  outputs.mean = at<double>(mean, lookup);
  outputs.last = at<std::uint32_t>(last, lookup);
  outputs.key = at<std::uint8_t>(key, lookup * key_width_);
  outputs.matched = own_matched;
  outputs.validity = own_validity;
  return outputs;
}

AnswerSet HostOutputs::answers() const {
  AnswerSet set;
  for (std::size_t slot = any; slot < matched; ++slot)
    if (buffers_[slot]) set = set | answer_named(names[slot]);
  return set;
}

std::size_t HostOutputs::slot_of(std::string_view name) {
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Error(fmt::format("unknown output '{}'", name));
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t HostOutputs::bytes_of(std::size_t slot, std::size_t lookups) const {
  if (slot == matched || slot == validity) return (lookups + 7) / 8;
  if (slot == key) return lookups * key_width_;
  return lookups * (slot < sum ? sizeof(std::uint32_t) : sizeof(std::uint64_t));
}

Outputs outputs_of(const DeviceArrays& arrays) {
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.rows_capacity = arrays.rows_capacity;
  outputs.bitmap_rows = arrays.rows_capacity;
  for (const auto& [name, address] : arrays.addresses) {
    auto* const memory = reinterpret_cast<void*>(address);
    if (name == "any")
      outputs.any = static_cast<std::uint32_t*>(memory);
    else if (name == "first")
      outputs.first = static_cast<std::uint32_t*>(memory);
    else if (name == "last")
      outputs.last = static_cast<std::uint32_t*>(memory);
    else if (name == "count")
      outputs.count = static_cast<std::uint32_t*>(memory);
    else if (name == "sum")
      outputs.sum = memory;
    else if (name == "mean")
      outputs.mean = static_cast<double*>(memory);
    else if (name == "min")
      outputs.min = memory;
    else if (name == "max")
      outputs.max = memory;
    else if (name == "key")
      outputs.key = memory;
    else if (name == "offsets")
      outputs.offsets = static_cast<std::uint64_t*>(memory);
    else if (name == "rows")
      outputs.rows = static_cast<std::uint32_t*>(memory);
    else if (name == "bitmap")
      outputs.bitmap = static_cast<std::uint8_t*>(memory);
    else if (name == "bitmaps")
      outputs.bitmaps = static_cast<std::uint8_t*>(memory);
    else
      throw Error(fmt::format("unknown output '{}'", name));
  }
  return outputs;
}

void copy_answers(const Answers& answers, const Outputs& to) {
  if (to.any != nullptr) copy_to(to.any, answers.any());
  if (to.first != nullptr) copy_to(to.first, answers.first());
  if (to.last != nullptr) copy_to(to.last, answers.last());
  if (to.count != nullptr) copy_to(to.count, answers.count());
  if (to.sum != nullptr) copy_to(to.sum, answers.sum());
  if (to.mean != nullptr) std::copy(answers.mean().begin(), answers.mean().end(), to.mean);
  if (to.min != nullptr) copy_to(to.min, answers.min());
  if (to.max != nullptr) copy_to(to.max, answers.max());
  if (to.key != nullptr && answers.size() != 0)
    std::memcpy(to.key, answers.keys().data(), answers.size() * width_of(answers.keys().type()));
  if (to.matched != nullptr)
    std::copy_n(answers.matched_bitmap().data(), (answers.size() + 7) / 8, to.matched);
  if (to.validity != nullptr)
    std::copy_n(answers.validity_bitmap().data(), (answers.size() + 7) / 8, to.validity);
}

nb::object as_row_lists(std::vector<Answers> answers) {
  if (answers.size() == 1) {
    auto held = std::make_unique<Answers>(std::move(answers.front()));
    const Answers& view = *held;
    const nb::capsule owner(held.release(),
                            [](void* p) noexcept { delete static_cast<Answers*>(p); });
    return nb::make_tuple(array_of(view.offsets(), owner), array_of(view.rows(), owner));
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> rows;
  for (const Answers& part : answers) {
    const std::uint64_t before = offsets.back();
    for (const std::uint64_t offset : part.offsets().subspan(1)) offsets.push_back(before + offset);
    rows.insert(rows.end(), part.rows().begin(), part.rows().end());
  }
  return nb::make_tuple(as_array(std::move(offsets)), as_array(std::move(rows)));
}

nb::object as_key_parts(const ColumnView& keys) {
  nb::list parts;
  if (keys.type() != Type::composite) {
    parts.append(key_part(keys));
  } else {
    for (const ColumnView& part : keys.parts()) parts.append(key_part(part));
  }
  return parts;
}

}  // namespace rtindex::python
