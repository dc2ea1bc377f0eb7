#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rtindex/rtindex.h>
#include <rtindex/index.hpp>

#include "answers/values.hpp"
#include "arrow/export.hpp"
#include "arrow/owned.hpp"

namespace rtindex::c {

// Writes an array, and its schema if one is wanted, once both are complete.
inline void export_node(const arrow::Node& node, const std::shared_ptr<const void>& owner,
                        ArrowSchema* schema, ArrowArray* array) {
  arrow::Owned<ArrowSchema> type;
  if (schema != nullptr) *type.address() = arrow::schema_of(node);
  *array = arrow::array_of(node, owner);
  if (schema != nullptr) *schema = std::exchange(*type.address(), ArrowSchema{});
}

// An array of elements that nobody needs any more.
template <class T>
void export_elements(std::vector<T> elements, const char* format, ArrowSchema* schema,
                     ArrowArray* array) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(elements));
  export_node({format, "", owner->size(), {nullptr, owner->data()}}, owner, schema, array);
}

// The answers of a batch, wherever their buffers are; sum, min and max are of this class.
struct AnswerBuffers {
  AnswerSet answers;
  std::size_t lookups = 0;
  const void *any = nullptr, *first = nullptr, *count = nullptr;
  const void *sum = nullptr, *min = nullptr, *max = nullptr;
  ValueClass values = ValueClass::u64;
  const void* matched = nullptr;
  const void *offsets = nullptr, *rows = nullptr;
  std::size_t row_count = 0;
};
// A struct with a child for each answer but `key`.
[[nodiscard]] arrow::Node answers_node(const AnswerBuffers& buffers);

// The column that the index is over, as a view of the given keys with its units.
[[nodiscard]] ColumnView with_units_of(const Index& index, const ColumnView& keys);

// Pairs of a join.
[[nodiscard]] arrow::Node pairs_node(std::size_t count, const void* lookups, const void* rows,
                                     bool has_rows);

}  // namespace rtindex::c
