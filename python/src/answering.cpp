#include "answering.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "answers/values.hpp"
#include "base/error.hpp"
#include "buffer.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

// One batch of the call: adjacent chunks of its lookups.
struct Batch {
  OwnedView lower, upper;
  std::size_t first = 0;  // the position of its first lookup in the call

  [[nodiscard]] std::size_t size() const { return lower.view.size(); }
};

bool same_chunks(const Column& a, const Column& b) {
  return std::equal(a.pieces().begin(), a.pieces().end(), b.pieces().begin(), b.pieces().end(),
                    [](const ColumnView& x, const ColumnView& y) { return x.size() == y.size(); });
}

std::vector<Batch> batches_of(const Column& lower, const Column* upper) {
  std::vector<Batch> batches;
  if (upper != nullptr && !same_chunks(lower, *upper)) {
    batches.push_back({as_one_view(lower), as_one_view(*upper)});
    return batches;
  }
  std::vector<OwnedView> lowers = python::batches(lower);
  std::vector<OwnedView> uppers(lowers.size());
  if (upper != nullptr) uppers = python::batches(*upper);
  std::size_t first = 0;
  for (std::size_t i = 0; i < lowers.size(); ++i) {
    batches.push_back({std::move(lowers[i]), std::move(uppers[i]), first});
    first += batches.back().size();
  }
  return batches;
}

// The caller's arrays that receive the answers.
class Arrays {
 public:
  Arrays(const HostArrays& outputs, std::size_t lookups) {
    for (const auto& [name, array] : outputs) {
      const auto text = nb::cast<nb::str>(name);
      if (std::string_view(text.c_str()) == "counters") {
        counters_ = std::make_unique<Buffer>(array.ptr(), Buffer::Access::write);
        if (counters_->bytes() != sizeof(Counters))
          fail("invalid array for counters: expected {} bytes, got {}", sizeof(Counters),
               counters_->bytes());
        continue;
      }
      const std::size_t slot = slot_of(text.c_str());
      buffers_[slot] = std::make_unique<Buffer>(array.ptr(), Buffer::Access::write);
      const std::size_t bytes =
          slot == matched ? (lookups + 7) / 8 : lookups * (slot < sum ? 4 : 8);
      if (buffers_[slot]->bytes() != bytes)
        fail("invalid array for '{}': expected {} bytes for {} lookups, got {}", text.c_str(),
             bytes, lookups, buffers_[slot]->bytes());
    }
  }

  // From a batch's first lookup on. Its matched bitmap is a separate one, which starts at bit 0.
  [[nodiscard]] Outputs from(std::size_t lookup, std::uint8_t* own_matched) const {
    return {.any = at<std::uint32_t>(any, lookup),
            .first = at<std::uint32_t>(first, lookup),
            .count = at<std::uint32_t>(count, lookup),
            .sum = at<std::uint64_t>(sum, lookup),
            .min = at<std::uint64_t>(min, lookup),
            .max = at<std::uint64_t>(max, lookup),
            .matched = own_matched};
  }
  // Null: not counted.
  [[nodiscard]] Counters* counters() const {
    return counters_ ? static_cast<Counters*>(counters_->data()) : nullptr;
  }
  [[nodiscard]] std::uint8_t* matched_bits() const { return at<std::uint8_t>(matched, 0); }
  [[nodiscard]] AnswerSet answers() const {
    AnswerSet set;
    for (std::size_t slot = any; slot < matched; ++slot)
      if (buffers_[slot]) set = set | answer_named(names[slot]);
    return set;
  }

 private:
  enum Slot : std::size_t { any, first, count, sum, min, max, matched };
  static constexpr std::array<const char*, 7> names = {"any", "first", "count",  "sum",
                                                       "min", "max",   "matched"};

  static std::size_t slot_of(std::string_view name) {
    const auto* const found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail("unknown output '{}'", name);
    return static_cast<std::size_t>(found - names.begin());
  }
  template <class T>
  [[nodiscard]] T* at(Slot slot, std::size_t i) const {
    return buffers_[slot] ? static_cast<T*>(buffers_[slot]->data()) + i : nullptr;
  }

  std::array<std::unique_ptr<Buffer>, 7> buffers_;
  std::unique_ptr<Buffer> counters_;
};

template <class Class>
void set_miss(nb::handle miss, Class& value) {
  if (!nb::try_cast(miss, value))
    fail("invalid miss={}: expected a number that the type of the aggregate can hold",
         nb::str(miss).c_str());
}

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

// The answers other than the row lists.
void copy_answers(const Answers& answers, const Outputs& to) {
  if (to.any != nullptr) copy_to(to.any, answers.any());
  if (to.first != nullptr) copy_to(to.first, answers.first());
  if (to.count != nullptr) copy_to(to.count, answers.count());
  if (to.sum != nullptr) copy_to(to.sum, answers.sum());
  if (to.min != nullptr) copy_to(to.min, answers.min());
  if (to.max != nullptr) copy_to(to.max, answers.max());
  if (to.matched != nullptr)
    std::copy_n(answers.matched_bitmap().data(), (answers.size() + 7) / 8, to.matched);
}

// An array that views memory of `owner`.
template <class T>
nb::object array_of(std::span<const T> elements, const nb::object& owner) {
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(const_cast<T*>(elements.data()),
                                                         {elements.size()}, owner));
}

struct RowLists {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> rows;
};

// The row lists of all batches; those of a single batch are not copied.
nb::object as_arrays(std::vector<Answers> answers) {
  if (answers.size() == 1) {
    auto held = std::make_unique<Answers>(std::move(answers.front()));
    const Answers& view = *held;
    const nb::capsule owner(held.release(),
                            [](void* p) noexcept { delete static_cast<Answers*>(p); });
    return nb::make_tuple(array_of(view.offsets(), owner), array_of(view.rows(), owner));
  }
  auto lists = std::make_unique<RowLists>();
  for (const Answers& part : answers) {
    const std::uint64_t before = lists->offsets.back();
    for (const std::uint64_t offset : part.offsets().subspan(1))
      lists->offsets.push_back(before + offset);
    lists->rows.insert(lists->rows.end(), part.rows().begin(), part.rows().end());
  }
  const RowLists& view = *lists;
  const nb::capsule owner(lists.release(),
                          [](void* p) noexcept { delete static_cast<RowLists*>(p); });
  return nb::make_tuple(array_of(std::span(view.offsets), owner),
                        array_of(std::span(view.rows), owner));
}

// The value of misses in the class of the values: `miss`, or the reserved value where it is None.
MissValues miss_values(const Index& index, const Column* values, nb::handle miss) {
  MissValues result;
  const auto type = values == nullptr ? index.included() : std::optional(values->type());
  if (miss.is_none() || !type || !is_native(*type)) return result;
  switch (class_of(*type)) {
    case ValueClass::u64: set_miss(miss, result.u64); break;
    case ValueClass::i64: set_miss(miss, result.i64); break;
    case ValueClass::f64: set_miss(miss, result.f64); break;
  }
  return result;
}

// Outputs in device memory, by name.
Outputs outputs_of(const DeviceArrays& arrays) {
  Outputs outputs;
  outputs.memory_space = MemorySpace::device;
  outputs.rows_capacity = arrays.rows_capacity;
  for (const auto& [name, address] : arrays.addresses) {
    auto* const memory = reinterpret_cast<void*>(address);
    if (name == "any")
      outputs.any = static_cast<std::uint32_t*>(memory);
    else if (name == "first")
      outputs.first = static_cast<std::uint32_t*>(memory);
    else if (name == "count")
      outputs.count = static_cast<std::uint32_t*>(memory);
    else if (name == "sum")
      outputs.sum = memory;
    else if (name == "min")
      outputs.min = memory;
    else if (name == "max")
      outputs.max = memory;
    else if (name == "offsets")
      outputs.offsets = static_cast<std::uint64_t*>(memory);
    else if (name == "rows")
      outputs.rows = static_cast<std::uint32_t*>(memory);
    else
      fail("unknown output '{}'", name);
  }
  return outputs;
}

}  // namespace

nb::object answer(const Index& index, const Call& call, const HostArrays& outputs,
                  std::optional<std::uint32_t> row_limit) {
  const Arrays arrays(outputs, call.lower.size());
  LookupOptions options{.answers = arrays.answers(),
                        .miss = miss_values(index, call.values, call.miss)};
  options.matched = arrays.matched_bits() != nullptr;
  if (row_limit) {
    options.answers = options.answers | Answer::rows;
    options.limit = *row_limit;
  }
  Counters of_batch;
  if (arrays.counters() != nullptr) options.counters = &of_batch;
  std::vector<Answers> row_lists;
  {
    const nb::gil_scoped_release unlocked;
    const OwnedView values = call.values == nullptr ? OwnedView() : as_one_view(*call.values);
    options.values = values.view;
    const std::vector<Batch> parts = batches_of(call.lower, call.upper);
    // All parts are answered from the same state, whatever other threads do to the index.
    std::optional<Index> state;
    if (parts.size() > 1) state = index.snapshot();
    const Index& now = state ? *state : index;
    for (const Batch& batch : parts) {
      std::vector<std::uint8_t> matched(options.matched ? (batch.size() + 7) / 8 : 0);
      const Outputs to = arrays.from(batch.first, options.matched ? matched.data() : nullptr);
      const bool points = call.upper == nullptr;
      if (row_limit) {
        row_lists.push_back(points ? now.lookup(batch.lower.view, options)
                                   : now.range(batch.lower.view, batch.upper.view, options));
        copy_answers(row_lists.back(), to);
      } else if (points) {
        now.lookup_into(batch.lower.view, options, to);
      } else {
        now.range_into(batch.lower.view, batch.upper.view, options, to);
      }
      if (options.counters != nullptr) add_work(*arrays.counters(), of_batch);
      if (options.matched)
        copy_bits(matched.data(), batch.size(), arrays.matched_bits(), batch.first);
    }
  }
  return row_limit ? as_arrays(std::move(row_lists)) : nb::none();
}

void answer_on_device(const Index& index, const Call& call, const DeviceArrays& outputs,
                      std::uint32_t row_limit, std::uintptr_t stream) {
  const Outputs to = outputs_of(outputs);
  LookupOptions options{.limit = row_limit, .miss = miss_values(index, call.values, call.miss)};
  options.stream.handle = reinterpret_cast<void*>(stream);
  const nb::gil_scoped_release unlocked;
  const OwnedView values = call.values == nullptr ? OwnedView() : as_one_view(*call.values);
  options.values = values.view;
  const OwnedView lower = as_one_view(call.lower);
  if (call.upper == nullptr)
    index.lookup_into(lower.view, options, to);
  else
    index.range_into(lower.view, as_one_view(*call.upper).view, options, to);
}

}  // namespace rtindex::python
