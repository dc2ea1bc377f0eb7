#include "c/exports.hpp"

#include <type_traits>

#include "base/types.hpp"

namespace rtindex::c {

namespace {

const char* format_of_class(ValueClass values) {
  switch (values) {
    case ValueClass::u64: return "L";
    case ValueClass::i64: return "l";
    case ValueClass::f64: break;
  }
  return "g";
}

}  // namespace

arrow::Node answers_node(const AnswerBuffers& buffers) {
  const char* aggregate = format_of_class(buffers.values);
  arrow::Node node{"+s", "", buffers.lookups, {nullptr}};
  const auto add = [&](Answer answer, const char* format, const void* elements,
                       const void* validity) {
    if (buffers.answers.has(answer))
      node.children.push_back(
          {format, std::string(name_of(answer)), buffers.lookups, {validity, elements}});
  };
  add(Answer::any, "I", buffers.any, buffers.matched);
  add(Answer::first, "I", buffers.first, buffers.matched);
  add(Answer::count, "I", buffers.count, nullptr);
  add(Answer::sum, aggregate, buffers.sum, buffers.matched);
  add(Answer::min, aggregate, buffers.min, buffers.matched);
  add(Answer::max, aggregate, buffers.max, buffers.matched);
  if (buffers.answers.has(Answer::rows))
    node.children.push_back(arrow::lists_of_rows(std::string(name_of(Answer::rows)),
                                                 buffers.lookups, buffers.offsets, buffers.rows,
                                                 buffers.row_count));
  return node;
}

arrow::Node pairs_node(std::size_t count, const void* lookups, const void* rows, bool has_rows) {
  arrow::Node node{"+s", "", count, {nullptr}};
  node.children.push_back({"L", "lookups", count, {nullptr, lookups}});
  if (has_rows) node.children.push_back({"I", "rows", count, {nullptr, rows}});
  return node;
}

ColumnView with_units_of(const Index& index, const ColumnView& keys) {
  if (keys.type() == Type::timestamp64) return keys.with_time_unit(index.time_unit());
  if (keys.type() != Type::composite) return keys;
  const std::vector<TimeUnit> units = index.part_time_units();
  std::vector<ColumnView> parts(keys.parts().begin(), keys.parts().end());
  for (std::size_t i = 0; i < parts.size() && i < units.size(); ++i)
    if (parts[i].type() == Type::timestamp64) parts[i] = parts[i].with_time_unit(units[i]);
  return ColumnView::composite(std::move(parts))
      .with_validity(keys.validity(), keys.validity_offset());
}

}  // namespace rtindex::c
