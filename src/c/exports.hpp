#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/export.hpp"

namespace rtindex::c {

// Moves elements into an Arrow array.
template <class T>
void export_elements(std::vector<T> elements, const char* format, ArrowSchema* schema,
                     ArrowArray* array) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(elements));
  arrow::export_node({format, "", owner->size(), {nullptr, owner->data()}}, owner, schema, array);
}

// Pairs of a join.
[[nodiscard]] inline arrow::Node pairs_node(std::size_t count, const void* lookups,
                                            const void* rows, bool has_rows) {
  arrow::Node node{"+s", "", count, {nullptr}};
  node.children.push_back({"L", "lookups", count, {nullptr, lookups}});
  if (has_rows) node.children.push_back({"I", "rows", count, {nullptr, rows}});
  return node;
}

}  // namespace rtindex::c
