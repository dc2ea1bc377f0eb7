#include "answering.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "answers/request.hpp"
#include "answers/values.hpp"
#include "base/error.hpp"
#include "outputs.hpp"
#include "without_gil.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

template <class Class>
void set_miss(nb::handle miss, Class& value) {
  if (!nb::try_cast(miss, value))
    fail("invalid miss={}: expected a number that the type of the aggregate can hold",
         nb::str(miss).c_str());
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

AnswerOptions options_of(const Index& index, const Lookups& lookups, const Call& call) {
  AnswerOptions options;
  options.miss = miss_values(index, call.values, call.miss);
  options.limit = call.row_limit.value_or(no_limit);
  options.order = call.order;
  options.ends = lookups.ends();
  return options;
}

// The parts in which a batch is answered: row lists of several are joined, lists of keys are not.
std::vector<Part> parts_for(const Lookups& lookups, const Call& call) {
  if (!call.list_keys) return parts_of(lookups);
  std::vector<Part> parts;
  parts.push_back(as_one_part(lookups));
  return parts;
}

}  // namespace

nb::tuple answer(const Index& index, const Lookups& lookups, const Call& call,
                 const HostArrays& outputs) {
  const HostOutputs arrays(outputs, lookups.size(), index.type());
  AnswerOptions options = options_of(index, lookups, call);
  options.answers = arrays.answers();
  options.matched = arrays.matched_bits() != nullptr;
  if (call.row_limit) options.answers = options.answers | Answer::rows;
  if (call.list_keys) options.answers = options.answers | Answer::key;
  const bool in_lists =
      call.row_limit || call.list_keys || lookups.kind() == Lookups::Kind::prefixes;
  Counters of_part;
  if (arrays.counters() != nullptr) options.counters = &of_part;
  std::vector<Answers> answered;
  {
    const WithoutGil unlocked;
    const OwnedView values = call.values == nullptr ? OwnedView() : as_one_view(*call.values);
    options.values = values.view;
    const std::vector<Part> parts = parts_for(lookups, call);
    // All parts are answered from the same state, whatever other threads do to the index.
    std::optional<Index> state;
    if (parts.size() > 1) state = index.snapshot();
    const Index& now = state ? *state : index;
    for (const Part& part : parts) {
      std::vector<std::uint8_t> matched(options.matched ? (part.size + 7) / 8 : 0);
      const Outputs to = arrays.from(part.first, options.matched ? matched.data() : nullptr);
      if (in_lists) {
        answered.push_back(ask(now, lookups, part, options));
        copy_answers(answered.back(), to);
      } else {
        ask_into(now, lookups, part, options, to);
      }
      if (options.counters != nullptr) add_work(*arrays.counters(), of_part);
      if (options.matched) copy_bits(matched.data(), part.size, arrays.matched_bits(), part.first);
    }
  }
  nb::object keys = call.list_keys ? as_key_parts(answered.front().keys()) : nb::none();
  nb::object lists = call.row_limit ? as_row_lists(std::move(answered)) : nb::none();
  return nb::make_tuple(std::move(lists), std::move(keys));
}

void answer_on_device(const Index& index, const Lookups& lookups, const Call& call,
                      const DeviceArrays& outputs, std::uintptr_t stream) {
  const Outputs to = outputs_of(outputs);
  AnswerOptions options = options_of(index, lookups, call);
  options.stream.handle = reinterpret_cast<void*>(stream);
  const WithoutGil unlocked;
  const OwnedView values = call.values == nullptr ? OwnedView() : as_one_view(*call.values);
  options.values = values.view;
  ask_into(index, lookups, as_one_part(lookups), options, to);
}

}  // namespace rtindex::python
