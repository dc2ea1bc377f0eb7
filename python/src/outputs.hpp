#pragma once

#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <rtindex/index.hpp>

#include "answering.hpp"
#include "buffer.hpp"

namespace rtindex::python {

// The caller's arrays in host memory that receive the answers.
class HostOutputs {
 public:
  HostOutputs(const HostArrays& arrays, std::size_t lookups, Type key_type);

  // From a part's first lookup on. Its bitmaps are separate ones, which start at bit 0.
  [[nodiscard]] Outputs from(std::size_t lookup, std::uint8_t* own_matched,
                             std::uint8_t* own_validity) const;
  // Null: not counted.
  [[nodiscard]] Counters* counters() const {
    return counters_ ? static_cast<Counters*>(counters_->data()) : nullptr;
  }
  [[nodiscard]] std::uint8_t* matched_bits() const { return at<std::uint8_t>(matched, 0); }
  // Which lookups have a value that is not null.
  [[nodiscard]] std::uint8_t* validity_bits() const { return at<std::uint8_t>(validity, 0); }
  [[nodiscard]] AnswerSet answers() const;

 private:
  enum Slot : std::size_t {
    any,
    first,
    last,
    count,
    sum,
    min,
    max,
    mean,
    key,
    matched,
    validity,
    slots
  };
  static constexpr std::array<const char*, slots> names = {
      "any", "first", "last", "count", "sum", "min", "max", "mean", "key", "matched", "validity"};

  static std::size_t slot_of(std::string_view name);
  [[nodiscard]] std::size_t bytes_of(std::size_t slot, std::size_t lookups) const;
  template <class T>
  [[nodiscard]] T* at(Slot slot, std::size_t i) const {
    return buffers_[slot] ? static_cast<T*>(buffers_[slot]->data()) + i : nullptr;
  }

  std::size_t key_width_;  // 0 for strings and composites
  std::array<std::unique_ptr<Buffer>, slots> buffers_;
  std::unique_ptr<Buffer> counters_;
};

// Outputs in device memory, by name.
[[nodiscard]] Outputs outputs_of(const DeviceArrays& arrays);

// Copies the answers other than the row lists; keys have a native type.
void copy_answers(const Answers& answers, const Outputs& to);

// A NumPy array of the elements, without a copy.
template <class T, class Element = T>
nanobind::object as_array(std::vector<T> elements) {
  static_assert(sizeof(T) == sizeof(Element));
  auto held = std::make_unique<std::vector<T>>(std::move(elements));
  auto* const data = reinterpret_cast<Element*>(held->data());
  const std::size_t size = held->size();
  const nanobind::capsule owner(held.release(),
                                [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy, Element, nanobind::ndim<1>>(data, {size}, owner));
}

// The row lists of all parts as (offsets, rows); those of a single part are not copied.
[[nodiscard]] nanobind::object as_row_lists(std::vector<Answers> answers);

// The keys of neighbours, one object for each part of the key.
[[nodiscard]] nanobind::object as_key_parts(const ColumnView& keys);

}  // namespace rtindex::python
