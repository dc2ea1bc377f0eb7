#include "answering.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include <rtindex/error.hpp>

#include "long_call.hpp"
#include "outputs.hpp"

namespace nb = nanobind;

namespace rtindex::python {

namespace {

template <class Class>
void set_miss(nb::handle miss, Class& value) {
  if (!nb::try_cast(miss, value))
    throw Error(
        fmt::format("invalid miss={}: expected a number that the type of the aggregate can hold",
                    nb::str(miss).c_str()));
}

// The type of the included column of this name, if there is one.
std::optional<Type> included_type(const Index& index, const std::string& name) {
  const std::vector<IncludedType> all = index.included();
  for (const IncludedType& column : all)
    if (column.name == name || (name.empty() && all.size() == 1)) return column.type;
  return std::nullopt;
}

// The value of misses in the class of the values: `miss`, or the reserved value where it is None.
MissValues miss_values(const Index& index, const Call& call, AnswerSet answers) {
  MissValues result;
  const nb::handle miss = call.miss;
  if (miss.is_none()) return result;
  std::optional<Type> type =
      call.values == nullptr ? included_type(index, call.included) : call.values->type();
  // Decimals and integers of 128 bits are values where they fit 64 bits.
  if (type == Type::decimal128) type = Type::decimal64;
  if (type == Type::i128) type = Type::i64;
  if (type == Type::u128) type = Type::u64;
  if (!type || !is_native(*type)) return result;
  if (answers.has(Answer::mean)) set_miss(miss, result.f64);
  if (!answers.has_any_of(Answer::sum | Answer::min | Answer::max)) return result;
  switch (class_of(*type)) {
    case ValueClass::u64: set_miss(miss, result.u64); break;
    case ValueClass::i64: set_miss(miss, result.i64); break;
    case ValueClass::f64: set_miss(miss, result.f64); break;
  }
  return result;
}

AnswerOptions options_of(const Index& index, const Call& call, AnswerSet answers) {
  AnswerOptions options;
  options.answers = answers;
  options.miss = miss_values(index, call, answers);
  options.included = call.included;
  options.limit = call.limit.value_or(no_limit);
  options.order = call.order;
  return options;
}

// The slices in which a query is answered: the row lists of several are concatenated, lists of
// keys are not.
std::vector<QuerySlice> slices_for(const OwnedQuery& query, const Call& call) {
  if (!call.list_keys) return query.slices();
  std::vector<QuerySlice> slices;
  slices.push_back(query.whole());
  return slices;
}

}  // namespace

nb::tuple answer(const Index& index, const OwnedQuery& query, const Call& call,
                 const HostArrays& outputs) {
  const HostOutputs arrays(outputs, query.size(), index.type());
  AnswerOptions options = options_of(index, call, arrays.answers());
  const bool has_validity = arrays.validity_bits() != nullptr;
  options.matched = arrays.matched_bits() != nullptr || has_validity;
  if (call.limit) options.answers = options.answers | Answer::rows;
  if (call.list_keys) options.answers = options.answers | Answer::key;
  const bool in_lists = call.limit || call.list_keys;
  Counters of_slice;
  Diagnostics diagnostics;
  if (arrays.counters() != nullptr) diagnostics.counters = &of_slice;
  std::vector<Answers> answered;
  {
    LongCall running;
    const OwnedView values = call.values == nullptr ? OwnedView() : as_one_view(*call.values);
    options.values = values.view;
    const std::vector<QuerySlice> slices = slices_for(query, call);
    // All slices are answered from the same state, whatever other threads do to the index.
    std::optional<Index> state;
    if (slices.size() > 1) state = index.snapshot();
    const Index& now = state ? *state : index;
    for (const QuerySlice& slice : slices) {
      const std::size_t size = slice.query.size();
      const auto share = [all = static_cast<double>(query.size())](std::size_t done) {
        return all == 0 ? 1 : static_cast<double>(done) / all;
      };
      running.part(share(slice.first), share(slice.first + size));
      std::vector<std::uint8_t> matched(options.matched ? (size + 7) / 8 : 0);
      std::vector<std::uint8_t> validity(has_validity ? matched.size() : 0);
      const Outputs to = arrays.from(slice.first, options.matched ? matched.data() : nullptr,
                                     has_validity ? validity.data() : nullptr);
      if (in_lists) {
        answered.push_back(now.answer(slice.query, options, diagnostics));
        copy_answers(answered.back(), to);
      } else {
        now.answer_into(slice.query, options, to, diagnostics);
      }
      if (arrays.counters() != nullptr) *arrays.counters() += of_slice;
      if (arrays.matched_bits() != nullptr)
        copy_bits(matched.data(), size, arrays.matched_bits(), slice.first);
      if (has_validity) copy_bits(validity.data(), size, arrays.validity_bits(), slice.first);
    }
  }
  nb::object keys = call.list_keys ? as_key_parts(answered.front().keys()) : nb::none();
  nb::object lists = call.limit ? as_row_lists(std::move(answered)) : nb::none();
  return nb::make_tuple(std::move(lists), std::move(keys));
}

void answer_on_device(const Index& index, const OwnedQuery& query, const Call& call,
                      const DeviceArrays& outputs, std::uintptr_t stream) {
  const Outputs to = outputs_of(outputs);
  AnswerSet of_values;
  if (to.mean != nullptr) of_values = Answer::mean;
  if (to.sum != nullptr || to.min != nullptr || to.max != nullptr)
    of_values = of_values | (Answer::sum | Answer::min | Answer::max);
  AnswerOptions options = options_of(index, call, of_values);
  options.stream.handle = reinterpret_cast<void*>(stream);
  const LongCall running;
  const OwnedView values = call.values == nullptr ? OwnedView() : as_one_view(*call.values);
  options.values = values.view;
  index.answer_into(query.whole().query, options, to);
}

}  // namespace rtindex::python
