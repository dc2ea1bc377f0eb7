#include "arrow/answers.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <rtindex/arrow.hpp>

namespace rtindex {

namespace {

// What an exported array of answers keeps.
struct HeldAnswers {
  Answers answers;
  std::vector<std::shared_ptr<const void>> copies = {};  // of keys
};

const void* elements_of(const Aggregates& aggregates) {
  return std::visit([](const auto& values) -> const void* { return values.data(); }, aggregates);
}

arrow::AnswerBuffers buffers_of(const Answers& answers) {
  arrow::AnswerBuffers buffers{answers.answers(), answers.size()};
  const auto has = [&](Answer answer) { return answers.answers().has(answer); };
  if (has(Answer::any)) buffers.any = answers.any().data();
  if (has(Answer::first)) buffers.first = answers.first().data();
  if (has(Answer::last)) buffers.last = answers.last().data();
  if (has(Answer::count)) buffers.count = answers.count().data();
  const auto add = [&](Answer answer, const Aggregates& (Answers::*get)() const&,
                       const void*& buffer) {
    if (!has(answer)) return;
    const Aggregates& aggregates = (answers.*get)();
    buffer = elements_of(aggregates);
    buffers.values = static_cast<ValueClass>(aggregates.index());
  };
  add(Answer::sum, &Answers::sum, buffers.sum);
  add(Answer::min, &Answers::min, buffers.min);
  add(Answer::max, &Answers::max, buffers.max);
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

const char* format_of_class(ValueClass values) {
  switch (values) {
    case ValueClass::u64: return "L";
    case ValueClass::i64: return "l";
    case ValueClass::f64: break;
  }
  return "g";
}

}  // namespace

arrow::Node arrow::answers_node(const AnswerBuffers& buffers) {
  const char* aggregate = format_of_class(buffers.values);
  Node node{"+s", "", buffers.lookups, {nullptr}};
  const auto add = [&](Answer answer, const char* format, const void* elements,
                       const void* validity) {
    if (buffers.answers.has(answer))
      node.children.push_back(
          {format, std::string(name_of(answer)), buffers.lookups, {validity, elements}});
  };
  add(Answer::any, "I", buffers.any, buffers.matched);
  add(Answer::first, "I", buffers.first, buffers.matched);
  add(Answer::last, "I", buffers.last, buffers.matched);
  add(Answer::count, "I", buffers.count, nullptr);
  add(Answer::sum, aggregate, buffers.sum, buffers.validity);
  add(Answer::mean, "g", buffers.mean, buffers.validity);
  add(Answer::min, aggregate, buffers.min, buffers.validity);
  add(Answer::max, aggregate, buffers.max, buffers.validity);
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
  arrow::Node node = arrow::answers_node(buffers_of(held->answers));
  if (held->answers.answers().has(Answer::key))
    node.children.push_back(
        arrow::node_of(arrow::with_units_of(index, held->answers.keys()), "key", held->copies));
  arrow::export_node(node, held, schema, array);
}

}  // namespace rtindex
