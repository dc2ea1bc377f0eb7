#include "arrow/answers.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <rtindex/arrow.hpp>

#include "arrow/type.hpp"
#include "base/types.hpp"

namespace rtindex {

namespace {

// What an exported array of answers keeps.
struct HeldAnswers {
  Answers answers;
  std::vector<std::shared_ptr<const void>> copies = {};  // of keys
};

// Whether an aggregate has the type of the values. Sums of times and dates are numbers.
bool keeps_type(Answer aggregate, Type type) {
  if (type == Type::duration64 || is_decimal(type)) return true;
  return aggregate != Answer::sum && (type == Type::date32 || has_time_unit(type));
}

template <class T, class Convert>
const void* converted(const Aggregates& aggregates, HeldAnswers& held, Convert convert) {
  const auto& from = std::get<std::vector<std::int64_t>>(aggregates);
  auto to = std::make_shared<std::vector<T>>(from.size());
  std::transform(from.begin(), from.end(), to->begin(), convert);
  held.copies.push_back(to);
  return to->data();
}

// Decimals have 128 bits, because those of 64 bits have 18 digits in Arrow and sums may have 19.
arrow::AggregateBuffer buffer_of(Answer aggregate, const Aggregates& aggregates,
                                 HeldAnswers& held) {
  const ValueType& values = held.answers.value_type();
  if (is_decimal(values.type))
    return {arrow::format_of(Type::decimal128, TimeUnit::unspecified, values.scale),
            converted<Bits128>(aggregates, held, [](std::int64_t units) {
              return Bits128{static_cast<std::uint64_t>(units),
                             units < 0 ? ~std::uint64_t{0} : std::uint64_t{0}};
            })};
  if (keeps_type(aggregate, values.type) && width_of(values.type) == sizeof(std::int32_t)) {
    std::string format = arrow::format_of(values.type, values.time_unit, values.scale);
    using Limits = std::numeric_limits<std::int32_t>;
    if (format.starts_with('t'))  // times without a unit of Arrow are integers
      return {std::move(format), converted<std::int32_t>(aggregates, held, [](std::int64_t value) {
                return static_cast<std::int32_t>(
                    std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
              })};
  }
  return {arrow::format_of(aggregate, values),
          std::visit([](const auto& all) -> const void* { return all.data(); }, aggregates)};
}

arrow::AnswerBuffers buffers_of(HeldAnswers& held) {
  const Answers& answers = held.answers;
  arrow::AnswerBuffers buffers{answers.answers(), answers.size()};
  const auto has = [&](Answer answer) { return answers.answers().has(answer); };
  if (has(Answer::any)) buffers.any = answers.any().data();
  if (has(Answer::first)) buffers.first = answers.first().data();
  if (has(Answer::last)) buffers.last = answers.last().data();
  if (has(Answer::count)) buffers.count = answers.count().data();
  if (has(Answer::sum)) buffers.sum = buffer_of(Answer::sum, answers.sum(), held);
  if (has(Answer::min)) buffers.min = buffer_of(Answer::min, answers.min(), held);
  if (has(Answer::max)) buffers.max = buffer_of(Answer::max, answers.max(), held);
  if (has(Answer::mean)) buffers.mean = answers.mean().data();
  if (answers.has_matched()) {
    buffers.matched = answers.matched_bitmap().data();
    buffers.validity = answers.validity_bitmap().data();
  }
  if (has(Answer::rows)) {
    buffers.offsets = answers.offsets().data();
    buffers.rows = answers.rows().data();
    buffers.row_count = answers.rows().size();
  }
  return buffers;
}

}  // namespace

std::string arrow::format_of(Answer aggregate, const ValueType& values) {
  if (width_of(values.type) == sizeof(std::int64_t) && has_time_unit(values.type) &&
      keeps_type(aggregate, values.type))
    return format_of(values.type, values.time_unit, values.scale);
  switch (class_of(values.type)) {
    case ValueClass::u64: return "L";
    case ValueClass::i64: return "l";
    case ValueClass::f64: break;
  }
  return "g";
}

arrow::Node arrow::answers_node(const AnswerBuffers& buffers) {
  Node node{"+s", "", buffers.lookups, {nullptr}};
  const auto add = [&](Answer answer, const std::string& format, const void* elements,
                       const void* validity) {
    if (buffers.answers.has(answer))
      node.children.push_back(
          {format, std::string(name_of(answer)), buffers.lookups, {validity, elements}});
  };
  add(Answer::any, "I", buffers.any, buffers.matched);
  add(Answer::first, "I", buffers.first, buffers.matched);
  add(Answer::last, "I", buffers.last, buffers.matched);
  add(Answer::count, "I", buffers.count, nullptr);
  add(Answer::sum, buffers.sum.format, buffers.sum.elements, buffers.validity);
  add(Answer::mean, "g", buffers.mean, buffers.validity);
  add(Answer::min, buffers.min.format, buffers.min.elements, buffers.validity);
  add(Answer::max, buffers.max.format, buffers.max.elements, buffers.validity);
  if (buffers.answers.has(Answer::rows))
    node.children.push_back(lists_of_rows(std::string(name_of(Answer::rows)), buffers.lookups,
                                          buffers.offsets, buffers.rows, buffers.row_count));
  return node;
}

ColumnView arrow::with_units_of(const Index& index, const ColumnView& keys) {
  if (has_time_unit(keys.type())) return keys.with_time_unit(index.time_unit());
  if (is_decimal(keys.type())) return keys.with_scale(index.scale());
  if (keys.type() != Type::composite) return keys;
  const std::vector<TimeUnit> units = index.part_time_units();
  const std::vector<int> scales = index.part_scales();
  std::vector<ColumnView> parts(keys.parts().begin(), keys.parts().end());
  for (std::size_t i = 0; i < parts.size() && i < units.size(); ++i) {
    if (has_time_unit(parts[i].type())) parts[i] = parts[i].with_time_unit(units[i]);
    if (is_decimal(parts[i].type())) parts[i] = parts[i].with_scale(scales[i]);
  }
  return ColumnView::composite(std::move(parts))
      .with_validity(keys.validity(), keys.validity_offset());
}

void export_arrow(const Index& index, Answers answers, ArrowSchema* schema, ArrowArray* array) {
  const auto held = std::make_shared<HeldAnswers>(HeldAnswers{std::move(answers)});
  arrow::Node node = arrow::answers_node(buffers_of(*held));
  if (held->answers.answers().has(Answer::key))
    node.children.push_back(
        arrow::node_of(arrow::with_units_of(index, held->answers.keys()), "key", held->copies));
  arrow::export_node(node, held, schema, array);
}

}  // namespace rtindex
